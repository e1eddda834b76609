import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { indexFileAt } from "./index-file.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-index-file-"));
after(() => rmSync(directory, { recursive: true, force: true }));

test("a Dockerfile is read, and a directory or a file that is missing is reported as such", () => {
  const path = join(directory, "Dockerfile");
  writeFileSync(path, "FROM scratch\n");
  assert.deepEqual(indexFileAt(path), { kind: "read", text: "FROM scratch\n" });
  assert.deepEqual(indexFileAt(directory), { kind: "directory", path: directory });
  const missing = join(directory, "other");
  const message = `stat ${missing}: no such file or directory`;
  assert.deepEqual(indexFileAt(missing), { kind: "unreadable", path: missing, message });
});
