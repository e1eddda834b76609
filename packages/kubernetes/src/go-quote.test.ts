import assert from "node:assert/strict";
import { test } from "node:test";
import { goQuote } from "./go-quote.ts";

const cases: readonly (readonly [string, string])[] = [
  ["", `""`],
  [`say "hi" \\ there`, `"say \\"hi\\" \\\\ there"`],
  ["\u0007\b\t\n\v\f\r", `"\\a\\b\\t\\n\\v\\f\\r"`],
  ["\u0000\u001b\u007f", `"\\x00\\x1b\\x7f"`],
  ["ä 日 😀", `"ä 日 😀"`],
  ["\u00a0\u2028\ufeff", `"\\u00a0\\u2028\\ufeff"`],
  ["\u{e0001}", `"\\U000e0001"`],
];

for (const [text, quoted] of cases)
  test(`${JSON.stringify(text)} is quoted as Go quotes it`, () => assert.equal(goQuote(text), quoted));
