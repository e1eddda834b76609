import assert from "node:assert/strict";
import { test } from "node:test";
import type { BundleSummary } from "../../catalog/catalog-index.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { parseTolerantVersion } from "@purser/kubernetes/version";
import { versionWarning } from "./version-warning.ts";

const cluster = parseTolerantVersion("1.30.2");
assert.ok(cluster.ok);
const csv = (minKubeVersion?: JsonValue): JsonObject => ({
  type: "olm.csv.metadata",
  value: minKubeVersion === undefined ? {} : { minKubeVersion },
});
const bundle = { name: "op.v1", blob: 7 } as unknown as BundleSummary;
const warning = (needed: string): string => `op.v1 needs Kubernetes ${needed} or newer`;

const table: readonly (readonly [properties: JsonValue | undefined, warning: string | undefined])[] = [
  [undefined, undefined],
  ["a", undefined],
  [[], undefined],
  [[csv()], undefined],
  [[csv(1.31)], undefined],
  [[csv("newest")], undefined],
  [[csv("1.30.2")], undefined],
  [[csv("1.29.9")], undefined],
  [[csv("1.30.3")], warning("1.30.3")],
  [[csv("v1.31")], warning("v1.31")],
  [[{ type: "olm.other", value: { minKubeVersion: "1.99.0" } }], undefined],
  [[{ type: "olm.csv.metadata", value: "1.99.0" }, null, csv("2.0.0")], warning("2.0.0")],
];
for (const [properties, summary] of table)
  test(`a bundle with the properties ${JSON.stringify(properties)} on Kubernetes 1.30.2: ${summary ?? "no warning"}`, () => {
    const index = { blob: () => (properties === undefined ? {} : { properties }) };
    const found = versionWarning(index, bundle, cluster.value);
    assert.deepEqual(found, summary === undefined ? [] : [{ code: "ClusterIncompatible", summary }]);
  });

test("a bundle whose catalog is not read has no warning", () =>
  assert.deepEqual(versionWarning(undefined, bundle, cluster.value), []));
