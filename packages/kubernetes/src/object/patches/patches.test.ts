import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import { mergeSchemaOf } from "../apply/builtin-merge-schemas.ts";
import { applyJsonPatch, patchJsonText } from "./json-patch.ts";
import { applyMergePatch, createMergePatch, mergePatchText } from "./merge-patch.ts";
import type { MergeSchema } from "../apply/merge-schema.ts";
import { goText } from "../go-text.ts";
import { deepEqual } from "../semantic-equal.ts";
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts";
import { countedSteps } from "../../counted-steps.ts";

const jsonPatches: readonly (readonly [string, JsonValue, JsonValue, JsonValue | undefined])[] = [
  ["add", { a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
  ["add without a value adds null", {}, [{ op: "add", path: "/b" }], { b: null }],
  ["add into a list", { l: [1, 3] }, [{ op: "add", path: "/l/1", value: 2 }], { l: [1, 2, 3] }],
  ["append with a dash", { l: [1] }, [{ op: "add", path: "/l/-", value: 2 }], { l: [1, 2] }],
  ["append at the length", { l: [1] }, [{ op: "add", path: "/l/1", value: 2 }], { l: [1, 2] }],
  ["append with minus one", { l: [1] }, [{ op: "add", path: "/l/-1", value: 2 }], { l: [1, 2] }],
  ["add beyond the length fails", { l: [1] }, [{ op: "add", path: "/l/3", value: 2 }], undefined],
  ["replace a missing key adds it", { a: {} }, [{ op: "replace", path: "/a/b", value: 2 }], { a: { b: 2 } }],
  ["replace below a missing parent fails", {}, [{ op: "replace", path: "/a/b", value: 2 }], undefined],
  ["remove", { a: 1, b: 2 }, [{ op: "remove", path: "/a" }], { b: 2 }],
  ["remove of a missing key fails", {}, [{ op: "remove", path: "/a" }], undefined],
  ["test of a missing path against null", {}, [{ op: "test", path: "/a", value: null }], {}],
  ["failed test", { a: 1 }, [{ op: "test", path: "/a", value: 2 }], undefined],
  ["move", { a: 1 }, [{ op: "move", from: "/a", path: "/b" }], { b: 1 }],
  ["copy", { a: 1 }, [{ op: "copy", from: "/a", path: "/b" }], { a: 1, b: 1 }],
  ["copy of a missing key adds null", {}, [{ op: "copy", from: "/a", path: "/b" }], { b: null }],
  [
    "escapes",
    { "a/b": 1, "c~d": 1 },
    [
      { op: "remove", path: "/a~1b" },
      { op: "remove", path: "/c~0d" },
    ],
    {},
  ],
  ["the empty path replaces the document", { a: 1 }, [{ op: "replace", path: "", value: { b: 1 } }], { b: 1 }],
  ["nothing is added as the document", { a: 1 }, [{ op: "add", path: "", value: { b: 1 } }], undefined],
  ["no operations", { a: 1 }, [], { a: 1 }],
  ["unknown operation fails", { a: 1 }, [{ op: "frob", path: "/a" }], undefined],
  ["a missing path fails", { a: 1 }, [{ op: "add", value: 1 }], undefined],
];

for (const [name, document, patch, expected] of jsonPatches) {
  test(`JSON patch: ${name}`, () => {
    const result = applyJsonPatch(document, patch);
    assert.deepEqual(result.ok ? result.value : undefined, expected);
  });
}

test("a JSON patch to `__proto__` creates an ordinary member", () => {
  const result = applyJsonPatch({}, [{ op: "add", path: "/__proto__", value: { polluted: 1 } }]);
  assert.ok(result.ok && Object.hasOwn(result.value as JsonObject, "__proto__"));
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

const json = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => value as JsonValue)
  .filter((value) => !JSON.stringify(value).includes("-0"));

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).flatMap(([key, held]) =>
      held === null || held === undefined ? [] : [[key, withoutNulls(held)] as const],
    ),
  );
}

test("a created merge patch turns one document into the other", () => {
  fc.assert(
    fc.property(json.map(withoutNulls), json.map(withoutNulls), (from, to) => {
      assert.ok(deepEqual(applyMergePatch(from, createMergePatch(from, to)), to));
    }),
  );
});

/** What replaces a list loses its nulls, what replaces an object keeps them: idempotent only without nulls in lists. */
function withoutNullsInLists(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, held]) => [key, withoutNullsInLists(held ?? null)] as const),
  );
}

test("a merge patch of texts has the same result as one of values", () => {
  fc.assert(
    fc.property(json, json, (document, patch) => {
      const text = mergePatchText(JSON.stringify(document), JSON.stringify(patch));
      const wanted = typeof patch === "object" && patch !== null ? applyMergePatch(document, patch) : patch;
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(wanted)));
    }),
  );
});

test("a JSON patch of texts preserves the notation of untouched parts", () => {
  const patched = allSteps(
    patchJsonText(
      '{"z":1.50,"b":{"y":1,"x":2},"a":[{"d":1,"c":2}],"w":"<"}',
      '[{"op":"test","path":"/z","value":1.50},{"op":"add","path":"/a/-","value":{"k":1,"k":2}}]',
    ),
  );
  assert.ok(patched.ok);
  assert.equal(patched.value, '{"a":[{"d":1,"c":2},{"k":1,"k":2}],"b":{"y":1,"x":2},"w":"\\u003c","z":1.50}');
});

for (const [name, document, patch] of [
  ["a number written otherwise", '{"a":1}', '[{"op":"test","path":"/a","value":1.0}]'],
  ["an item before the first", '{"a":[1]}', '[{"op":"test","path":"/a/-2","value":null}]'],
  ["an index of another form", '{"a":[1]}', '[{"op":"remove","path":"/a/ 0"}]'],
  ["the whole document as a source", '{"a":1}', '[{"op":"copy","from":"","path":"/b"}]'],
  ["the document made a scalar", '{"a":1}', '[{"op":"replace","path":"","value":7}]'],
  ["a move into itself", '{"a":{"b":1}}', '[{"op":"move","from":"/a","path":"/a/b"}]'],
] as const)
  test(`a JSON patch is refused with ${name}`, () => {
    assert.equal(allSteps(patchJsonText(document, patch)).ok, false);
  });

test("a JSON patch that copies a large value leaves a pause after each copy", () => {
  const document = JSON.stringify({ data: "x".repeat(100_000) });
  const copies = Array.from({ length: 9 }, (_, index) => ({ op: "copy", from: "/data", path: `/x${index}` }));
  const { value, pauses } = countedSteps(patchJsonText(document, JSON.stringify(copies)));
  assert.ok(value.ok);
  assert.equal(pauses, 2 + 9);
});

test("a JSON patch may copy three megabytes, not more", () => {
  const document = { a: "x".repeat(1_000_000) };
  const copies = (count: number): JsonValue =>
    Array.from({ length: count }, (_, index) => ({ op: "copy", from: "/a", path: `/b${index}` }));
  assert.equal(applyJsonPatch(document, copies(3)).ok, true);
  const refused = applyJsonPatch(document, copies(4));
  assert.deepEqual(!refused.ok && refused.problem, {
    operation: 3,
    message:
      "Unable to complete the copy, the accumulated size increase of copy is 4000008, exceeding the limit 3145728",
  });
});

test("a JSON patch with excessive nesting is refused", () => {
  const operations: JsonValue[] = [{ op: "add", path: "/a", value: {} }];
  const tower = JSON.parse(`${'{"x":'.repeat(500)}{}${"}".repeat(500)}`) as JsonValue;
  for (let floor = 0; floor < 40; floor++)
    operations.push(
      { op: "add", path: "/b", value: tower },
      { op: "move", from: "/a", path: `/b${"/x".repeat(501)}` },
      { op: "move", from: "/b", path: "/a" },
    );
  const refused = applyJsonPatch({}, operations);
  assert.equal(!refused.ok && refused.problem.message, "exceeded max depth");
});

/** Where an operation costs what the list holds, where a change copies its object, each of these takes minutes. */
test("patches of the largest size end", () => {
  const many = Array.from({ length: 150_000 }, (_, index) => `k${index}`);
  const data = Object.fromEntries(many.map((key) => [key, ""]));
  assert.deepEqual(applyMergePatch({ data: { k0: "x" } }, { data }), { data });
  const owners = many.map((uid) => ({ uid, name: "o" }));
  const schema = mergeSchemaOf({ group: "", version: "v1", kind: "ConfigMap" });
  assert.ok(schema !== undefined);
  const live = { metadata: { ownerReferences: owners }, data };
  const merging = applyStrategicMergePatch(
    live,
    {
      metadata: { ownerReferences: owners.map(({ uid }) => ({ uid, $patch: "delete" })) },
      data: Object.fromEntries(many.map((key) => [key, null])),
    },
    schema,
  );
  const patched = allSteps(merging);
  assert.deepEqual(patched.ok && patched.value, { metadata: { ownerReferences: [] }, data: {} });
  const list = { list: Array.from({ length: 500_000 }, () => 1) };
  const shorter = applyJsonPatch(
    list,
    Array.from({ length: 10_000 }, () => ({ op: "remove", path: "/list/0" })),
  );
  assert.equal(shorter.ok && JSON.stringify(shorter.value).length, '{"list":[]}'.length + 490_000 * 2 - 1);
});

test("applying a merge patch twice changes nothing more", () => {
  fc.assert(
    fc.property(json, json.map(withoutNullsInLists), (document, patch) => {
      const once = applyMergePatch(document, patch);
      assert.ok(deepEqual(applyMergePatch(once, patch), once));
    }),
  );
});

const podSchema = mergeSchemaOf({ group: "", version: "v1", kind: "Pod" });
const deploymentSchema = mergeSchemaOf({ group: "apps", version: "v1", kind: "Deployment" });

function strategic(document: JsonObject, patch: JsonObject, schema: MergeSchema | undefined = podSchema): JsonValue {
  assert.ok(schema !== undefined);
  const result = allSteps(applyStrategicMergePatch(document, patch, schema));
  return result.ok ? result.value : result.problem.message;
}

function pod(...containers: JsonObject[]): JsonObject {
  return { spec: { containers } };
}

const c1 = { name: "c1", image: "i1" };
const c2 = { name: "c2", image: "i2" };
const c3 = { name: "c3", image: "i3" };

const strategicPatches: readonly (readonly [string, JsonObject, JsonObject, JsonValue])[] = [
  ["merges by key", pod(c1, c2), pod({ name: "c2", image: "new" }), pod(c1, { name: "c2", image: "new" })],
  ["without the key", pod(c1), pod({ image: "x" }), "map: map[image:x] does not contain declared merge key: name"],
  [
    "union of a primitive list",
    { metadata: { finalizers: ["2"] } },
    { metadata: { finalizers: ["3"] } },
    { metadata: { finalizers: ["3", "2"] } },
  ],
  [
    "deletes from a primitive list",
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } },
    { metadata: { finalizers: ["b"] } },
  ],
  ["deletes an item", pod(c1, c2), pod({ $patch: "delete", name: "c1" }), pod(c2)],
  ["replaces the list", pod(c1, c2), pod({ $patch: "replace" }, c3), pod(c3)],
  [
    "empties a map",
    { metadata: { labels: { a: "1" } } },
    { metadata: { labels: { $patch: "delete" } } },
    { metadata: { labels: {} } },
  ],
  [
    "unknown directive",
    { metadata: { labels: {} } },
    { metadata: { labels: { $patch: "bogus" } } },
    "unknown patch type: bogus in map: map[$patch:bogus]",
  ],
  ["a new item comes first", pod(c1, c2), pod(c3), pod(c3, c1, c2)],
  [
    "env",
    pod({ name: "c1", env: [{ name: "A" }, { name: "B" }] }),
    pod({ name: "c1", env: [{ name: "A" }, { name: "C" }] }),
    pod({ name: "c1", env: [{ name: "A" }, { name: "C" }, { name: "B" }] }),
  ],
  [
    "order as directed",
    pod(c1, c2),
    { spec: { "$setElementOrder/containers": [{ name: "c1" }, { name: "c2" }, { name: "c3" }], containers: [c3] } },
    pod(c1, c2, c3),
  ],
  [
    "ports by containerPort only",
    pod({
      name: "c1",
      ports: [
        { containerPort: 80, protocol: "TCP" },
        { containerPort: 80, protocol: "UDP" },
      ],
    }),
    pod({ name: "c1", ports: [{ containerPort: 80, name: "http" }] }),
    pod({
      name: "c1",
      ports: [
        { containerPort: 80, protocol: "TCP", name: "http" },
        { containerPort: 80, protocol: "UDP" },
      ],
    }),
  ],
  [
    "lists without a strategy replace",
    { spec: { tolerations: [{ key: "a" }] } },
    { spec: { tolerations: [{ key: "b" }] } },
    { spec: { tolerations: [{ key: "b" }] } },
  ],
  [
    "deletes no objects",
    pod({ name: "c1", env: [{ name: "A" }] }),
    pod({ name: "c1", "$deleteFromPrimitiveList/env": [{ name: "A" }] }),
    pod({ name: "c1", env: [{ name: "A" }] }),
  ],
  [
    "a null deletes the list",
    { metadata: { finalizers: ["a"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": null } },
    { metadata: {} },
  ],
  [
    "a directive that is no text",
    { metadata: { labels: {} } },
    { metadata: { labels: { $patch: 1 } } },
    "unknown patch type: %!s(int64=1) in map: map[$patch:1]",
  ],
  [
    "a new item keeps its directives, as fields that nobody knows",
    pod(c1),
    pod({ name: "c2", $retainKeys: ["name"] }),
    pod({ name: "c2", $retainKeys: ["name"] }, c1),
  ],
  [
    "a key that is not retained",
    { metadata: { labels: {} } },
    { metadata: { labels: { $retainKeys: ["a"], b: "1" } } },
    "invalid patch format of retainKeys",
  ],
  [
    "an order that is no list",
    pod(c1),
    { spec: { "$setElementOrder/containers": "q" } },
    "expected a []interface {}, but received a string",
  ],
  [
    "an order of other things than the list has",
    pod(c1),
    { spec: { "$setElementOrder/containers": ["c1"], containers: [c1] } },
    "expected a map[string]interface {}, but received a string",
  ],
  [
    "an order with more to come than the directive",
    pod(c1),
    {
      spec: {
        "$setElementOrder/containers": [{ name: "c3" }, { name: "c1" }],
        containers: [c3, { $patch: "replace" }],
      },
    },
    pod(c3),
  ],
  [
    "an order that ends before the directive",
    pod(c1),
    { spec: { "$setElementOrder/containers": [{ name: "c3" }], containers: [c3, { $patch: "replace" }] } },
    `The order in patch list:\n${goText([c3, { $patch: "replace" }])}\n doesn't match $setElementOrder list:\n[map[name:c3]]\n`,
  ],
  [
    "a new item without a value for its key, twice",
    { metadata: {} as JsonObject, spec: { containers: [] } },
    pod({ name: null, image: "i" }, { name: null, image: "i" }),
    "map: map[image:i] does not contain declared merge key: name",
  ],
  ["null deletes", { spec: { nodeName: "n" } }, { spec: { nodeName: null } }, { spec: {} }],
];

for (const [name, document, patch, expected] of strategicPatches) {
  test(`strategic merge patch: ${name}`, () => assert.deepEqual(strategic(document, patch), expected));
}

test("strategic merge patch: a new item takes the place of a deleted one, as kubectl relies on", () => {
  const patch = {
    spec: {
      "$setElementOrder/containers": [{ name: "c3" }],
      containers: [{ $patch: "delete", name: "c1" }, c3],
    },
  };
  assert.deepEqual(strategic(pod(c1, c2), patch), pod(c2, c3));
});

test("strategic merge patch: keys missing in $retainKeys are removed", () => {
  const live = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } };
  const patch = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } };
  assert.deepEqual(strategic(live, patch, deploymentSchema), { spec: { strategy: { type: "Recreate" } } });
});
