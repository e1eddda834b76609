// `npm test`: every *.test.ts beside its subject; arguments narrow by path, e.g. `npm test -- src/resolver`.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

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
const { status } = spawnSync(
  process.execPath,
  [
    "--disable-warning=ExperimentalWarning",
    "--test",
    "--test-concurrency=2",
    `--test-reporter=${join(root, "checks/reporter.ts")}`,
    ...files,
  ],
  { cwd: root, stdio: "inherit" },
);
process.exit(status ?? 1);
