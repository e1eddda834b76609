import assert from "node:assert/strict";
import { test } from "node:test";
import { compareQuantities, parseQuantity, type Quantity } from "./quantity.ts";

function quantity(text: string): Quantity {
  const read = parseQuantity(text);
  assert.ok(read.ok, text);
  return read.value;
}

const ascending: readonly string[] = [
  "-1Ki",
  "-1k",
  "-1m",
  "0",
  "1n",
  "1u",
  "1m",
  "999m",
  "1",
  "1k",
  "1Ki",
  "1M",
  "1Mi",
  "1e9",
];
test("quantities are ordered by amount, whatever their suffixes", () => {
  const shuffled = [...ascending.slice(7), ...ascending.slice(0, 7)].toReversed();
  assert.deepEqual(
    shuffled.toSorted((left, right) => compareQuantities(quantity(left), quantity(right))),
    ascending,
  );
});

for (const [left, right] of [
  ["1", "1000m"],
  ["1Ki", "1024"],
  ["1k", "1e3"],
  ["1.5", "1500m"],
  ["0.1n", "1n"],
] as const)
  test(`${left} and ${right} are the same amount`, () => {
    assert.equal(compareQuantities(quantity(left), quantity(right)), 0);
    assert.equal(compareQuantities(quantity(right), quantity(left)), 0);
  });

test("texts that are no quantities are refused in Kubernetes' words", () => {
  const problem = (text: string): string => {
    const read = parseQuantity(text);
    return read.ok ? "" : read.problem;
  };
  const malformed = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  assert.deepEqual(
    ["", "a", "1Qi", "1 k", "1kk"].map(problem).map((text) => (text === malformed ? "malformed" : text)),
    ["malformed", "malformed", "malformed", "malformed", "unable to parse quantity's suffix"],
  );
});
