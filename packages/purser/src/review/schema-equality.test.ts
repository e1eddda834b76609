import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { sameMember, sameMembers, schemaDifference } from "./schema-equality.ts";

const rows: readonly (readonly [
  name: string,
  old: JsonValue | undefined,
  next: JsonValue | undefined,
  same: boolean,
])[] = [
  ["default", {}, undefined, false],
  ["default", [], {}, false],
  ["default", { a: [] }, { a: [] }, true],
  ["example", null, undefined, false],
  ["properties", {}, undefined, true],
  ["required", undefined, [], true],
  ["required", ["a"], undefined, false],
  ["required", ["a", "b"], ["b", "a"], false],
  ["required", ["a"], ["a", "b"], false],
  ["required", ["a", "b"], ["a", "b"], true],
  ["items", {}, undefined, false],
  ["items", {}, {}, true],
  ["items", { properties: {} }, {}, true],
  ["items", {}, { required: [] }, true],
  ["items", {}, { type: "string" }, false],
  ["items", { type: "string" }, {}, false],
  ["items", {}, [], false],
  ["items", { properties: { properties: {} } }, { properties: {} }, false],
  ["items", { properties: { required: {} } }, { properties: { required: {} } }, true],
  ["items", { properties: { default: { required: [] } } }, { properties: { default: {} } }, true],
  ["properties", { enum: {} }, {}, false],
  ["type", "string", "string", true],
  ["type", "string", "integer", false],
  ["type", undefined, undefined, true],
  ["allOf", [{ enum: [] }], [{}], true],
  ["allOf", [{ enum: ["a"] }], [{}], false],
];
for (const name of [
  "allOf",
  "anyOf",
  "oneOf",
  "enum",
  "required",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-validations",
])
  test(`an empty list ${name} means as much as none`, () => assert.ok(sameMember(name, [], undefined)));
for (const name of ["properties", "patternProperties", "definitions", "dependencies"])
  test(`an empty map ${name} means as much as none`, () => assert.ok(sameMember(name, undefined, {})));
for (const [name, old, next, same] of rows)
  test(`${name} ${JSON.stringify(old)} and ${JSON.stringify(next)} mean ${same ? "the same" : "something else"}`, () => {
    assert.equal(sameMember(name, old, next), same);
    assert.equal(sameMember(name, next, old), same);
  });

test("members that are ignored may differ, on both sides", () => {
  const ignored = new Set(["description"]);
  assert.ok(sameMembers({ description: "a" }, {}, ignored));
  assert.ok(sameMembers({}, { description: "a" }, ignored));
  assert.ok(!sameMembers({ description: "a", type: "string" }, {}, ignored));
  assert.ok(!sameMembers({}, { description: "a", type: "string" }, ignored));
});

const differences: readonly (readonly [old: JsonObject, next: JsonObject, text: string])[] = [
  [{ type: "string" }, { type: "string", required: [] }, "null"],
  [{ type: "string" }, { type: "integer" }, '{"type":["string","integer"]}'],
  [{ b: 1, a: 1 }, { a: 2, c: 3 }, '{"a":[1,2],"b":[1,null],"c":[null,3]}'],
  [
    { properties: { a: { type: "b", x: 1 } } },
    { properties: { a: { type: "c", x: 1 } } },
    '{"properties":{"a":{"type":["b","c"]}}}',
  ],
  [{ default: { a: 1 } }, { default: { a: 2 } }, '{"default":[{"a":1},{"a":2}]}'],
  [{ enum: ["a"] }, { enum: ["b"] }, '{"enum":[["a"],["b"]]}'],
];
for (const [old, next, text] of differences)
  test(`the difference of ${JSON.stringify(old)} and ${JSON.stringify(next)} is ${text}`, () =>
    assert.equal(schemaDifference(old, next), text));
