import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestEvent } from "node:test/reporters";
import report, { linesOfTimes } from "./reporter.ts";

async function printed(...events: readonly { readonly type: string; readonly data: object }[]): Promise<string> {
  async function* all(): AsyncGenerator<TestEvent> {
    yield* events as unknown as readonly TestEvent[];
  }
  let text = "";
  for await (const line of report(all())) text += line;
  return text;
}

const passed = (name: string, skip?: string): { readonly type: string; readonly data: object } => ({
  type: "test:pass",
  data: { name, details: { type: "test" }, ...(skip === undefined ? {} : { skip }) },
});

test("tests that were skipped for one reason are one line, and the closing line counts each", async () => {
  assert.equal(
    await printed(passed("a"), passed("b", "no data"), passed("c", "no data"), passed("d", "too late")),
    "skipped   2 tests  (no data)\nskipped   d  (too late)\n1 passed, 0 failed, 3 skipped\n",
  );
});

test("tests that cannot run on this machine are listed with their reason and not counted", async () => {
  assert.equal(
    await printed(passed("a", "not here: a matter of Linux"), passed("b")),
    "not here  a  (a matter of Linux)\n1 passed, 0 failed, 0 skipped\n",
  );
});

test("the files that took the most processor time come first, and the sum counts all of them", () => {
  const times = [
    { file: "a", seconds: 0.26 },
    { file: "b", seconds: 12 },
    { file: "c", seconds: 1 },
  ];
  assert.deepEqual(
    [...linesOfTimes(times, 2)],
    ["   12.0 s  b\n", "    1.0 s  c\n", "   13.3 s  of processor time in 3 files\n"],
  );
  assert.deepEqual([...linesOfTimes([], 2)], []);
});
