// A directory that the tests of one file work in: their arguments are relative paths, as a user types them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";

/** Makes a directory the working directory from the first test to the last one, and returns how to know its path. */
export function workInDirectory(): () => string {
  const cwd = process.cwd();
  let directory = "";
  before(() => {
    directory = mkdtempSync(join(tmpdir(), "purser-test-"));
    process.chdir(directory);
  });
  after(() => {
    process.chdir(cwd);
    rmSync(directory, { recursive: true });
  });
  return () => directory;
}

/** Writes a file of the working directory and returns its path. */
export function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
