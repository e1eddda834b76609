import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { formerCrdFindings } from "./former-crds.ts";

const name = "kilns.bakery.example";
interface Version {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly fields?: object;
}

function crd(versions: readonly Version[], storedVersions?: readonly string[]): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group: "bakery.example",
      scope: "Namespaced",
      names: { kind: "Kiln", plural: "kilns" },
      versions: versions.map(({ name: version = "v1", served = true, storage = true, fields = {} }) => ({
        name: version,
        served,
        storage,
        schema: { openAPIV3Schema: { type: "object", properties: { heat: { type: "string" }, ...fields } } },
      })),
    },
    ...(storedVersions === undefined ? {} : { status: { storedVersions } }),
  } as unknown as CustomResourceDefinition;
}

const csv = (...converts: readonly string[]): ClusterServiceVersion =>
  ({
    spec: { webhookdefinitions: [{ type: "ConversionWebhook", conversionCRDs: converts }] },
  }) as unknown as ClusterServiceVersion;

const old = crd([{}]);
const table: readonly (readonly [string, CustomResourceDefinition | undefined, readonly string[]])[] = [
  ["is the same", old, []],
  ["has another field", crd([{ fields: { size: { type: "string" } } }], ["v1"]), []],
  ["serves another version", crd([{}, { name: "v2", storage: false }], ["v1"]), []],
  ["does not exist", undefined, [`${name}: it does not exist any more`]],
  [
    "stores objects in a newer version",
    crd([{ storage: false }, { name: "v2" }], ["v1"]),
    [`${name}: objects are stored in v2, which the former version does not know`],
  ],
  [
    "stored objects in a newer version once",
    crd([{}, { name: "v2", storage: false }], ["v1", "v2"]),
    [`${name}: objects are stored in v2, which the former version does not know`],
  ],
  [
    "does not serve the version any more",
    crd([{ served: false }, { name: "v2", storage: false }], ["v1"]),
    [`${name}: version v1 is not served any more`],
  ],
];
for (const [what, live, expected] of table)
  test(`an upgrade goes back with ${expected.length} findings when the CRD on the cluster ${what}`, () =>
    assert.deepEqual(formerCrdFindings([{ former: old, live }], { left: csv(), former: csv() }), expected));

test("a schema that lost a field is a finding of OLM v1's checks", () => {
  const former = crd([{ fields: { size: { type: "string" } } }]);
  const [finding = ""] = formerCrdFindings([{ former, live: old }], { left: csv(), former: csv() });
  assert.match(finding, /^kilns\.bakery\.example: .*size/);
});

test("objects that only the newer version converts are a finding, those that both convert are none", () => {
  const found = (...[left, former]: readonly [ClusterServiceVersion, ClusterServiceVersion]) =>
    formerCrdFindings([{ former: old, live: old }], { left, former });
  assert.deepEqual(found(csv(name), csv("other")), [`${name}: its objects are converted by the newer version`]);
  assert.deepEqual(found(csv(name), csv(name)), []);
});
