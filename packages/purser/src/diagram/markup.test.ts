import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeMarkup, shortened, textWidth, wrapText } from "./markup.ts";

for (const [text, escaped] of [
  [`a & <b> "c" 'd'`, "a &amp; &lt;b&gt; &quot;c&quot; &#39;d&#39;"],
  ["a\tb\nc\rd", "a b c d"],
  ["a\u0000b\u202ec\u2066d\ufffee\uffff", "a\ufffdb\ufffdc\ufffdd\ufffde\ufffd"],
  ["a\ud800b", "a\ufffdb"],
  ["", ""],
] as const)
  test(`${JSON.stringify(text)} is written as ${JSON.stringify(escaped)}`, () =>
    assert.equal(escapeMarkup(text), escaped));

for (const [text, width] of [
  ["", 0],
  ["i", 4],
  ["a", 6],
  ["A", 7],
  ["m1", 14],
  ["漢", 10],
  ["\u2e80", 6],
  ["\u2e81", 10],
  ["a-b", 16],
] as const)
  test(`"${text}" is ${width} pixels wide at 10`, () => assert.equal(textWidth(text, 10), width));

test("a text is broken between words where it is wider, and a word stays whole", () => {
  assert.deepEqual(wrapText("aa bb cc", 10, 28), ["aa bb", "cc"]);
  assert.deepEqual(wrapText("aa bb cc", 10, 27), ["aa", "bb", "cc"]);
  assert.deepEqual(wrapText("aaaaaaaa b", 10, 10), ["aaaaaaaa", "b"]);
  assert.deepEqual(wrapText("", 10, 10), [""]);
});

for (const [most, text] of [
  [6, "abcdef"],
  [5, "ab…ef"],
  [4, "ab…f"],
  [3, "a…f"],
] as const)
  test(`"abcdef" in ${most} characters is "${text}"`, () => assert.equal(shortened("abcdef", most), text));
