import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionText, partsOfConditionText } from "./condition-text.ts";
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

for (const summary of ["CRD a.b.c belongs to ext. It is in use", "there is none; did you mean b?"])
  test(`a condition's text is taken apart into the sentence and the remedy: ${summary}`, () => {
    const remedy = { summary: "Release its objects", command: "kubectl delete clusterextension ext --cascade=orphan" };
    const text = conditionText(explained(summary, remedy));
    assert.deepEqual(partsOfConditionText(text), { sentence: summary, remedies: [remedy] });
  });

for (const [deletes, words] of [
  ["objects", "a. Uninstall ext: purser uninstall ext/ext"],
  ["data", "a. loses data: Uninstall ext: purser uninstall ext/ext"],
] as const)
  test(`a condition's text keeps that its remedy deletes ${deletes}`, () => {
    const remedy = { summary: "Uninstall ext", command: "purser uninstall ext/ext", deletes } as const;
    const text = conditionText(explained("a", remedy));
    assert.equal(text, words);
    assert.deepEqual(partsOfConditionText(text), { sentence: "a", remedies: [remedy] });
  });

for (const text of ["no remedy here", "a. Wait", `a. Do it: kubectl ${"x".repeat(9)}…`])
  test(`a text without a whole command stays as it is: ${text}`, () => {
    assert.deepEqual(partsOfConditionText(text), { sentence: text, remedies: [] });
  });
