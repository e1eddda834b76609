import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { removeTree } from "./remove-tree.ts";

const scratch = mkdtempSync(join(tmpdir(), "purser-remove-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

test("read-only directories are removed with what is in them, and what a link leads to stays as it is", async () => {
  const [tree, outside] = [join(scratch, "tree"), join(scratch, "outside")];
  mkdirSync(join(tree, "a/b"), { recursive: true });
  mkdirSync(outside);
  chmodSync(outside, 0o500);
  writeFileSync(join(tree, "a/b/file"), "");
  symlinkSync(outside, join(tree, "a/link"));
  for (const directory of ["a/b", "a", "."]) chmodSync(join(tree, directory), 0o000);
  await removeTree(tree);
  assert.deepEqual([existsSync(tree), existsSync(outside)], [false, true]);
});

test("a file is removed, and a path that does not exist is no failure", async () => {
  const file = join(scratch, "file");
  writeFileSync(file, "");
  await removeTree(file);
  assert.equal(existsSync(file), false);
  await removeTree(file);
});
