import assert from "node:assert/strict";
import { test } from "node:test";
import { shown } from "../output/shown.ts";
import { explainMarkdown } from "./explain-markdown.ts";

const refusal = { code: "NoUpgradePath", summary: "no way", facts: {}, derivation: [], remedies: [] };
const say = (text: string) =>
  explainMarkdown((() => shown(...text.split("\n"))) as never) as (...args: readonly unknown[]) => string;

test("what is no refusal is a fenced text below its reference", () =>
  assert.equal(say("fine\nnow")("sub/a/b", {}, undefined, {}), "### `sub/a/b`\n\n```\nfine\nnow\n```"));

test("the fence is longer than any in the text", () =>
  assert.equal(say("a ```` b ` c")("x", {}, undefined, {}), "### `x`\n\n`````\na ```` b ` c\n`````"));

test("a refusal is said as one: of the decision, else what is held, else what blocks", () => {
  const other = (summary: string) => ({ ...refusal, summary });
  const said = (decision: object, now: object, why?: object) => say("text")("x", decision, why, now).split("\n")[2];
  assert.match(said({ explanation: refusal }, { held: other("held") }) ?? "", /no way/);
  assert.match(said({}, { held: other("held"), blocked: other("blocked") }) ?? "", /held/);
  assert.match(said({}, { blocked: other("blocked") }) ?? "", /blocked/);
  assert.match(said({ explanation: refusal }, {}, { explanation: other("because") }) ?? "", /because/);
  assert.equal(said({ explanation: refusal }, {}, { text: "chosen" }), "```");
});
