import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { groupFile } from "./shared-processes.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-together-"));
after(() => rmSync(directory, { recursive: true }));

/** Runs a group of test files with these texts, called 0.test.ts, 1.test.ts and so on, as `npm test` runs it. */
function run(...texts: readonly string[]): { readonly status: number | null; readonly output: string } {
  const files = texts.map((text, index) => {
    const file = join(directory, `${index}.test.ts`);
    writeFileSync(file, `import assert from "node:assert/strict";\nimport { test } from "node:test";\n${text}\n`);
    return file;
  });
  const [name, text] = groupFile("/", files, 0);
  const main = join(directory, name);
  writeFileSync(main, text.replace("/checks/run-together.ts", join(import.meta.dirname, "run-together.ts")));
  const flags = [
    "--disable-warning=ExperimentalWarning",
    `--import=${join(import.meta.dirname, "untracked-promises.ts")}`,
    "--test",
    `--test-reporter=${join(import.meta.dirname, "reporter.ts")}`,
  ];
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, PURSER_TEST_SLOWEST: undefined };
  const ended = spawnSync(process.execPath, [...flags, main], { encoding: "utf8", env, timeout: 300_000 });
  return { status: ended.status, output: (ended.stdout + ended.stderr).replaceAll(directory, "") };
}

test("tests of files that share a process are counted as if each ran alone", () => {
  const { status, output } = run(
    'test("a", () => undefined);\ntest("b", { skip: "later" }, () => undefined);',
    'test("c", async (context) => { await context.test("d", () => undefined); });',
  );
  assert.equal(output, "skipped   b  (later)\n3 passed, 0 failed, 1 skipped\n");
  assert.equal(status, 0);
});

test("a failure is reported with its own file and line, and the next file runs", () => {
  const { status, output } = run('test("a", () => assert.equal(1, 2));', 'test("b", () => undefined);');
  assert.match(output, /^FAILED {3}\/0\.test\.ts:3 a\n/);
  assert.match(output, /\n1 passed, 1 failed, 0 skipped\n$/);
  assert.equal(status, 1);
});

test("the hooks of a file run for its tests alone, and before those of the next file", () => {
  const hooks = (name: string): string =>
    `import { after, before, beforeEach } from "node:test";
    for (const [when, hook] of Object.entries({ before, beforeEach, after })) hook(() => console.error(when, "${name}"));`;
  const { status, output } = run(
    `${hooks("0")}\ntest("a", () => console.error("a"));\ntest("b", () => console.error("b"));`,
    `${hooks("1")}\ntest("c", () => console.error("c"));`,
  );
  assert.deepEqual(output.split("\n").slice(0, 11), [
    "before 0",
    "beforeEach 0",
    "a",
    "beforeEach 0",
    "b",
    "after 0",
    "before 1",
    "beforeEach 1",
    "c",
    "after 1",
    "3 passed, 0 failed, 0 skipped",
  ]);
  assert.equal(status, 0);
});

test("tests run when their file has been loaded to its end", () => {
  const { status, output } = run('test("a", () => assert.equal(later, 1));\nconst later = 1;');
  assert.equal(status, 0, output);
});

test("a file that cannot be loaded fails under its name, and the next file runs", () => {
  const { status, output } = run('throw new Error("broken");', 'test("b", () => undefined);');
  assert.match(output, /^FAILED .*run-together\.ts:\d+ \/0\.test\.ts can be loaded\nError: broken\n/);
  assert.match(output, /\n1 passed, 1 failed, 0 skipped\n$/);
  assert.equal(status, 1);
});

for (const [what, text] of [
  ["a timer", "setInterval(() => undefined, 1000);"],
  ["a listener", 'process.on("SIGHUP", () => undefined);'],
  ["another listener of an event that has one", 'process.on("exit", () => undefined);'],
  ["an environment variable", 'process.env["LEFT_BEHIND"] = "1";'],
  ["another working directory", 'process.chdir("..");'],
  ["an exit code", "process.exitCode = 0;"],
  ["a global", "Object.assign(globalThis, { leftBehind: 1 });"],
] as const)
  test(`${what} that a file leaves behind fails that file`, () => {
    const { status, output } = run(
      'test("a", () => undefined);',
      `test("b", () => { ${text} });`,
      // The timer would keep the process alive.
      'test("c", () => { setImmediate(() => process.exit()); });',
    );
    assert.deepEqual(
      [...output.matchAll(/^FAILED .*?(\d\.test\.ts .*)$/gm)].map(([, name]) => name),
      ["1.test.ts leaves the process as it found it"],
      output,
    );
    assert.equal(status, 1);
  });

test("a handle that closes by itself soon after the last test is not left behind", () => {
  const { status, output } = run(
    'test("a", () => { setTimeout(() => undefined, 1); });',
    'test("b", () => undefined);',
  );
  assert.equal(status, 0, output);
});

test("an uncaught error is printed with its stack, which names the file", () => {
  const { status, output } = run(
    'test("a", async () => { setTimeout(() => { throw new Error("boom"); }, 1); await new Promise((r) => setTimeout(r, 50)); });',
    'test("b", () => undefined);',
  );
  assert.match(output, /uncaught in a test: Error: boom\n +at .*\/0\.test\.ts/);
  assert.equal(status, 1);
});

test("ps shows the file whose tests run, for the watch over stuck files", () => {
  const { output } = run('test("a", () => undefined);', 'test("b", () => console.error(process.title));');
  assert.equal(basename(output.split("\n")[0] ?? ""), "1.test.ts");
});
