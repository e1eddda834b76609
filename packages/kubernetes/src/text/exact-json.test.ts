import assert from "node:assert/strict";
import { test } from "node:test";
import { exactCopy, exactJson, parseJson } from "./documents.ts";

const exact = parseJson("12345678901234567890", true);

test("a JSON text keeps negative zeros and the digits of integers, and is JSON.stringify's for all else", () => {
  const rows: readonly (readonly [value: Parameters<typeof exactJson>[0], text: string])[] = [
    [null, "null"],
    [0, "0"],
    [-0, "-0"],
    [[], "[]"],
    [[0, -0, 1.5], "[0,-0,1.5]"],
    [{ b: -0, a: "x\n" }, '{"b": -0,"a": "x\\n"}'],
    [{ b: { c: [null, true, { d: -0 }] }, a: {} }, '{"b": {"c": [null,true,{"d": -0}]},"a": {}}'],
    [{ b: undefined, a: "<&>" }, '{"a":"<&>"}'],
    [{ a: exact }, '{"a":12345678901234567890}'],
    [{ a: exact, b: -0 }, '{"a": 12345678901234567890,"b": -0}'],
  ];
  for (const [value, text] of rows) assert.equal(exactJson(value), text);
});

test("a copy has the same values and no part of the original", () => {
  for (const value of [
    { a: [1, { b: "c" }] },
    { a: [-0] },
    { a: { b: [exact] } },
    [exact, -0],
    -0,
    exact,
    "text",
    null,
  ]) {
    const copy = exactCopy(value);
    assert.equal(exactJson(copy), exactJson(value));
    if (typeof value === "object" && value !== null && value !== exact) assert.notEqual(copy, value);
  }
  const original = { a: { b: [-0, exact] } };
  const copy = exactCopy(original) as typeof original;
  assert.notEqual(copy.a.b, original.a.b);
  assert.ok(Object.is(copy.a.b[0], -0));
});
