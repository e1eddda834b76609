import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

export const productFolder = resolve(import.meta.dirname, "..");

/** Of one run of `npm test`, which removes it (`checks/run-tests.ts`); a test file that runs alone makes its own. */
function runFolder(): string {
  const given = process.env["PURSER_TEST_RUN"];
  if (given !== undefined) return given;
  const caches = join(productFolder, "../../node_modules/.cache");
  mkdirSync(caches, { recursive: true });
  const own = mkdtempSync(join(caches, "test-run-"));
  process.on("exit", () => rmSync(own, { recursive: true, force: true }));
  return own;
}

let built: string | undefined;

/**
 * Path of the product's program, built from the sources as it is published and once for all test files of a run: it
 * starts with a third of the work that the sources cost. @throws when it cannot be built
 */
export function builtProduct(): string {
  built ??= build(runFolder());
  return built;
}

function build(folder: string): string {
  const place = join(folder, "product");
  const program = join(place, "dist/purser.js");
  if (existsSync(program)) return program;
  const own = `${place}-${process.pid}`;
  mkdirSync(own);
  const bundler = join(productFolder, "build/bundle.ts");
  const { status, stderr } = spawnSync(process.execPath, [bundler, join(own, "dist")], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the product cannot be built: ${stderr}`);
  for (const name of ["crds", "demo", "package.json"]) symlinkSync(join(productFolder, name), join(own, name));
  try {
    renameSync(own, place);
  } catch (error) {
    // Another test file was first: both built the same.
    if (!existsSync(program)) throw error;
    rmSync(own, { recursive: true });
  }
  return program;
}
