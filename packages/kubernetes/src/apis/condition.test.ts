import assert from "node:assert/strict";
import { test } from "node:test";
import { withCondition } from "./condition.ts";

const shown = (message: string): string =>
  withCondition([], { type: "Progressing", status: "True", reason: "Retrying", message }, "now")[0]?.message ?? "";

test("a message of more than 32,768 characters is cut to that length, with a mark", () => {
  const whole = "x".repeat(32_768);
  assert.equal(shown(whole), whole);
  const cut = shown(`${whole}y`);
  assert.equal(cut.length, 32_768);
  assert.equal(cut, `${"x".repeat(32_768 - 25)}\n\n... [message truncated]`);
});
