import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStorage } from "../sqlite-storage.ts";
import type { Storage } from "../storage.ts";

/** Runs the body with the path of a file, in a directory of its own that is removed afterwards; neither the file nor its directory exists yet. */
export async function withStorageFile(body: (file: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "purser-store-"));
  try {
    await body(join(directory, "data", "cluster.db"));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export async function openStorage(file: string): Promise<Storage> {
  const opened = await openSqliteStorage(file);
  assert.ok(opened.ok, opened.ok ? "" : opened.problem.message);
  return opened.value;
}
