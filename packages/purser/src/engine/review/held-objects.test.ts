import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { changePlan, type ReviewedBundle } from "../../review/change-plan/change-plan.ts";
import { formatPath } from "../../review/change-plan/field-changes.ts";
import { heldObjects } from "./held-objects.ts";

const deployment = (name: string, replicas: number, value: string): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { namespace: "ops", name },
  spec: { replicas, template: { spec: { containers: [{ name: "main", env: [{ name: "PASSWORD", value }] }] } } },
});
const crd = (type: string, status?: JsonObject): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "kilns.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Kiln", plural: "kilns" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        ...(type === "" ? {} : { schema: { openAPIV3Schema: { properties: { heat: { type } }, type: "object" } } }),
      },
    ],
  },
  ...(status === undefined ? {} : { status }),
});
const csv = (icon?: JsonObject): JsonObject => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { namespace: "ops", name: "kiln" },
  spec: { version: "1.0.0", install: { strategy: "deployment" }, ...(icon === undefined ? {} : { icon: [icon] }) },
});
const bundle = (version: string, objects: readonly JsonObject[]): ReviewedBundle => {
  const rest = { csv: {}, granted: [], stays: () => false, deprecations: [] };
  return { name: `kiln.v${version}`, version, objects, ...rest };
};

function planned(held: readonly JsonObject[], before: readonly JsonObject[], after: readonly JsonObject[]) {
  const path = [bundle("1.1.0", after)] as const;
  const input = { installation: "sub/ops/kiln", options: {}, from: bundle("1.0.0", before), path, dependencies: [] };
  const { total } = changePlan({ ...input, ...heldObjects(held, before, after) });
  return {
    objects: total.objects.map(({ kind, name, change, fields, drift }) => [
      `${kind} ${name}`,
      change,
      fields.map(({ path: at }) => formatPath(at)),
      drift.map(({ path: at }) => formatPath(at)),
    ]),
    crds: total.crds.map(({ findings, stored }) => ({ findings, stored })),
  };
}

test("what the file holds is compared as it is, what it lacks as the former version wants it", () => {
  const before = [deployment("a", 1, "x"), deployment("b", 1, "x")];
  const after = [deployment("a", 2, "x"), deployment("b", 2, "x"), deployment("c", 1, "x")];
  assert.deepEqual(planned([deployment("a", 3, "x")], before, after).objects, [
    ["Deployment a", "changed", ["spec.replicas"], ["spec.replicas"]],
    ["Deployment b", "changed", ["spec.replicas"], []],
    ["Deployment c", "created", [], []],
  ]);
  assert.deepEqual(planned([deployment("a", 2, "x")], before.slice(0, 1), after.slice(0, 1)).objects, [
    ["Deployment a", "kept", [], ["spec.replicas"]],
  ]);
});

test("a credential that the file hides, and an icon that it leaves out, is no difference", () => {
  const own = [deployment("a", 1, "hunter2"), csv({ base64data: "AAAA" })];
  assert.deepEqual(planned([deployment("a", 1, "<redacted>"), csv()], own, own).objects, [
    ["ClusterServiceVersion kiln", "kept", [], []],
    ["Deployment a", "kept", [], []],
  ]);
});

test("schemas that the file leaves out are those of the former version, its stored versions and objects are the file's", () => {
  const kiln = (name: string, heat: string): JsonObject => ({
    apiVersion: "example.com/v1",
    kind: "Kiln",
    metadata: { namespace: "ops", name },
    heat,
  });
  const [before, after] = [[crd("string")], [crd("integer")]];
  const type = `v1: ^.heat: type: type changed : "string" -> "integer"`;
  const held = crd("", { storedVersions: ["v1", "v0"] });
  const lost = "storedVersionRemoval: stored versions removed : [v0]";
  assert.deepEqual(planned([held], before, after).crds, [{ findings: [lost, type], stored: undefined }]);
  const refused = `the new schema refuses 1 stored object: ops/a: heat: Invalid value: "string": heat in body must be of type integer: "string"`;
  assert.deepEqual(planned([held, kiln("a", "warm")], before, after).crds, [
    { findings: [refused, lost, type], stored: 1 },
  ]);
  assert.deepEqual(planned([held, kiln("a", "warm")], before, before).crds, [{ findings: [], stored: 1 }]);
});

for (const [what, held] of [
  ["a ClusterServiceVersion without a strategy", { ...csv(), spec: { version: "1.0.0" } }],
  ["a definition without spec", { ...crd("string"), spec: null }],
  ["a definition without names", { ...crd("string"), spec: { group: "example.com", versions: [] } }],
  ["a definition without a group", { ...crd("string"), spec: { names: {}, versions: [] } }],
  [
    "a definition with versions that are none",
    { ...crd("string"), spec: { group: "example.com", names: {}, versions: [1] } },
  ],
] as const)
  test(`${what}, as people write it for a decision, counts as the installed version wants it`, () => {
    const own = [csv(), crd("string")];
    assert.deepEqual(planned([held], own, own).objects, [
      ["ClusterServiceVersion kiln", "kept", [], []],
      ["CustomResourceDefinition kilns.example.com", "kept", [], []],
    ]);
  });
