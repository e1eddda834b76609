import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isJsonObject, type JsonValue } from "../json.ts";
import { canonicalJson, doubleJson, goJson } from "./go-json.ts";
import { exactInteger } from "./go-number.ts";
import { compareBytes } from "./members.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "B", "0", "1", "<", "\\", "ud", "\u2028", "\ud83d\ude00", "\uffff"),
});
const loneSurrogate = fc.constantFrom("\ud800", "a\udc00", "\\ud800");
const key = fc.oneof(
  { weight: 6, arbitrary: text },
  fc.constantFrom("__proto__", "constructor", "toJSON", "10", "9", "01", "4294967295"),
  loneSurrogate,
);
const scalar = fc.oneof(
  { weight: 6, arbitrary: text },
  fc.constantFrom<JsonValue>(null, true, false, 0, -0, 1e21, 1e-7, 0.1, 123456789012345680000),
  fc.constantFrom("9007199254740993", "-123456789012345678901234567890").map(exactInteger),
  loneSurrogate,
);
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map(fromMembers),
  ),
})).value;

/** Also sets `__proto__` as an own member. */
function fromMembers(members: readonly (readonly [string, JsonValue])[]): JsonValue {
  return Object.fromEntries(members);
}

/** Reference implementation of Go's encoder, member by member. */
function written(value: JsonValue, doubles: boolean): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => written(item, doubles)).join(",")}]`;
  if (typeof value === "string")
    return JSON.stringify(value.toWellFormed()).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  if (Object.is(value, -0)) return "-0";
  if (!isJsonObject(value)) return doubles ? JSON.stringify(JSON.parse(JSON.stringify(value))) : JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => compareBytes(a, b));
  return `{${members.map(([name, item]) => `${written(name, doubles)}:${written(item ?? null, doubles)}`).join(",")}}`;
}

test("values with any keys, characters and numbers are encoded as in Go", () => {
  fc.assert(
    fc.property(value, (each) => {
      const before = JSON.stringify(each);
      assert.equal(canonicalJson(each), written(each, false));
      assert.equal(doubleJson(each), written(each, true));
      assert.equal(goJson(each), written(each, false).replaceAll("<", "\\u003c"));
      assert.equal(JSON.stringify(each), before);
    }),
    { numRuns: 1000 },
  );
});

test("keys that look like numbers are in byte order", () => {
  assert.equal(canonicalJson({ b: 1, "10": 2, "9": 3, a: 4, "": 5 }), '{"":5,"10":2,"9":3,"a":4,"b":1}');
  assert.equal(canonicalJson({ z: { "1": [{ b: 1, a: 2 }] } }), '{"z":{"1":[{"a":2,"b":1}]}}');
});
