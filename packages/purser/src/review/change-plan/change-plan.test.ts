import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { digestOf } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import { changedInputs, changePlan, type ReviewedBundle, type ReviewInput } from "./change-plan.ts";
import type { StoredObjects } from "./crd-changes.ts";
import { objectChanges, referenceOf, referenceText } from "./object-changes.ts";
import { formatPath } from "./field-changes.ts";

const configMap = (name: string, data: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "ops" },
  data,
});
const crd = (name: string, type: string): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${name}.example.com` },
  spec: {
    group: "example.com",
    names: { plural: name, kind: "Thing" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { size: { type } } } },
      },
    ],
  },
});

const bundle = (version: string, objects: readonly JsonObject[]): ReviewedBundle => ({
  name: `thing.v${version}`,
  version,
  digest: digestOf(version),
  csv: {},
  objects,
  granted: objects,
  stays: ({ kind }) => kind === "CustomResourceDefinition",
  deprecations: [],
});
const liveOf = (...objects: readonly JsonObject[]) =>
  new Map(objects.map((object) => [referenceText(referenceOf(object)), object] as const));

const rows = (changes: ReturnType<typeof objectChanges>): readonly string[] =>
  changes.map(({ name, change, fields, drift }) =>
    [
      name,
      change,
      ...fields.map(({ path }) => formatPath(path)),
      ...drift.map(({ path }) => `drift ${formatPath(path)}`),
    ].join(" "),
  );

test("objects are created, changed, deleted, kept or left behind", () => {
  const before = [
    configMap("same", { a: "1" }),
    configMap("changed", { a: "1" }),
    configMap("old", {}),
    crd("things", "string"),
  ];
  const after = [configMap("same", { a: "1" }), configMap("changed", { a: "2" }), configMap("fresh", {})];
  const stays = ({ kind }: JsonObject): boolean => kind === "CustomResourceDefinition";
  assert.deepEqual(rows(objectChanges({ before, after, stays })), [
    "changed changed data.a",
    "fresh created",
    "old deleted",
    "same kept",
    "things.example.com left",
  ]);
});

test("on a cluster the live object counts: missing ones are created, foreign fields are no change, drift is shown apart", () => {
  const before = [configMap("drifted", { a: "1", b: "1" }), configMap("missing", {}), configMap("gone", {})];
  const after = [configMap("drifted", { a: "1", b: "2" }), configMap("missing", {}), configMap("foreign", { x: "1" })];
  const live = liveOf(
    { ...configMap("drifted", { a: "9", b: "1", other: "1" }), status: { ready: true } },
    configMap("foreign", { x: "1", y: "2" }),
  );
  assert.deepEqual(rows(objectChanges({ before, after, live, stays: () => false })), [
    "drifted changed data.a data.b drift data.a",
    "foreign kept",
    "missing created",
  ]);
});

test("rules that the control plane fills in an aggregated ClusterRole are neither a change nor drift; those of another are", () => {
  const role = (name: string, aggregates: boolean, verbs: readonly string[]): JsonObject => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name },
    ...(aggregates ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: "manager" } }] } } : {}),
    rules: verbs.map((verb) => ({ apiGroups: [""], resources: ["secrets"], verbs: [verb] })),
  });
  const wanted = [role("aggregated", true, []), role("plain", false, ["get"])];
  const live = liveOf(role("aggregated", true, ["list"]), role("plain", false, ["get", "list"]));
  assert.deepEqual(rows(objectChanges({ before: wanted, after: wanted, live, stays: () => false })), [
    "aggregated kept",
    "plain changed rules drift rules",
  ]);
});

const storedThings = (count: number, ...refused: readonly string[]): NonNullable<ReviewInput["stored"]> =>
  new Map([
    [
      "things.example.com",
      { count, versions: ["v1"], refused: refused.map((object) => ({ object, fields: "size: Required" })) },
    ],
  ]);

const input: ReviewInput = {
  installation: "sub/ops/thing",
  options: { namespace: "ops" },
  from: bundle("1.0.0", [configMap("a", { x: "1" }), crd("things", "string")]),
  path: [
    bundle("1.1.0", [configMap("a", { x: "2" }), crd("things", "string")]),
    bundle("2.0.0", [configMap("b", {}), crd("things", "integer")]),
  ],
  live: liveOf(configMap("a", { x: "1" }), crd("things", "string")),
  stored: storedThings(3),
  dependencies: [],
};

test("a path of two hops shows each hop and the total, which is not their sum", () => {
  const plan = changePlan(input);
  assert.deepEqual(
    plan.hops.map(({ from, to, changes }) => [from, to, ...rows(changes.objects)]),
    [
      ["thing.v1.0.0", "thing.v1.1.0", "a changed data.x", "things.example.com kept"],
      [
        "thing.v1.1.0",
        "thing.v2.0.0",
        "a deleted",
        "b created",
        "things.example.com changed spec.versions[v1].schema.openAPIV3Schema.properties.size.type",
      ],
    ],
  );
  assert.deepEqual(rows(plan.total.objects), [
    "a deleted",
    "b created",
    "things.example.com changed spec.versions[v1].schema.openAPIV3Schema.properties.size.type",
  ]);
  assert.deepEqual(plan.total.crds, [
    {
      name: "things.example.com",
      change: "changed",
      findings: ['v1: ^.size: type: type changed : "string" -> "integer"'],
      rules: ["type"],
      stored: 3,
    },
  ]);
});

const typeChange = 'v1: ^.size: type: type changed : "string" -> "integer"';
for (const [what, stored, finding] of [
  ["one", storedThings(3, "ops/a"), "the new schema refuses 1 stored object: ops/a: size: Required"],
  ["two", storedThings(3, "ops/a", "ops/b"), "the new schema refuses 2 stored objects, first: ops/a: size: Required"],
  [
    "one, where a webhook converts",
    new Map([
      [
        "things.example.com",
        { count: 1, versions: ["v1"], refused: [{ object: "a", fields: "size: Required" }], converts: true },
      ],
    ] as const),
    "the new schema refuses 1 stored object: a: size: Required, unless its conversion webhook makes them fit",
  ],
] as const)
  test(`stored objects that the last version's schema refuses are shown of its hop and of the whole: ${what}`, () => {
    const plan = changePlan({ ...input, stored });
    const findings = [...plan.hops.map(({ changes }) => changes), plan.total].map(({ crds }) => crds[0]?.findings);
    assert.deepEqual(findings, [[], [finding, typeChange], [finding, typeChange]]);
    assert.deepEqual(plan.total.crds[0]?.rules, ["storedObjects", "type"]);
  });

test("a CRD that the next version deletes takes its objects with it", () => {
  const all: ReviewedBundle = { ...bundle("1.0.0", [crd("things", "string")]), stays: () => false };
  const plan = changePlan({ ...input, from: all, path: [bundle("2.0.0", [])] });
  assert.deepEqual(plan.total.crds[0]?.findings, [
    "the CustomResourceDefinition is deleted, and all its custom resources with it",
  ]);
});

const storing = ({ stored }: ReviewInput, more: Partial<StoredObjects>): NonNullable<ReviewInput["stored"]> =>
  new Map([...(stored ?? [])].map(([crd, found]) => [crd, { ...found, ...more }]));

/** Each input of a plan, altered in one place. */
const alterations: Readonly<Record<string, (given: ReviewInput) => ReviewInput>> = {
  installation: (given) => ({ ...given, installation: "sub/ops/other" }),
  options: (given) => ({ ...given, options: { namespace: "apps" } }),
  "bundle thing.v1.0.0": (given) => ({ ...given, from: bundle("1.0.0", []) }),
  "bundle thing.v2.0.0": (given) => ({
    ...given,
    path: [given.path[0], bundle("2.0.0", [configMap("b", { new: "1" }), crd("things", "integer")])],
  }),
  "live ConfigMap ops/a ": (given) => ({ ...given, live: liveOf(configMap("a", { x: "3" }), crd("things", "string")) }),
  "stored things.example.com": (given) => ({ ...given, stored: storedThings(0) }),
  "stored versions of things.example.com": (given) => ({
    ...given,
    stored: storing(given, { versions: ["v1", "v2"] }),
  }),
  "refused things.example.com": (given) => ({
    ...given,
    stored: storing(given, { refused: [{ object: "ops/a", fields: "size: Required" }] }),
  }),
};

for (const [name, alter] of Object.entries(alterations))
  test(`a plan is stale once its input "${name}" changed, and says so`, () => {
    const [older, newer] = [changePlan(input), changePlan(alter(input))];
    assert.notEqual(older.digest, newer.digest);
    assert.deepEqual(changedInputs(older.inputs, newer.inputs), [name]);
  });

test("the digest depends on nothing else: not on server-managed fields, and not on the number of stored objects", () => {
  const touched = {
    ...configMap("a", { x: "1" }),
    metadata: { name: "a", namespace: "ops", resourceVersion: "7", uid: "u", managedFields: [] },
    status: { seen: true },
  };
  const same = changePlan({
    ...input,
    live: liveOf(touched, crd("things", "string")),
    stored: storedThings(4),
  });
  assert.equal(same.digest, changePlan(input).digest);
  const refusing = (...objects: readonly string[]) => changePlan({ ...input, stored: storedThings(4, ...objects) });
  assert.equal(refusing("ops/a", "ops/b").digest, refusing("ops/b").digest);
});

test("two plans have the same digest exactly when no input differs, and name those that differ", () => {
  const names = Object.keys(alterations);
  const altered = (chosen: readonly string[]) =>
    changePlan(chosen.reduce((given, name) => alterations[name]?.(given) ?? given, input));
  fc.assert(
    // Few differ, so that each of them decides alone.
    fc.property(fc.subarray(names), fc.subarray(names, { maxLength: 2 }), (left, differing) => {
      const right = names.filter((name) => left.includes(name) !== differing.includes(name));
      const [one, other] = [altered(left), altered(right)];
      assert.equal(one.digest === other.digest, differing.length === 0);
      assert.deepEqual(changedInputs(one.inputs, other.inputs), differing.toSorted());
    }),
  );
});
