import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../json.ts";
import { allSteps, type Steps, Strides } from "../steps.ts";
import { mergeSchemaOf } from "./apply/builtin-merge-schemas.ts";
import { checkTyped } from "./apply/check-typed.ts";
import { encodeFields, pathsOf, setOf } from "./apply/field-set.ts";
import { compareTyped } from "./apply/compare-typed.ts";
import { mergeTyped } from "./apply/merge-typed.ts";
import { dropEmptied, removeFields } from "./apply/remove-typed.ts";
import { withNamedFields } from "./apply/typed-fields.ts";
import { mergePatchInSteps } from "./patches/merge-patch.ts";
import { applyStrategicMergePatch } from "./patches/strategic-merge-patch.ts";
import { copyInSteps } from "./patches/json-edit.ts";
import { jsonInPieces } from "../text/json-pieces.ts";
import { correlatedItem, prepareCorrelation } from "./schema/correlate.ts";
import { pruneInSteps } from "./schema/prune.ts";
import { applyDefaultsInSteps, dropNulls } from "./schema/schema-defaults.ts";
import { checkSchema, compileSchema } from "./schema/structural-schema.ts";
import { validateValueInSteps } from "./schema/validate.ts";
import { validateEmbeddedInSteps } from "./schema/validate-embedded.ts";
import { validateUniqueLists } from "./schema/validate-lists.ts";
import { validateOpenApiInSteps } from "./schema/validate-openapi.ts";
import { deepEqualInSteps } from "./semantic-equal.ts";
import { pausesOf } from "../counted-steps.ts";

const count = 50_000;
/** A pass over that many members pauses at least so often: once for each stride. */
const fewest = Math.floor(count / 4096);
const numbers = Array.from({ length: count }, (_, number) => number);
const map = (value: string): JsonObject => ({ data: Object.fromEntries(numbers.map((key) => [`k${key}`, value])) });
const mapsOf = (value: JsonValue): JsonObject => ({
  data: Object.fromEntries(numbers.map((key) => [`k${key}`, value])),
});
const pod = (value: string): JsonObject => ({
  spec: { containers: [{ name: "c", env: numbers.slice(0, count / 4).map((key) => ({ name: `E${key}`, value })) }] },
});
const fields = setOf(numbers.map((key) => ["f:data", `f:k${key}`]));

function schemaOf(kind: string) {
  const schema = mergeSchemaOf({ group: "", version: "v1", kind });
  assert.ok(schema !== undefined);
  return schema;
}

function compiled(properties: JsonObject) {
  const schema = compileSchema({ type: "object", properties });
  assert.ok(schema.ok);
  return schema.value;
}

const listOf = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "array", items, ...more });
const mapOf = (additionalProperties: JsonObject): JsonObject => ({ type: "object", additionalProperties });
const withDefault: JsonObject = { type: "object", properties: { a: { type: "string", default: "x" } } };
const embedded: JsonObject = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
};
const keyed = compiled({
  list: listOf(
    { type: "object", required: ["k"], properties: { k: { type: "integer" } } },
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
  ),
});
const items = (value: JsonValue): readonly JsonValue[] => numbers.map(() => value);
const keyedItems = numbers.map((k) => ({ k }));

const passes: Readonly<Record<string, () => Steps<unknown>>> = {
  deepEqualInSteps: () => deepEqualInSteps(map("x"), map("x")),
  checkTyped: () => checkTyped(map("x"), schemaOf("ConfigMap")),
  mergeTyped: () => mergeTyped(map("x"), map("y"), schemaOf("ConfigMap")),
  "mergeTyped of lists": () => mergeTyped(pod("x"), pod("y"), schemaOf("Pod")),
  removeFields: () => removeFields(map("x"), schemaOf("ConfigMap"), fields),
  dropEmptied: () => dropEmptied(map("x"), map("y"), schemaOf("ConfigMap")),
  withNamedFields: () => withNamedFields(fields, schemaOf("ConfigMap")),
  pathsOf: () => pathsOf(fields, new Strides()),
  mergePatchInSteps: () => mergePatchInSteps(map("x"), map("y")),
  applyStrategicMergePatch: () => applyStrategicMergePatch(map("x"), map("y"), schemaOf("ConfigMap")),
  "applyStrategicMergePatch of lists": () => applyStrategicMergePatch(pod("x"), pod("y"), schemaOf("Pod")),
  copyInSteps: () => copyInSteps(map("x")["data"] as JsonObject, new Strides()),
  validateUniqueLists: () =>
    validateUniqueLists(
      { set: numbers },
      compiled({ set: listOf({ type: "integer" }, { "x-kubernetes-list-type": "set" }) }),
    ),
  "pruneInSteps of known members": () => pruneInSteps(map("x"), compiled({ data: mapOf({ type: "string" }) })),
  "pruneInSteps of lists": () => pruneInSteps({ list: items({}) }, compiled({ list: listOf({ type: "object" }) })),
  "applyDefaultsInSteps of lists": () =>
    applyDefaultsInSteps({ list: items({}) }, compiled({ list: listOf(withDefault) })),
  "applyDefaultsInSteps of maps": () => applyDefaultsInSteps(mapsOf({}), compiled({ data: mapOf(withDefault) })),
  "dropNulls of lists": () => dropNulls({ list: items({}) }, compiled({ list: listOf({ type: "object" }) })),
  "dropNulls of maps": () => dropNulls(mapsOf(null), compiled({ data: mapOf({ type: "string" }) })),
  "validateOpenApiInSteps of lists": () =>
    validateOpenApiInSteps({ list: items("a") }, compiled({ list: listOf({ type: "string" }) })),
  "validateOpenApiInSteps of maps": () =>
    validateOpenApiInSteps(map("x"), compiled({ data: mapOf({ type: "string" }) })),
  prepareCorrelation: () => prepareCorrelation(keyed.properties.get("list") ?? keyed, keyedItems, new Strides()),
  "validateEmbeddedInSteps of lists": () =>
    validateEmbeddedInSteps({ list: items({}) }, compiled({ list: listOf(embedded) })),
  "validateEmbeddedInSteps of maps": () => validateEmbeddedInSteps(mapsOf({}), compiled({ data: mapOf(embedded) })),
};

test("each pass over tens of thousands of members pauses after each stride", () => {
  for (const [name, pass] of Object.entries(passes)) {
    let pauses = 0;
    for (const steps = pass(); steps.next().done !== true;) pauses++;
    assert.ok(pauses >= fewest, `${name}: ${pauses} pauses, not ${fewest}`);
  }
});

test("the pauses of a refusal grow with what is refused: unknown members are dropped and errors listed once", () => {
  const pausesOf = (pass: Steps<unknown>): number => {
    let pauses = 0;
    while (pass.next().done !== true) pauses++;
    return pauses;
  };
  const unknown = pausesOf(pruneInSteps(map("x"), compiled({ data: { type: "object", properties: {} } })));
  assert.ok(unknown >= 3 * fewest, `${unknown} pauses over the members, their copy and the order of their paths`);
  const numbered = compiled({ list: listOf({ type: "integer" }) });
  const valid = pausesOf(validateOpenApiInSteps({ list: numbers }, numbered));
  const wrong = pausesOf(validateOpenApiInSteps({ list: items("a") }, numbered));
  assert.ok(wrong >= valid + 2 * fewest, `${wrong} pauses with errors, ${valid} without`);
  const old = { list: items("a") };
  const kept = pausesOf(validateOpenApiInSteps({ list: items("a") }, numbered, { old }));
  assert.ok(kept >= 2 * valid + fewest, `${kept} pauses where nothing changed, ${valid} without errors`);
});

test("an item of a long map list is compared with its old one without a search through all of them", () => {
  const schema = compiled({
    list: listOf(
      { type: "object", required: ["k"], properties: { k: { type: "integer" }, v: { type: "integer" } } },
      { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
    ),
  });
  let reads = 0;
  const watched = numbers.map((k) => ({
    get k() {
      reads++;
      return k;
    },
    v: "wrong",
  }));
  const next = numbers.map((k) => ({ k, v: k === 7 ? "other" : "wrong" }));
  const errors = allSteps(validateOpenApiInSteps({ list: next }, schema, { old: { list: watched } }));
  assert.deepEqual(
    errors.map(({ field }) => field),
    ["list[7].v"],
  );
  const list = schema.properties.get("list") ?? schema;
  const twins = [{ k: 1, v: 1 }, "no object", { k: 1, v: 2 }, { v: 3 }];
  assert.deepEqual(correlatedItem(list, twins, { k: 1 }), { k: 1, v: 1 }, "the first of two");
  assert.deepEqual(correlatedItem(list, twins, {}), { v: 3 }, "both without the key");
  assert.equal(correlatedItem(list, twins, { k: 2 }), undefined);
  assert.ok(reads <= 4 * count, `${reads} reads of the keys of ${count} items`);
});

/** The most entries that one step adds to maps and sets. */
function mostAddedAtOnce(steps: Steps<unknown>): number {
  let [added, most] = [0, 0];
  const originals = [
    [Map.prototype, "set"],
    [Set.prototype, "add"],
  ] as const;
  const kept = originals.map(([of, name]) => Object.getOwnPropertyDescriptor(of, name));
  originals.forEach(([of, name], index) => {
    const original = kept[index]?.value as (...held: unknown[]) => unknown;
    Object.defineProperty(of, name, {
      ...kept[index],
      value(this: unknown, ...held: unknown[]) {
        added++;
        return original.apply(this, held);
      },
    });
  });
  try {
    for (let isOver = false; !isOver; most = Math.max(most, added)) {
      added = 0;
      isOver = steps.next().done === true;
    }
  } finally {
    originals.forEach(([of, name], index) => Object.defineProperty(of, name, kept[index] ?? {}));
  }
  return most;
}

test("the items of two set lists are compared without a copy of all of them in one step", () => {
  const schema = mergeSchemaOf({ group: "", version: "v1", kind: "ConfigMap" });
  assert.ok(schema !== undefined);
  const finalizers = (from: number): JsonObject => ({
    metadata: { finalizers: numbers.map((number) => `a.b/${number + from}`) },
  });
  const most = mostAddedAtOnce(compareTyped(finalizers(0), finalizers(10), schema));
  assert.ok(most > 0 && most <= 4 * 4096, `${most} entries in one step`);
  let pauses = 0;
  const again = compareTyped(finalizers(0), finalizers(10), schema);
  while (again.next().done !== true) pauses++;
  assert.ok(pauses <= (3.2 * 4 * count) / 4096, `${pauses} pauses: each item is grouped twice and compared once`);
  const { added, removed, modified } = allSteps(compareTyped(finalizers(0), finalizers(10), schema));
  const ends = [0, count].map((from) =>
    numbers.slice(0, 10).map((number) => `v:${JSON.stringify(`a.b/${from + number}`)}`),
  );
  const paths = (elements: readonly string[] = []) =>
    setOf(elements.map((each) => ["f:metadata", "f:finalizers", each]));
  assert.deepEqual(
    { added, removed, modified },
    { added: paths(ends[1]), removed: paths(ends[0]), modified: setOf([]) },
  );
});

test("the elements of a large field set are ordered as those of a small one: names, keys, values, places", () => {
  const elements = ["f:", 'k:{"a":', 'v:"', "i:"].flatMap((prefix) =>
    numbers.slice(0, 400).map((number) => `${prefix}${1000 + number}`),
  );
  const mixed = elements.toSorted((a, b) => (a.slice(-2) + a < b.slice(-2) + b ? -1 : 1));
  const encoded = allSteps(encodeFields(setOf(mixed.map((element) => [element])), new Strides()));
  assert.deepEqual(Object.keys(encoded), elements);
});

test("the keys of large managed fields are not listed again when the object is written", () => {
  const encoded = allSteps(
    encodeFields(setOf([["f:data"], ...numbers.map((key) => ["f:data", `f:k${key}`])]), new Strides()),
  );
  const kept = Object.getOwnPropertyDescriptor(Object, "keys");
  const { keys } = Object;
  let listed = 0;
  Object.defineProperty(Object, "keys", {
    ...kept,
    value: (object: object) => {
      if (object === encoded["f:data"]) listed++;
      return keys(object);
    },
  });
  let text = "";
  try {
    for (const piece of jsonInPieces(encoded, "")) text += piece;
  } finally {
    Object.defineProperty(Object, "keys", kept ?? {});
  }
  assert.equal(listed, 0);
  assert.equal(text, JSON.stringify(encoded));
});

const ruled = (properties: JsonObject, rules: readonly string[]): JsonObject => ({
  type: "object",
  properties,
  "x-kubernetes-validations": rules.map((rule) => ({ rule })),
});

test("a schema of thousands of properties, or of long rules in one place, is checked with pauses", () => {
  const properties = Object.fromEntries(numbers.slice(0, 10_000).map((key) => [`p${key}`, { type: "string" }]));
  assert.ok(pausesOf(checkSchema({ type: "object", properties }, "")) >= 10_000 / 128);
  const long = numbers.slice(0, 400).map((key) => `self.a != ${key}`);
  const rules = numbers.slice(0, 20).map((key) => [...long, `self.a != -${key}`].join(" && "));
  assert.ok(pausesOf(checkSchema(ruled({ a: { type: "integer" } }, rules), "")) >= rules.length);
  const defaults = Object.fromEntries(
    numbers.slice(0, 1000).map((key) => [`p${key}`, { type: "string", default: "x" }]),
  );
  assert.ok(pausesOf(checkSchema({ type: "object", properties: defaults }, "")) >= 1000);
});

test("rules of thousands of items, and costly ones, are evaluated with pauses", () => {
  const item = ruled({ a: { type: "integer" } }, ["self.a >= 0"]);
  const many = compiled({ list: listOf(item, { maxItems: 10_000 }) });
  const items = numbers.slice(0, 10_000).map((a) => ({ a }));
  const path = "";
  assert.ok(pausesOf(validateValueInSteps({ list: items }, many, { path })) >= 10 + 5);
  const costly = compiled({
    held: ruled(
      { list: listOf({ type: "integer" }, { maxItems: 1000 }) },
      numbers.slice(0, 20).map((key) => `self.list.all(x, x != -${key + 1})`),
    ),
  });
  const held = { list: numbers.slice(0, 1000) };
  const all = pausesOf(validateValueInSteps({ held }, costly, { path }));
  const none = pausesOf(validateValueInSteps({}, costly, { path }));
  assert.ok(all - none >= 4, `${all - none} pauses`);
});
