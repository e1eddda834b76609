import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { installedPackagesOf, recordedProperties, revisionProperties } from "./installed-packages.ts";

const csvOf = (phase: string, recorded?: unknown): ClusterServiceVersion =>
  ({
    metadata: {
      name: "op.v1",
      ...(recorded === undefined
        ? {}
        : {
            annotations: {
              "operatorframework.io/properties": typeof recorded === "string" ? recorded : JSON.stringify(recorded),
            },
          }),
    },
    status: { phase },
  }) as unknown as ClusterServiceVersion;

const packageOf = (value: unknown) => ({ type: "olm.package", value });

test("the packages of ClusterServiceVersions that succeeded are installed, with all that their bundles state", () => {
  const properties = [packageOf({ packageName: "a", version: "1.0.0" }), { type: "x", value: null }];
  assert.deepEqual(
    installedPackagesOf([
      csvOf("Succeeded", { properties }),
      csvOf("Installing", { properties: [packageOf({ packageName: "late", version: "1.0.0" })] }),
      csvOf("Succeeded"),
      csvOf("Succeeded", {
        properties: [packageOf({ packageName: "b" }), packageOf({ version: "1.0.0" }), packageOf("c")],
      }),
      csvOf("Succeeded", { properties: [{ type: "other", value: { packageName: "d", version: "1.0.0" } }] }),
      { metadata: {} } as unknown as ClusterServiceVersion,
    ]),
    [{ name: "a", version: "1.0.0", properties }],
  );
});

test("recorded properties that cannot be read are none; a property without value has null", () => {
  assert.deepEqual(recordedProperties(csvOf("Succeeded", { properties: [{ type: "a" }, { value: 1 }, null, "b"] })), [
    { type: "a", value: null },
  ]);
  for (const unreadable of ["{", "[]", "null", { properties: {} }, { others: [] }])
    assert.deepEqual(recordedProperties(csvOf("Succeeded", unreadable)), []);
  assert.deepEqual(recordedProperties(csvOf("Succeeded")), []);
});

test("the properties of a revision are a JSON array; anything else is none", () => {
  assert.deepEqual(revisionProperties('[{"type":"a","value":[1]}]'), [{ type: "a", value: [1] }]);
  for (const unreadable of [undefined, "", "[", '{"properties":[{"type":"a","value":1}]}'])
    assert.deepEqual(revisionProperties(unreadable), []);
});
