import assert from "node:assert/strict";
import { test } from "node:test";
import { fnv1a64 } from "./digest.ts";

// Vectors of the algorithm's authors.
const vectors: readonly (readonly [text: string, hash: string])[] = [
  ["", "cbf29ce484222325"],
  ["a", "af63dc4c8601ec8c"],
  ["foobar", "85944171f73967e8"],
  ["chongo was here!\n", "46810940eff5f915"],
];
for (const [text, hash] of vectors)
  test(`FNV-1a of ${JSON.stringify(text)} is ${hash}`, () => assert.equal(fnv1a64(text), hash));

test("FNV-1a of any text is what arithmetic without halves makes of it", () => {
  for (let length = 1; length < 200; length++) {
    const text = "é~".repeat(length);
    let hash = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(text))
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    assert.equal(fnv1a64(text), hash.toString(16));
  }
});
