import assert from "node:assert/strict";
import { test } from "node:test";
import { type CsvWait, csvWaitText, waitOf } from "./csv-wait.ts";

const wait: CsvWait = { reason: "RolloutFailed", stuckSince: "2026-01-01T00:00:00Z", blockedBy: "b", nextRetry: "n" };
const annotated = (text: string) => ({ metadata: { annotations: { "purser.dev/state": text } } });

test("what is written is read", () => assert.deepEqual(waitOf(annotated(csvWaitText(wait))), wait));

test("an annotation that is missing, no JSON, no object or not whole shows nothing", () => {
  assert.equal(waitOf({ metadata: {} }), undefined);
  for (const text of ["", "{", "[]", "null", '"text"', JSON.stringify({ ...wait, blockedBy: 1 })])
    assert.equal(waitOf(annotated(text)), undefined, text);
});
