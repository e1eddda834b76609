// `npm test`: every *.test.ts beside its subject; arguments narrow by path, e.g. `npm test -- packages/purser/src/resolver`,
// or `npm test -w packages/purser -- src/resolver`.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { distribute, groupFile, reading, sharing } from "./shared-processes.ts";
import { readPackage } from "./source-files.ts";
import { endStuckFiles, reportFlags } from "./stuck-test-files.ts";

const root = resolve(import.meta.dirname, "..");
const wanted = process.argv.slice(2);
/** The package whose tests are wanted: npm runs a workspace's script in its directory. */
const here = relative(root, process.cwd());
const directories = ["packages", "checks"];
const files = directories
  .flatMap((directory) => {
    try {
      return readdirSync(join(root, directory), { recursive: true, encoding: "utf8" }).map(
        (name) => `${directory}/${name}`,
      );
    } catch {
      return [];
    }
  })
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => !name.includes("node_modules/") && name.startsWith(here))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.startsWith(join(here, part))))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(" ")}`);
  process.exit(1);
}
/** What test files of one run share: modules that are stripped and compiled already, and the built product. */
const caches = join(root, "node_modules/.cache");
mkdirSync(caches, { recursive: true });
const shared = mkdtempSync(join(caches, "test-run-"));
process.on("exit", () => rmSync(shared, { recursive: true, force: true, maxRetries: 3 }));
const packages = readdirSync(join(root, "packages")).map((directory) => readPackage(root, directory));
const { alone, groups } = distribute(files, sharing(packages, reading(root)));
const groupFiles = groups.map((group, index) => {
  const [name, text] = groupFile(root, group, index);
  writeFileSync(join(shared, name), text);
  return join(shared, name);
});
/** The longest file takes a fifth of it on two busy cores; one that hangs must not hold up the whole run. */
const limitSeconds = 1800;
const runner = spawn(
  process.execPath,
  [
    "--disable-warning=ExperimentalWarning",
    ...reportFlags,
    `--import=${join(root, "checks/quick-resolution.ts")}`,
    `--import=${join(root, "checks/untracked-promises.ts")}`,
    ...(process.env["PURSER_TEST_SLOWEST"] === undefined ? [] : [`--import=${join(root, "checks/processor-time.ts")}`]),
    ...(process.env["PURSER_TEST_DELAY_MS"] === undefined ? [] : [`--import=${join(root, "checks/late-answers.ts")}`]),
    // Test files make much garbage for a short time: with room from the start, V8 collects it with a tenth less work.
    "--min-semi-space-size=32",
    "--max-semi-space-size=32",
    "--test",
    // More than the cores of a small machine: many files wait for time to pass or for other processes.
    "--test-concurrency=4",
    `--test-reporter=${join(root, "checks/reporter.ts")}`,
    ...groupFiles,
    ...alone,
  ],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PURSER_TEST_RUN: shared, NODE_COMPILE_CACHE: join(shared, "code") },
  },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => runner.kill(signal));
const watch = setInterval(() => void endStuckFiles(runner.pid ?? 0, limitSeconds), 15_000);
runner.on("close", (status) => {
  clearInterval(watch);
  process.exit(status ?? 1);
});
