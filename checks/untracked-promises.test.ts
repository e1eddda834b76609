import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const directory = mkdtempSync(join(tmpdir(), "purser-untracked-"));
after(() => rmSync(directory, { recursive: true }));

/** Runs a test file as `npm test` runs it. */
function run(text: string): { readonly status: number | null; readonly output: string } {
  const file = join(directory, "some.test.mjs");
  writeFileSync(file, `import { test } from "node:test";\n${text}\n`);
  const preloaded = `--import=${join(import.meta.dirname, "untracked-promises.ts")}`;
  const reporter = `--test-reporter=${join(import.meta.dirname, "reporter.ts")}`;
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const ended = spawnSync(process.execPath, [preloaded, "--test", reporter, file], { encoding: "utf8", env });
  return { status: ended.status, output: ended.stdout + ended.stderr };
}

test("awaiting in a loop is not slowed down by hooks of the test runner", () => {
  const { output } = run(`
    import { executionAsyncId } from "node:async_hooks";
    test("ids", async () => { await null; console.error("id " + executionAsyncId()); });`);
  // Without an enabled hook Node gives promises no ids.
  assert.match(output, /^id 0$/m);
});

test("hooks of a suite run for its own tests only", () => {
  const { status, output } = run(`
    import { before, describe } from "node:test";
    let open = "";
    test("outside", () => console.error("outside " + open));
    describe("suite", () => {
      before(async () => { await null; open = "opened"; });
      test("inside", async (context) => {
        await null;
        await context.test("below", () => console.error("below " + open));
      });
    });`);
  assert.equal(status, 0, output);
  assert.match(output, /^outside $/m);
  assert.match(output, /^below opened$/m);
});

for (const [what, text] of [
  ["exception", 'setTimeout(() => { throw new Error("boom"); }, 1);'],
  ["rejection", 'setTimeout(() => void Promise.reject(new Error("boom")), 1);'],
] as const)
  test(`an uncaught ${what} fails its file and is printed with its stack`, () => {
    const { status, output } = run(`test("a", async () => { ${text} await new Promise((r) => setTimeout(r, 50)); });`);
    assert.equal(status, 1, output);
    assert.match(output, /uncaught in a test: Error: boom\n +at .*some\.test\.mjs/);
    assert.match(output, /[1-9]\d* failed/);
  });

for (const [what, text] of [
  ["imports what does not exist", 'import "./absent.mjs";'],
  ["throws while it is loaded", 'throw new Error("boom");'],
] as const)
  test(`a file that ${what} fails`, () => {
    const { status, output } = run(text);
    assert.equal(status, 1, output);
    assert.match(output, /^0 passed, 1 failed, 0 skipped$/m);
  });

test("a test process ends when its runner is killed", async () => {
  const file = join(directory, "orphan.test.mjs");
  writeFileSync(
    file,
    `import { test } from "node:test";
    test("a", async () => { for (;;) { console.log("on"); await new Promise((r) => setTimeout(r, 5)); } });\n`,
  );
  const preloaded = `--import=${join(import.meta.dirname, "untracked-promises.ts")}`;
  const env = { ...process.env, NODE_TEST_CONTEXT: "child-v8" };
  const child = spawn(process.execPath, [preloaded, file], { stdio: ["ignore", "pipe", "pipe"], env });
  await once(child.stdout, "data");
  child.stdout.destroy();
  child.stderr.destroy();
  // Only a process that does not end is killed.
  const limit = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(limit);
  assert.equal(code, 1);
});
