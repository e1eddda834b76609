import assert from "node:assert/strict";
import { test } from "node:test";
import { repetitions } from "./repetitions.ts";

test("every item after an equal one is a repetition", () => {
  assert.deepEqual([...repetitions(["a", "b", "a", "", "a", ""])], [2, 4, 5]);
  assert.deepEqual([...repetitions([])], []);
});

test("each item is read once", () => {
  let reads = 0;
  const items = new Proxy(
    Array.from({ length: 500 }, (_, index) => `v${index}`),
    {
      get(target, key, receiver): unknown {
        if (typeof key === "string" && /^\d+$/.test(key)) reads++;
        return Reflect.get(target, key, receiver);
      },
    },
  );
  assert.equal(repetitions(items).size, 0);
  assert.equal(reads, 500);
});
