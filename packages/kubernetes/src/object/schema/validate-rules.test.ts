import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../../json.ts";
import { buildSchema } from "../apply/build-schema.ts";
import { formatFieldError } from "../field-error.ts";
import { validateValue } from "./validate.ts";

const ruled = (schema: JsonObject, ...rules: readonly JsonObject[]): JsonObject => ({
  ...schema,
  "x-kubernetes-validations": rules,
});
const integer = (...rules: readonly JsonObject[]): JsonObject => ruled({ type: "integer" }, ...rules);
const object = (properties: JsonObject, ...rules: readonly JsonObject[]): JsonObject =>
  ruled({ type: "object", properties }, ...rules);

interface Case {
  readonly title: string;
  readonly schema: JsonObject;
  readonly value: JsonValue;
  readonly old?: JsonValue;
  readonly errors: readonly string[];
  readonly tolerated?: readonly string[];
}

const large = { rule: "self > 1" };
const grows = { rule: "self > oldSelf" };
const failed = "Invalid value: 1: failed rule: self > 1";
const shrunk = "Invalid value: 1: failed rule: self > oldSelf";
const reasons = ["FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid"];
const noOverload =
  "'no such overload': call arguments did not match a supported operator, function or macro signature for rule:";

const cases: readonly Case[] = [
  {
    title: "a rule without a message is shown without its margins",
    schema: object({ f: integer({ rule: " self > 1 " }) }),
    value: { f: 1 },
    errors: [`f: ${failed}`],
  },
  {
    title: "a message is shown without its margins",
    schema: object({ f: integer({ rule: "self > 1", message: " too small " }) }),
    value: { f: 1 },
    errors: ["f: Invalid value: 1: too small"],
  },
  {
    title: "a list and an object are not shown, and a field path names the place below the object",
    schema: object({
      l: ruled({ type: "array", items: { type: "integer" } }, { rule: "size(self) > 1", message: "m" }),
      o: object({ a: { type: "integer" } }, { rule: "self.a > 1", message: "m", fieldPath: ".a" }),
    }),
    value: { l: [1], o: { a: 1 } },
    errors: ["l: Invalid value: m", "o.a: Invalid value: m"],
  },
  {
    title: "a rule of the root names its field path without the dot, and <nil> without one",
    schema: object(
      { f: { type: "integer" } },
      { rule: "self.f > 1", message: "m", fieldPath: ".f" },
      { rule: "self.f > 2", message: "n" },
    ),
    value: { f: 1 },
    errors: ["f: Invalid value: m", "<nil>: Invalid value: n"],
  },
  {
    title: "the reason decides the form of the error",
    schema: object({ f: integer(...reasons.map((reason) => ({ rule: "self > 1", message: "m", reason }))) }),
    value: { f: 1 },
    errors: ["f: Forbidden: m", "f: Required value: m", "f: Duplicate value: 1", "f: Invalid value: 1: m"],
  },
  {
    title: "a message expression is used when it gives one line of at most 5120 characters",
    schema: object({
      f: integer(
        ...[
          "' got ' + string(self) + ' '",
          "'a\\nb'",
          "' '",
          "string(self / 0)",
          `'${"x".repeat(5120)}'`,
          `'${"x".repeat(5121)}'`,
        ].map((messageExpression) => ({ rule: "self > 1", message: " m ", messageExpression })),
      ),
    }),
    value: { f: 1 },
    errors: ["got 1", "m", "m", "m", "x".repeat(5120), "m"].map((text) => `f: Invalid value: 1: ${text}`),
  },
  {
    title: "a rule that does not compile is reported with the compiler's text",
    schema: object({ f: integer({ rule: "other > 1" }) }),
    value: { f: 1 },
    errors: [
      `f: Invalid value: "integer": rule compile error: ERROR: <input>:1:1: undeclared reference to 'other' (in container '')\n | other > 1\n | ^`,
    ],
  },
  {
    title: "a failing evaluation names the message, or the rule without one",
    schema: object({ f: integer({ rule: "1 / self > 1", message: " m " }, { rule: " 1 / self > 1 " }) }),
    value: { f: 0 },
    errors: ["m", "1 / self > 1"].map(
      (name) => `f: Invalid value: "integer": division by zero evaluating rule: ${name}`,
    ),
  },
  {
    title: "a missing overload is explained",
    schema: object({ f: ruled({ "x-kubernetes-int-or-string": true }, large) }),
    value: { f: "a" },
    errors: [`f: Invalid value: "": ${noOverload} self > 1`],
  },
  {
    title: "rules are not evaluated for null, blank rules never",
    schema: object({ f: { ...integer(large), nullable: true }, g: integer({ rule: " " }, large) }),
    value: { f: null, g: 1 },
    errors: [`g: ${failed}`],
  },
  {
    title: "members of maps and items of lists have their own place",
    schema: object({
      m: { type: "object", additionalProperties: integer(large) },
      l: { type: "array", items: integer(large) },
    }),
    value: { m: { a: 2, b: 1 }, l: [2, 1] },
    errors: [`m[b]: ${failed}`, `l[1]: ${failed}`],
  },
  {
    title: "errors of limits do not keep rules from being evaluated",
    schema: object({ f: integer(large), g: { minimum: 2 } }),
    value: { f: 1, g: 1 },
    errors: ["g: Invalid value: 1: g in body should be greater than or equal to 2", `f: ${failed}`],
  },
  {
    title: "one error of types keeps all rules from being evaluated",
    schema: object({ f: integer(large), g: { minimum: 2 }, h: { maxLength: 0 } }),
    value: { f: 1, g: 1, h: "x" },
    errors: [
      "g: Invalid value: 1: g in body should be greater than or equal to 2",
      "h: Too long: may not be more than 0 bytes",
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ],
  },
  {
    title: "a transition rule is not evaluated for a new value",
    schema: object({ f: integer(grows) }),
    value: { f: 1 },
    errors: [],
  },
  {
    title: "a transition rule is evaluated for an unchanged value",
    schema: object({ f: integer(grows) }),
    value: { f: 1 },
    old: { f: 1 },
    errors: [`f: ${shrunk}`],
  },
  {
    title: "a transition rule is not evaluated where the stored value was null or of another shape",
    schema: object({ f: { ...integer(grows), nullable: true }, g: object({ a: integer(grows) }) }),
    value: { f: 1, g: { a: 1 } },
    old: { f: null, g: [1] },
    errors: [],
  },
  {
    title: "an optional old value is absent for a new value",
    schema: object({ f: integer({ rule: "oldSelf.hasValue()", message: "new", optionalOldSelf: true }) }),
    value: { f: 1 },
    errors: ["f: Invalid value: 1: new"],
  },
  {
    title: "an optional old value is the stored one",
    schema: object({ f: integer({ rule: "oldSelf.orValue(9) > 5", message: "small", optionalOldSelf: true }) }),
    value: { f: 1 },
    old: { f: 4 },
    errors: ["f: Invalid value: 1: small"],
  },
  {
    title: "a failing rule of an unchanged value is tolerated, that of a changed one is not",
    schema: object({ f: integer(large), g: integer(large) }),
    value: { f: 1, g: 1 },
    old: { f: 1, g: 0 },
    errors: [`g: ${failed}`],
    tolerated: [`f: ${failed}`],
  },
  {
    title: "members of atomic maps and items of atomic lists have no stored value",
    schema: object({
      m: { ...object({ a: integer(grows) }), "x-kubernetes-map-type": "atomic" },
      l: { type: "array", items: object({ v: integer(grows) }) },
    }),
    value: { m: { a: 1 }, l: [{ v: 1 }] },
    old: { m: { a: 1 }, l: [{ v: 1 }] },
    errors: [],
  },
  {
    title: "items of map lists are found by their keys",
    schema: object({
      l: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: object({ k: { type: "integer" }, v: integer(grows) }),
      },
    }),
    value: {
      l: [
        { k: 2, v: 1 },
        { k: 1, v: 1 },
      ],
    },
    old: {
      l: [
        { k: 1, v: 1 },
        { k: 3, v: 1 },
      ],
    },
    errors: [`l[1].v: ${shrunk}`],
  },
  {
    title: "the root may read the names of its metadata, its kind and its version",
    schema: ruled(
      { type: "object" },
      {
        rule: "self.metadata.name == 'a' && has(self.metadata.generateName) && self.kind == 'K' && self.apiVersion == 'v'",
      },
    ),
    value: { apiVersion: "v", kind: "K", metadata: { name: "a", generateName: "b" } },
    errors: [],
  },
];
for (const { title, schema, value, old, errors, tolerated = [] } of cases)
  test(title, () => {
    const notes: string[] = [];
    const found = validateValue(value, buildSchema(schema), {
      old,
      onTolerated: (error) => notes.push(formatFieldError(error)),
    });
    assert.deepEqual([found.map(formatFieldError), notes], [errors, tolerated]);
    // Without anybody to report to, the same.
    assert.deepEqual(validateValue(value, buildSchema(schema), { old }), found);
  });

test("earlier errors of types keep rules from being evaluated", () => {
  const schema = buildSchema(object({ f: integer(large) }));
  const earlier = [{ type: "FieldValueRequired", field: "metadata.name", detail: "" }] as const;
  assert.deepEqual(validateValue({ f: 1 }, schema, { earlier }).map(formatFieldError), [
    "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
  ]);
});
