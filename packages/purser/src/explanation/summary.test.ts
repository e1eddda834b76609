import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, listOf, shellWord, sizeText, summaryOf } from "./summary.ts";

test("a summary is cut behind its limit only, and the cut is shown", () => {
  assert.equal(summaryOf("a".repeat(200)), "a".repeat(200));
  assert.equal(summaryOf("a".repeat(201)), `${"a".repeat(199)}…`);
});

for (const [names, count, joint, text] of [
  [[], 3, "and", ""],
  [["a"], 3, "and", "a"],
  [["a", "b"], 3, "and", "a and b"],
  [["a", "b", "c"], 3, "or", "a, b or c"],
  [["a", "b", "c"], 2, "and", "a, b and 1 more"],
  [["a", "b", "c"], 1, "or", "a or 2 more"],
] as const)
  test(`${names.length} names, at most ${count}: "${text}"`, () => assert.equal(listOf(names, count, joint), text));

for (const [text, word] of [
  ["a-1_b.c/d:e@f=g,h+i", "a-1_b.c/d:e@f=g,h+i"],
  ["a b", "'a b'"],
  ["", "''"],
  ["it's", "'it'\\''s'"],
  ["a*", "'a*'"],
  ["$a", "'$a'"],
] as const)
  test(`the word "${text}" is written as ${word}`, () => assert.equal(shellWord(text), word));

test("sizes and counts", () => {
  assert.deepEqual([0, 1, 1024, 1025, 1024 * 1024 - 1, 1024 * 1024, 3.25 * 1024 * 1024].map(sizeText), [
    "0 KiB",
    "1 KiB",
    "1 KiB",
    "2 KiB",
    "1024 KiB",
    "1.0 MiB",
    "3.3 MiB",
  ]);
  assert.deepEqual([counted(0, "b"), counted(1, "b"), counted(2, "b")], ["0 bs", "1 b", "2 bs"]);
});
