import assert from "node:assert/strict";
import { test } from "node:test";
import { systemTerminal, terminalModes } from "./terminal.ts";

/** What a terminal with these flags writes to stderr, which is no terminal here. */
function writtenWith(flags: Readonly<Record<string, unknown>>): readonly string[] {
  const lines: string[] = [];
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = (text: string | Uint8Array): boolean => lines.push(String(text)) > 0;
  try {
    const terminal = systemTerminal(terminalModes(flags, {}));
    terminal.progress("pulling a");
    terminal.progress("pulling b");
    terminal.progress("");
    terminal.step?.("  12:00:00  sub/a/b  Ready\u001b", { installation: "sub/a/b", state: "Ready" });
  } finally {
    process.stderr.write = write;
  }
  return lines.map((line) =>
    line.replace(/^\d\d:\d\d:\d\d/, "TIME").replace(/"time":"20\d\d-[^"]+Z"/, '"time":"TIME"'),
  );
}

const step = "  12:00:00  sub/a/b  Ready\\u001b\n";
test("without a terminal steps are lines, and nothing is redrawn", () => assert.deepEqual(writtenWith({}), [step]));
test("--progress plain prints lines, at most one a second", () =>
  assert.deepEqual(writtenWith({ progress: "plain" }), ["TIME  pulling a\n", step]));
test("--progress json prints a document for each step", () =>
  assert.deepEqual(writtenWith({ progress: "json" }), [
    '{"kind":"Progress","time":"TIME","text":"pulling a"}\n',
    '{"kind":"Progress","time":"TIME","installation":"sub/a/b","state":"Ready"}\n',
  ]));
for (const flags of [{ progress: "none" }, { quiet: true }])
  test(`${JSON.stringify(flags)} prints no progress`, () => assert.deepEqual(writtenWith(flags), []));
