import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

/** A checkout with a build of one source; what runs prints which it is, its arguments and its own name. */
function checkout(context: TestContext): { readonly root: string; readonly run: () => string } {
  const root = mkdtempSync(join(tmpdir(), "purser-run-"));
  context.after(() => rmSync(root, { recursive: true }));
  for (const directory of ["build", "dist", "src/cli"]) mkdirSync(join(root, directory), { recursive: true });
  copyFileSync(join(import.meta.dirname, "run.js"), join(root, "build/run.js"));
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  const print = "console.log(process.argv[1].slice(-7), ...process.argv.slice(2));\n";
  for (const path of ["dist/purser.js", "src/cli/main.ts"]) writeFileSync(join(root, path), print);
  const { size, ctimeMs } = statSync(join(root, "src/cli/main.ts"));
  writeFileSync(join(root, "dist/sources.json"), JSON.stringify({ "src/cli/main.ts": `${size} ${ctimeMs}` }));
  const run = (): string =>
    spawnSync(process.execPath, [join(root, "build/run.js"), "up", "--x"], { encoding: "utf8" }).stdout;
  return { root, run };
}

test("a build of these very sources runs, with the arguments", (context) => {
  assert.equal(checkout(context).run(), "rser.js up --x\n");
});

test("the sources run once one of them was written again, even with the same content", (context) => {
  const { root, run } = checkout(context);
  writeFileSync(join(root, "src/cli/main.ts"), "console.log('changed');\n");
  assert.equal(run(), "changed\n");
});

test("the sources run when a source of the build is missing, and when there is no build", (context) => {
  const { root, run } = checkout(context);
  writeFileSync(join(root, "dist/sources.json"), '{"src/gone.ts":"1 1"}');
  assert.equal(run(), "main.ts up --x\n");
  rmSync(join(root, "dist"), { recursive: true });
  assert.equal(run(), "main.ts up --x\n");
});
