// `npm test`: every *.test.ts beside its subject; arguments narrow by path, e.g. `npm test -- src/resolver`.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "..");
const wanted = process.argv.slice(2);
const folders = ["src", "conformance", "checks", "bench", "build", "demo", "e2e"];
const files = folders
  .flatMap((folder) => {
    try {
      return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`);
    } catch {
      return [];
    }
  })
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.startsWith(part.replace(/^\.\//, ""))))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(" ")}`);
  process.exit(1);
}
// A file that does not end is ended by file-deadline.ts; this is for one that cannot even do that.
const limitMinutes = 40;
const { status, error } = spawnSync(
  process.execPath,
  [
    "--disable-warning=ExperimentalWarning",
    `--import=${pathToFileURL(join(root, "checks/file-deadline.ts")).href}`,
    "--test",
    "--test-concurrency=2",
    `--test-reporter=${join(root, "checks/reporter.ts")}`,
    ...files,
  ],
  { cwd: root, stdio: "inherit", timeout: limitMinutes * 60_000 },
);
if (error !== undefined) console.error(`the tests did not end within ${limitMinutes} minutes: ${error.message}`);
process.exit(status ?? 1);
