import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionText } from "./condition-text.ts";
import type { Explanation } from "./explanation.ts";

const explained = (summary: string, ...remedies: Explanation["remedies"]): Explanation => ({
  code: "PackageNotFound",
  summary,
  facts: {},
  derivation: [],
  remedies,
});

const rows: readonly (readonly [explanation: Explanation, text: string])[] = [
  [explained("there is none"), "there is none"],
  [explained("there is none", { summary: "Take another" }), "there is none. Take another"],
  [
    explained("there is none; did you mean b?", { summary: "Take b", command: "purser install b" }),
    "there is none; did you mean b? Take b: purser install b",
  ],
];
for (const [explanation, text] of rows)
  test(`a condition shows "${text}"`, () => assert.equal(conditionText(explanation), text));

test("a condition shows at most 1 KiB, cut at a character", () => {
  const text = conditionText(explained("ä".repeat(600), { summary: "Take another" }));
  assert.ok(Buffer.byteLength(text) <= 1024, text);
  assert.match(text, /^ä+…$/);
});
