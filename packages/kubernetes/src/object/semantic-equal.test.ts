import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../json.ts";
import { allSteps } from "../steps.ts";
import { deepEqual, deepEqualInSteps, semanticEqual } from "./semantic-equal.ts";

const limits = (cpu: string | number) => ({ resources: { limits: { cpu } } });

test("amounts in maps of quantities are equal however they are written", () => {
  assert.equal(semanticEqual(limits("1"), limits("1000m")), true);
  assert.equal(semanticEqual(limits(1), limits("1")), true);
  assert.equal(semanticEqual(limits("1"), limits("1001m")), false);
});

test("texts elsewhere that are equal as amounts differ", () => {
  assert.equal(semanticEqual({ value: "1" }, { value: "1000m" }), false);
});

test("wide values are compared as narrow ones are", () => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => index);
  const other = numbers.with(-1, 0);
  const map = (of: readonly number[]): JsonObject => Object.fromEntries(of.map((value, index) => [`k${index}`, value]));
  const same = (a: JsonValue, b: JsonValue): boolean => allSteps(deepEqualInSteps(a, b));
  assert.equal(same(numbers, [...numbers]), true);
  assert.equal(same(numbers, other), false);
  assert.equal(same(numbers, numbers.slice(1)), false);
  assert.equal(same(numbers, [...numbers, 0]), false);
  assert.equal(same(numbers, map(numbers)), false);
  assert.equal(same(map(numbers), numbers), false);
  assert.equal(same(map(numbers), map(numbers)), true);
  assert.equal(same(map(numbers), map(other)), false);
  assert.equal(same(map(numbers), map([...numbers, 0])), false);
  assert.equal(same(map([...numbers, 0]), map(numbers)), false);
  assert.equal(same({ ...map(numbers), a: undefined as never }, map(numbers)), true);
  assert.equal(same(map(numbers), { ...map(numbers), a: undefined as never }), true);
  assert.equal(same({ ...map(numbers), a: 1 }, { ...map(numbers), b: 1 }), false);
  assert.equal(same({ ...map(numbers), a: { b: [1] } }, { ...map(numbers), a: { b: [1] } }), true);
  assert.equal(same({ ...map(numbers), a: { b: [1] } }, { ...map(numbers), a: { b: [2] } }), false);
  const keyed = Object.fromEntries(numbers.entries()) as JsonObject;
  assert.equal(same(keyed, numbers), false);
  assert.equal(same(numbers, keyed), false);
  assert.equal(same([numbers], [other]), false);
  assert.equal(same(numbers, 1), false);
  assert.equal(same(numbers, null), false);
});

test("an undefined member is absent, one more member on either side is a difference", () => {
  const none = undefined as never;
  const table: readonly (readonly [JsonValue, JsonValue, boolean])[] = [
    [{ a: 1, b: none }, { a: 1 }, true],
    [{ a: 1 }, { b: none, a: 1 }, true],
    [{ a: 1, b: none }, { a: 1, c: none }, true],
    [{ a: 1, b: none }, { a: 1, c: 2 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, false],
    [[1], [1, 2], false],
    [["a"], { 0: "a" }, false],
    [JSON.parse('{"__proto__":{"a":1}}') as JsonValue, {}, false],
    [JSON.parse('{"__proto__":{"a":1}}') as JsonValue, JSON.parse('{"__proto__":{"a":1}}') as JsonValue, true],
  ];
  for (const [a, b, expected] of table) assert.equal(deepEqual(a, b), expected, JSON.stringify([a, b]));
});
