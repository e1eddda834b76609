import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import { buildSchema } from "../apply/build-schema.ts";
import { checkDefaults } from "./check-defaults.ts";
import { formatFieldError } from "../field-error.ts";
import { applyDefaults, dropNulls } from "./schema-defaults.ts";

const defaulted = { type: "object", properties: { d: { type: "string", default: "x" }, n: { type: "string" } } };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });

const rows: readonly (readonly [title: string, schema: JsonObject, value: JsonValue, result: JsonValue])[] = [
  [
    "members of a map",
    { type: "object", additionalProperties: defaulted },
    { a: {}, b: { d: "y" } },
    { a: { d: "x" }, b: { d: "y" } },
  ],
  [
    "null members of a map",
    { type: "object", additionalProperties: { type: "string", default: "x" } },
    { a: null },
    { a: "x" },
  ],
  [
    "a nullable member of a map stays null",
    { type: "object", additionalProperties: { type: "string", nullable: true, default: "x" } },
    { a: null },
    { a: null },
  ],
  [
    "items of a list, the others stay",
    { type: "array", items: defaulted },
    [{ d: "y" }, {}, 1],
    [{ d: "y" }, { d: "x" }, 1],
  ],
  ["null items of a list", { type: "array", items: { type: "string", default: "x" } }, [null, "a"], ["x", "a"]],
  ["null items without a default", { type: "array", items: defaulted }, [null], [null]],
  ["nothing inside an absent object", object({ o: defaulted }), {}, {}],
  ["inside a default", object({ o: { ...defaulted, default: { n: "n" } } }), {}, { o: { n: "n", d: "x" } }],
  ["no list where an object is expected", defaulted, "text", "text"],
];
for (const [title, schema, value, result] of rows)
  test(`defaults are set in ${title}`, () => assert.deepEqual(applyDefaults(value, buildSchema(schema)), result));

test("a value to which no default applies is returned itself", () => {
  const schemas: readonly (readonly [JsonObject, JsonValue])[] = [
    [defaulted, { d: "y" }],
    [{ type: "array", items: defaulted }, [{ d: "y" }]],
    [{ type: "array" }, [{}]],
    [{ type: "object", additionalProperties: defaulted }, { a: { d: "y" } }],
    [object({ p: {} }), {}],
  ];
  for (const [schema, value] of schemas) assert.equal(applyDefaults(value, buildSchema(schema)), value);
});

const nulls: readonly (readonly [title: string, schema: JsonObject, value: JsonValue, result: JsonValue])[] = [
  ["a member that is not nullable", object({ a: { type: "string" } }), { a: null, b: 1 }, { b: 1 }],
  ["no nullable member", object({ a: { type: "string", nullable: true } }), { a: null }, { a: null }],
  ["no member with a default", object({ a: { type: "string", default: "x" } }), { a: null }, { a: null }],
  ["no unknown member", object({ a: { type: "string" } }), { u: null }, { u: null }],
  ["a member of a map", { type: "object", additionalProperties: { type: "string" } }, { a: null, b: "b" }, { b: "b" }],
  ["a member of an item", { type: "array", items: object({ a: {} }) }, [1, { a: null }, { a: 1 }], [1, {}, { a: 1 }]],
  ["no item", { type: "array", items: object({ a: {} }) }, [null], [null]],
  [
    "a member of a list in a list",
    { type: "array", items: { type: "array", items: object({ a: {} }) } },
    [[{ a: null }]],
    [[{}]],
  ],
  ["a member of a member", object({ o: object({ a: {} }) }), { o: { a: null }, p: 1 }, { o: {}, p: 1 }],
];
for (const [title, schema, value, result] of nulls)
  test(`of nulls is dropped ${title}`, () => {
    const compiled = buildSchema(schema);
    const dropped = allSteps(dropNulls(value, compiled));
    assert.deepEqual(dropped, result);
    assert.equal(allSteps(dropNulls(dropped, compiled)), dropped);
  });

test("the default of a whole resource may have the members that every resource has", () => {
  const embedded = object({ spec: {} }, { default: { apiVersion: "v1", kind: "K", metadata: { name: "n" } } });
  assert.deepEqual(allSteps(checkDefaults(embedded, "S")).map(formatFieldError), []);
});

test("defaults of a schema are checked: unknown fields, types and rules, each at its place", () => {
  const wrong = object({
    unknown: { type: "object", properties: { a: {} }, default: { b: 1 } },
    type: { type: "array", items: object({ t: { type: "integer", default: "x" } }) },
    rule: {
      type: "integer",
      default: 1,
      "x-kubernetes-validations": [{ rule: "self > 1" }],
    },
    map: { type: "object", additionalProperties: { type: "integer", default: "x" } },
    grows: { type: "integer", default: 1, "x-kubernetes-validations": [{ rule: "self > oldSelf" }] },
    both: {
      type: "integer",
      default: 1,
      "x-kubernetes-validations": [{ rule: "oldSelf.hasValue()", optionalOldSelf: true, message: "only on update" }],
    },
    known: { type: "object", properties: { a: {} }, default: { a: 1 } },
    inner: object({ d: { type: "string", default: "ok" }, e: { type: "string", default: 1 } }, { default: {} }),
  });
  assert.deepEqual(allSteps(checkDefaults(wrong, "S")).map(formatFieldError), [
    'S.properties[unknown].default: Invalid value: {"b":1}: must not have unknown fields',
    'S.properties[type].items.properties[t].default: Invalid value: "string":  in body must be of type integer: "string"',
    "S.properties[rule].default: Invalid value: 1: failed rule: self > 1",
    "S.properties[grows].default: Invalid value: 1: failed rule: self > oldSelf",
    "S.properties[both].default: Invalid value: 1: only on update",
    'S.properties[inner].properties[e].default: Invalid value: "integer":  in body must be of type string: "integer"',
  ]);
});
