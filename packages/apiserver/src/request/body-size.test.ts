import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@purser/kubernetes/json";
import { textSize } from "./body-size.ts";

const values: readonly (readonly [what: string, value: JsonValue])[] = [
  ["a long text", "x".repeat(10_000)],
  ["many small members", Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key-${index}`, index]))],
  ["many texts", Array.from({ length: 1000 }, (_, index) => `text ${index}`)],
  ["what lies deep", { a: { b: [{ c: ["x".repeat(500)], d: null }] } }],
];
for (const [what, value] of values)
  test(`the size of ${what} is about that of its text`, () => {
    const size = textSize(value, Infinity);
    const { length } = JSON.stringify(value);
    assert.ok(size > length * 0.7 && size < length * 1.5 + 16, `${size} for ${length}`);
  });

test("counting ends at the limit, however large the rest is", () => {
  let reads = 0;
  const items = Array.from({ length: 1000 }, () => ({
    get text() {
      reads++;
      return "x".repeat(100);
    },
  }));
  assert.equal(textSize(items, 1000), 1000);
  assert.ok(reads <= 10, `${reads} were read`);
});
