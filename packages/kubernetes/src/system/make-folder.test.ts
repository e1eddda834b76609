import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "./make-folder.ts";

test("folders are made with those above them, twice too, and a file in the way is told", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "purser-folder-"));
  try {
    const path = join(scratch, "a/b/c");
    await Promise.all([makeFolder(path, 0o700), makeFolder(path, 0o700)]);
    await makeFolder(path);
    assert.equal(statSync(join(scratch, "a/b")).mode & 0o777, 0o700);
    writeFileSync(join(scratch, "file"), "");
    await assert.rejects(makeFolder(join(scratch, "file")), /EEXIST/);
    await assert.rejects(makeFolder(join(scratch, "file/below")), /ENOTDIR/);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

test("a system that never lets a folder come to be is told of", async (t) => {
  if (!existsSync("/proc/self")) return t.skip("a matter of Linux");
  await assert.rejects(makeFolder("/proc/nope/below"), /ENOENT/);
});
