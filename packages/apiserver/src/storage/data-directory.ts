import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@purser/kubernetes/clock";
import type { Result } from "@purser/kubernetes/result";
import { failed } from "@purser/kubernetes/result";
import { makeDirectory } from "@purser/kubernetes/system/make-directory";
import { openSqliteStorage } from "./sqlite-storage.ts";
import type { DetachedJournal, Storage, StorageProblem } from "./storage.ts";

export interface DataDirectory {
  /** Created with its parents when it does not exist. The state is in its file `cluster.db`. */
  readonly path: string;
  /** Deletes the content of the directory and starts over; false by default. */
  readonly fresh?: boolean;
  /** Names of files that the caller writes into the directory: if one exists, there was a cluster. */
  readonly traces?: readonly string[];
}

const fileIn = (directory: string): string => join(directory, "cluster.db");

/** Whether the directory holds the state of a cluster, so that a start without `fresh` continues it. It may be locked or damaged. */
export const hasCluster = (directory: string): boolean => existsSync(fileIn(directory));

/** Interval in ms at which a running server checks its files. */
const intervalMs = 2000;

/**
 * Opens the state of a cluster and locks it until the storage is closed. A directory that never had a cluster gets a
 * new one; one whose file is missing or empty is refused as `lost`, unless `fresh` is set. A directory locked by
 * another process is refused as `locked` and not changed, even with `fresh`.
 */
export async function openDataDirectory({
  path,
  fresh = false,
  traces = [],
}: DataDirectory): Promise<Result<Storage, StorageProblem>> {
  const file = fileIn(path);
  try {
    await makeDirectory(path, 0o700);
    // SQLite's error for a read-only file has no reason; the system's has.
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
  directory: string,
  file: string,
  traces: readonly string[],
): Promise<Result<Storage, StorageProblem>> {
  if (existsSync(file)) {
    const held = await openSqliteStorage(file);
    if (held.ok) await held.value.close();
    else if (held.problem.kind === "locked") return held;
  }
  for (const name of traces) await rm(join(directory, name), { force: true });
  for (const ending of ["", "-wal", "-shm", "-journal"]) await rm(`${file}${ending}`, { force: true });
  return openSqliteStorage(file);
}

/**
 * Calls `onChange` when the files of the state were removed or replaced, again when the problem changes, and with
 * undefined when they are back. Checks every 2 s until the signal.
 */
export async function watchDataDirectory(
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
