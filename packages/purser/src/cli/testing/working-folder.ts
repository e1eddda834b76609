// A folder that the tests of one file work in: their arguments are relative paths, as a user types them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";

/** Makes a folder the working directory from the first test to the last one, and returns how to know its path. */
export function workInFolder(): () => string {
  const cwd = process.cwd();
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "purser-test-"));
    process.chdir(folder);
  });
  after(() => {
    process.chdir(cwd);
    rmSync(folder, { recursive: true });
  });
  return () => folder;
}

/** Writes a file of the working directory and returns its path. */
export function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
