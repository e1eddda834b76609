import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

export const productDirectory = resolve(import.meta.dirname, "..");

/** Of one run of `npm test`, which removes it (`checks/run-tests.ts`); a test file that runs alone makes its own. */
function runDirectory(): string {
  const given = process.env["PURSER_TEST_RUN"];
  if (given !== undefined) return given;
  const caches = join(productDirectory, "../../node_modules/.cache");
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
  built ??= build(runDirectory());
  return built;
}

function build(directory: string): string {
  const place = join(directory, "product");
  const program = join(place, "dist/purser.js");
  const claim = `${place}-is-being-built`;
  while (!existsSync(program)) {
    if (!isFirst(claim)) wait(100);
    else
      try {
        make(place);
      } catch (error) {
        rmdirSync(claim);
        throw error;
      }
  }
  return program;
}

/** Files that want the product at the same time wait for the first of them. */
function isFirst(claim: string): boolean {
  try {
    mkdirSync(claim);
    return true;
  } catch {
    return false;
  }
}

function wait(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function make(place: string): void {
  const own = `${place}-${process.pid}`;
  mkdirSync(own);
  const bundler = join(productDirectory, "build/bundle.ts");
  const { status, stderr } = spawnSync(process.execPath, [bundler, join(own, "dist")], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the product cannot be built: ${stderr}`);
  for (const name of ["crds", "demo", "package.json"]) symlinkSync(join(productDirectory, name), join(own, name));
  renameSync(own, place);
}
