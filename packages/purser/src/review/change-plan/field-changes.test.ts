import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { applyChanges } from "./apply-changes.ts";
import { fieldChanges, formatPath } from "./field-changes.ts";

const deployment = (spec: JsonObject): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "manager" },
  spec,
});
const pod = (containers: readonly JsonObject[]): JsonObject => deployment({ template: { spec: { containers } } });

function changed(before: JsonObject, after: JsonObject): readonly string[] {
  return fieldChanges(before, after).map(({ kind, path }) => `${kind} ${formatPath(path)}`);
}

test("containers are compared by name, and their order is a change of its own", () => {
  const [manager, proxy] = [
    { name: "manager", image: "a:1" },
    { name: "proxy", image: "p:1" },
  ];
  assert.deepEqual(changed(pod([manager, proxy]), pod([{ ...manager, image: "a:2" }, proxy])), [
    "changed spec.template.spec.containers[manager].image",
  ]);
  assert.deepEqual(changed(pod([manager]), pod([manager, proxy])), ["added spec.template.spec.containers[proxy]"]);
  assert.deepEqual(changed(pod([manager]), pod([proxy, manager])), [
    "added spec.template.spec.containers[proxy]",
    "reordered spec.template.spec.containers",
  ]);
  assert.deepEqual(changed(pod([proxy, manager]), pod([manager])), ["removed spec.template.spec.containers[proxy]"]);
});

test("a default that one side writes out is no change", () => {
  const written = {
    name: "manager",
    image: "a:1",
    imagePullPolicy: "IfNotPresent",
    terminationMessagePolicy: "File",
    ports: [{ containerPort: 80, protocol: "TCP" }],
    livenessProbe: { httpGet: { path: "/", port: 80, scheme: "HTTP" }, periodSeconds: 10 },
  };
  const short = {
    name: "manager",
    image: "a:1",
    ports: [{ containerPort: 80 }],
    livenessProbe: { httpGet: { path: "/", port: 80 } },
  };
  assert.deepEqual(changed(pod([short]), pod([written])), []);
  assert.deepEqual(changed(pod([written]), pod([short])), []);
  assert.deepEqual(changed(pod([short]), pod([{ ...short, imagePullPolicy: "Always" }])), [
    "added spec.template.spec.containers[manager].imagePullPolicy",
  ]);
  assert.deepEqual(changed(deployment({}), deployment({ replicas: 1 })), []);
  assert.deepEqual(changed(deployment({ replicas: 2 }), deployment({})), ["removed spec.replicas"]);
});

const accountField = "spec.template.spec.serviceAccountName";
for (const [what, before, after, expected] of [
  [
    "both names of one, as the API server sets them",
    { serviceAccountName: "a", serviceAccount: "a" },
    { serviceAccountName: "a" },
    [],
  ],
  ["the older name alone", { serviceAccount: "a" }, { serviceAccountName: "a" }, []],
  ["a stale alias beside the name", { serviceAccountName: "b", serviceAccount: "a" }, { serviceAccountName: "b" }, []],
  [
    "another one under one name",
    { serviceAccountName: "a", serviceAccount: "a" },
    { serviceAccountName: "b" },
    [`changed ${accountField}`],
  ],
  ["another one under the older name", { serviceAccount: "a" }, { serviceAccount: "b" }, [`changed ${accountField}`]],
  [
    "one that is no longer named",
    { serviceAccountName: "a", serviceAccount: "a" },
    {},
    ["removed spec.template.spec.serviceAccount", `removed ${accountField}`],
  ],
  ["a new one", {}, { serviceAccount: "a" }, ["added spec.template.spec.serviceAccount"]],
] as const)
  test(`accounts of pods compare by their name under both fields: ${what}`, () => {
    const [left, right] = [before, after].map((spec) => deployment({ template: { spec } }));
    assert.ok(left !== undefined && right !== undefined);
    assert.deepEqual(changed(left, right), expected);
    const applied = applyChanges(left, fieldChanges(left, right));
    assert.deepEqual(fieldChanges(applied, right), []);
  });

test("a targetPort of 0 is the port, as the API server sets it", () => {
  const service = (targetPort: JsonValue): JsonObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "a" },
    spec: { ports: [{ port: 9402, protocol: "TCP", targetPort }] },
  });
  assert.deepEqual(fieldChanges(service(9402), service(0)), []);
  assert.equal(fieldChanges(service(8080), service(0)).length, 1);
});

test("a default in an item of a list without keys is no change", () => {
  const webhook = (rule: JsonObject): JsonObject => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    webhooks: [{ name: "check.example.com", rules: [{ operations: ["CREATE"], ...rule }] }],
  });
  assert.deepEqual(changed(webhook({ scope: "*" }), webhook({})), []);
  assert.deepEqual(changed(webhook({ scope: "Cluster" }), webhook({})), ["changed webhooks[check.example.com].rules"]);
});

test("amounts compare as amounts, empty and missing are the same, a field with dots is quoted", () => {
  const limits = (cpu: string): JsonObject => pod([{ name: "manager", resources: { limits: { cpu } } }]);
  assert.deepEqual(changed(limits("1000m"), limits("1")), []);
  assert.deepEqual(changed(limits("500m"), limits("1")), [
    "changed spec.template.spec.containers[manager].resources.limits.cpu",
  ]);
  assert.deepEqual(changed(deployment({ template: {} }), deployment({})), []);
  const labelled = { ...deployment({}), metadata: { name: "manager", labels: { "a.b/c": "1" } } };
  assert.deepEqual(changed({ ...labelled, metadata: { name: "manager", labels: { x: "" } } }, labelled), [
    'added metadata.labels["a.b/c"]',
    "removed metadata.labels.x",
  ]);
});

test("a list without keys is one value", () => {
  const role = (verbs: readonly string[]): JsonObject => ({ apiVersion: "v1", kind: "Unknown", list: [...verbs] });
  assert.deepEqual(fieldChanges(role(["get"]), role(["get", "list"])), [
    { kind: "changed", path: [{ field: "list" }], before: ["get"], after: ["get", "list"] },
  ]);
});

const word = fc.constantFrom("a", "b", "c", "d");
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    word,
    fc.integer({ min: 0, max: 2 }),
    fc.boolean(),
    fc.array(word, { maxLength: 3 }),
    fc.dictionary(word, tie("value"), { maxKeys: 3 }),
    fc.uniqueArray(fc.record({ name: word, image: word, x: tie("value") }), {
      maxLength: 3,
      selector: ({ name }) => name,
    }),
  ),
})).value;
const container = fc.record(
  {
    name: word,
    image: word,
    args: fc.array(word, { maxLength: 2 }),
    env: fc.uniqueArray(fc.record({ name: word, value: word }), { maxLength: 3, selector: ({ name }) => name }),
  },
  { requiredKeys: ["name"] },
);
const objects = fc.oneof(
  fc
    .record({ metadata: value, spec: value })
    .map((fields) => ({ apiVersion: "example.com/v1", kind: "Thing", ...fields }) as unknown as JsonObject),
  fc
    .record({
      replicas: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      containers: fc.uniqueArray(container, { maxLength: 4, selector: ({ name }) => name }),
    })
    .map(({ replicas, containers }) =>
      deployment({
        ...(replicas === undefined ? {} : { replicas }),
        template: { spec: { containers: containers as unknown as JsonObject[] } },
      }),
    ),
);

test("the changes of two objects, applied to the first, leave nothing that differs from the second", () => {
  fc.assert(
    fc.property(objects, objects, (before, after) => {
      const applied = applyChanges(before, fieldChanges(before, after));
      assert.deepEqual(fieldChanges(applied, after), []);
      // And without defaults and emptiness in between, the objects are equal member by member.
      assert.deepEqual(fieldChanges(after, applied), []);
    }),
    { numRuns: 500 },
  );
});
