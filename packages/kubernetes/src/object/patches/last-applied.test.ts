import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../json.ts";
import { allSteps, Strides } from "../../steps.ts";
import { mergeSchemaOf } from "../apply/builtin-merge-schemas.ts";
import { encodeFields } from "../apply/field-set.ts";
import { lastAppliedFields, syncLastApplied } from "./last-applied.ts";

const schema = mergeSchemaOf({ group: "", version: "v1", kind: "ConfigMap" });
assert.ok(schema !== undefined);
const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const head = { apiVersion: "v1", kind: "ConfigMap" };
const noted = (text: string, more: JsonObject = {}): JsonObject => ({
  ...head,
  metadata: { name: "x", annotations: { [annotation]: text } },
  ...more,
});

function fieldsOf(live: JsonObject, manager = "kubectl"): unknown {
  const found = allSteps(lastAppliedFields(live, { manager, apiVersion: "v1", schema: schema ?? assert.fail() }));
  return found === undefined ? undefined : allSteps(encodeFields(found, new Strides()));
}

const before = JSON.stringify({ ...head, data: { a: "1", b: "2", c: "3" } });

test("kubectl takes over the fields of its annotation that are unchanged in the live object", () => {
  assert.deepEqual(fieldsOf(noted(before, { data: { a: "1", b: "changed", d: "4" } })), {
    "f:apiVersion": {},
    "f:kind": {},
    "f:data": { "f:a": {} },
  });
});

const none: readonly (readonly [title: string, live: JsonObject, manager?: string])[] = [
  ["another manager", noted(before, { data: { a: "1" } }), "other"],
  ["an object without annotations", { ...head, metadata: { name: "x" } }],
  ["an object without metadata", head],
  ["an annotation that is no text", { ...head, metadata: { annotations: { [annotation]: 1 } } }],
  ["an empty annotation", noted("")],
  ["an annotation that is no JSON", noted("{")],
  ["an annotation that is a list", noted("[]")],
  ["another version", noted(before.replace('"v1"', '"v2"'))],
  ["another kind", noted(before.replace("ConfigMap", "Secret"))],
  ["fields that do not fit the type", noted(JSON.stringify({ ...head, data: "x" }))],
];
for (const [title, live, manager] of none)
  test(`nothing is taken over for ${title}`, () => assert.equal(fieldsOf(live, manager), undefined));

test("an apply by kubectl writes what was applied into the annotation, without the annotation itself", () => {
  const applied = { ...head, metadata: { name: "x", annotations: { [annotation]: "old", team: "a" } } };
  const synced = syncLastApplied(applied, "kubectl", noted("old", { data: { a: "1" } }));
  const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"team":"a"},"name":"x"}}\n';
  assert.deepEqual(synced, noted(text, { data: { a: "1" } }));
  assert.equal(syncLastApplied(applied, "kubectl", synced), synced);
});

test("metadata of an apply loses annotations that were nothing but the annotation", () => {
  const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}\n';
  assert.deepEqual(syncLastApplied(noted("old"), "kubectl", noted("old")), noted(text));
  assert.deepEqual(syncLastApplied({ ...head, metadata: { name: "x" } }, "kubectl", noted("old")), noted(text));
});

test("an object without the annotation, and one of another manager, stay as they are", () => {
  const plain = { ...head, metadata: { name: "x" } };
  assert.equal(syncLastApplied(plain, "kubectl", plain), plain);
  const other = noted("old");
  assert.equal(syncLastApplied(plain, "other", other), other);
});
