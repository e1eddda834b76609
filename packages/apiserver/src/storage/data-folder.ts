import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@purser/kubernetes/clock";
import type { Result } from "@purser/kubernetes/result";
import { failed } from "@purser/kubernetes/result";
import { makeFolder } from "@purser/kubernetes/system/make-folder";
import { openSqliteStorage } from "./sqlite-storage.ts";
import type { DetachedJournal, Storage, StorageProblem } from "./storage.ts";

export interface DataFolder {
  /** Created with the folders above it when it does not exist. The state is in its file `cluster.db`. */
  readonly path: string;
  /** Forgets what the folder holds and starts over; false by default. */
  readonly fresh?: boolean;
  /** Names of files that the caller writes into the folder: where one of them is, there was a cluster. */
  readonly traces?: readonly string[];
}

/** How often a running server looks for its files, in ms. */
const intervalMs = 2000;

/**
 * Opens the state of a cluster and holds it until the storage is closed. A folder that never held a cluster gets a new
 * one; one whose file is missing or empty is refused as `lost`, unless it is to be forgotten (`fresh`). A folder that
 * another process holds is refused as `locked` and left as it is, also with `fresh`.
 */
export async function openDataFolder({
  path,
  fresh = false,
  traces = [],
}: DataFolder): Promise<Result<Storage, StorageProblem>> {
  const file = join(path, "cluster.db");
  try {
    await makeFolder(path, 0o700);
    // SQLite's own words for a file that may not be written do not say why.
    if (existsSync(file)) await (await open(file, "r+")).close();
  } catch (error) {
    return failed({ kind: "unreadable", file, message: error instanceof Error ? error.message : String(error) });
  }
  if (fresh) return startOver(path, file, traces);
  const trace = existsSync(file) ? undefined : traces.find((name) => existsSync(join(path, name)));
  return trace === undefined
    ? openSqliteStorage(file)
    : failed({ kind: "lost", file, message: `the file is missing, "${trace}" of the cluster it held is there` });
}

async function startOver(
  folder: string,
  file: string,
  traces: readonly string[],
): Promise<Result<Storage, StorageProblem>> {
  if (existsSync(file)) {
    const held = await openSqliteStorage(file);
    if (held.ok) await held.value.close();
    else if (held.problem.kind === "locked") return held;
  }
  for (const name of traces) await rm(join(folder, name), { force: true });
  for (const ending of ["", "-wal", "-shm", "-journal"]) await rm(`${file}${ending}`, { force: true });
  return openSqliteStorage(file);
}

/**
 * Calls `onChange` when the files of the state were removed or replaced, again when what is wrong with them changes, and
 * with undefined when they are back. Looks every 2 s until the signal.
 */
export async function watchDataFolder(
  storage: Storage,
  clock: Clock,
  onChange: (detached: DetachedJournal | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  let known: DetachedJournal | undefined;
  while (!signal.aborted) {
    const now = storage.detached();
    if (now?.message !== known?.message) onChange(now);
    known = now;
    await clock.sleep(intervalMs, signal).catch(() => undefined);
  }
}
