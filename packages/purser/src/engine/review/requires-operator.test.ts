import assert from "node:assert/strict";
import { test } from "node:test";
import { propertiesAnnotation } from "../../apis/v0/labels.ts";
import type { ClusterServiceVersion, ClusterServiceVersionSpec } from "../../apis/v0/cluster-service-version.ts";
import { requiresOperator } from "./requires-operator.ts";

const csv = (spec: object, annotation?: string): ClusterServiceVersion => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: {
    name: "a.v1",
    ...(annotation === undefined ? {} : { annotations: { [propertiesAnnotation]: annotation } }),
  },
  spec: spec as ClusterServiceVersionSpec,
});
const recorded = (type: string, value: unknown): ClusterServiceVersion =>
  csv({}, JSON.stringify({ properties: [{ type, value }] }));

const database = csv({
  customresourcedefinitions: { owned: [{ name: "databases.db.example.com", version: "v1", kind: "Database" }] },
  apiservicedefinitions: { owned: [{ name: "rows", group: "rows.example.com", version: "v1", kind: "Row" }] },
});
const api = { group: "db.example.com", version: "v1", kind: "Database" };
const otherApi = { ...api, kind: "Table" };
const pack = { packageName: "database", versionRange: ">=1.0.0" };

for (const [what, other, expected] of [
  ["no requirement", csv({}), false],
  [
    "its CRD",
    csv({ customresourcedefinitions: { required: [{ name: "databases.db.example.com", version: "v1", kind: "X" }] } }),
    true,
  ],
  [
    "another CRD",
    csv({ customresourcedefinitions: { required: [{ name: "tables.db.example.com", version: "v1", kind: "X" }] } }),
    false,
  ],
  [
    "the API that it serves",
    csv({
      apiservicedefinitions: { required: [{ name: "rows", group: "rows.example.com", version: "v1", kind: "Row" }] },
    }),
    true,
  ],
  ["its package", recorded("olm.package.required", pack), true],
  ["another package", recorded("olm.package.required", { ...pack, packageName: "cache" }), false],
  ["its API as a property", recorded("olm.gvk.required", api), true],
  ["a served API as a property", recorded("olm.gvk.required", { group: "rows.example.com", kind: "Row" }), true],
  ["another API of its group", recorded("olm.gvk.required", otherApi), false],
  ["an API of another group", recorded("olm.gvk.required", { ...api, group: "example.com" }), false],
  ["what it provides itself", recorded("olm.gvk", api), false],
  ["a constraint on its package", recorded("olm.constraint", { package: pack }), true],
  ["a constraint on its API", recorded("olm.constraint", { gvk: api }), true],
  ["a constraint on another API", recorded("olm.constraint", { gvk: otherApi }), false],
  [
    "one of several alternatives",
    recorded("olm.constraint", { any: { constraints: [{ gvk: otherApi }, { gvk: api }] } }),
    true,
  ],
  [
    "a part of a nested constraint",
    recorded("olm.constraint", { all: { constraints: [{ all: { constraints: [{ package: pack }] } }] } }),
    true,
  ],
  ["not having it", recorded("olm.constraint", { not: { constraints: [{ package: pack }] } }), false],
  ["a rule in CEL, which may be about it", recorded("olm.constraint", { cel: { rule: "true" } }), true],
  ["properties that cannot be read", csv({}, "{"), false],
  ["properties of another shape", csv({}, '{"properties":[1,{"type":1},{"type":"olm.constraint"}]}'), false],
] as const)
  test(`an operator with ${what} ${expected ? "requires" : "does not require"} the other`, () => {
    assert.equal(requiresOperator(other, database, "database"), expected);
  });
