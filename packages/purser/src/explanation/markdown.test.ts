import assert from "node:assert/strict";
import { test } from "node:test";
import type { Explanation } from "./explanation.ts";
import { explanationMarkdown } from "./markdown.ts";

const explanation: Explanation = {
  code: "VersionHeld",
  summary: "a is held",
  facts: {},
  derivation: [
    { relation: "fact", subject: "a", text: "one", because: [{ relation: "fact", subject: "b", text: "two" }] },
    { relation: "fact", subject: "c", text: "three" },
  ],
  remedies: [{ summary: "wait" }, { summary: "end it", command: "purser unhold a" }],
};
const code = (text: string): string => `<${text}>`;

test("an explanation in Markdown has its reasons nested and its remedies numbered", () =>
  assert.equal(
    explanationMarkdown(explanation, code),
    `<a is held> (VersionHeld)

- <one>
  - <two>
- <three>

**Fixes**

1. <wait>
2. <end it>: <purser unhold a>`,
  ));

test("without reasons and remedies it is one line", () =>
  assert.equal(
    explanationMarkdown({ ...explanation, derivation: [], remedies: [] }, code),
    "<a is held> (VersionHeld)",
  ));
