import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeDirectory } from "./make-directory.ts";

test("directories are created with their parents, repeatedly, and a file in the path is an error", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "purser-folder-"));
  try {
    const path = join(scratch, "a/b/c");
    await Promise.all([makeDirectory(path, 0o700), makeDirectory(path, 0o700)]);
    await makeDirectory(path);
    assert.equal(statSync(join(scratch, "a/b")).mode & 0o777, 0o700);
    writeFileSync(join(scratch, "file"), "");
    await assert.rejects(makeDirectory(join(scratch, "file")), /EEXIST/);
    await assert.rejects(makeDirectory(join(scratch, "file/below")), /ENOTDIR/);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

test("an error of the system that persists is reported", async (t) => {
  if (!existsSync("/proc/self")) return t.skip("not here: needs Linux (/proc)");
  await assert.rejects(makeDirectory("/proc/nope/below"), /ENOENT/);
});
