import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DetachedJournal } from "@purser/apiserver/storage/journal";
import { memoryStorage } from "@purser/apiserver/storage/object-store";
import { openSqliteStorage } from "@purser/apiserver/storage/sqlite-storage";
import type { Storage, StorageProblem } from "@purser/apiserver/storage/storage";
import type { Clock } from "@purser/kubernetes/clock";
import type { Log } from "@purser/kubernetes/kube/log";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { makeFolder } from "./make-folder.ts";
import { runningInstance } from "./running-instance.ts";

/** A folder that keeps the cluster's state, or memory alone. */
export type ClusterData =
  | { readonly kind: "folder"; readonly path: string; readonly fresh: boolean }
  | { readonly kind: "memory" };

/** What `purser up` leaves beside the file: where it is, there was a cluster. */
const traces = ["kubeconfig", "running.json"];
/** How often a running server looks for its files, in ms. */
const intervalMs = 2000;

/**
 * Opens the cluster's state. A folder that never held a cluster gets a new one; one whose file is missing or empty is
 * refused, unless it is to be forgotten (`fresh`).
 */
export async function openClusterData(data: ClusterData): Promise<Result<Storage, StorageProblem>> {
  if (data.kind === "memory") return done(memoryStorage());
  const file = join(data.path, "cluster.db");
  try {
    await makeFolder(data.path, 0o700);
    // SQLite's own words for a file that may not be written do not say why.
    if (existsSync(file)) await (await open(file, "r+")).close();
  } catch (error) {
    return failed({ kind: "unreadable", file, message: error instanceof Error ? error.message : String(error) });
  }
  if (data.fresh) return startOver(data.path, file);
  const trace = existsSync(file) ? undefined : traces.find((name) => existsSync(join(data.path, name)));
  const opened: Result<Storage, StorageProblem> =
    trace === undefined
      ? await openSqliteStorage(file)
      : failed({ kind: "lost", file, message: `the file is missing, "${trace}" of the cluster it held is there` });
  return !opened.ok && opened.problem.kind === "lost" && runningInstance(data.path) !== undefined
    ? failed({ kind: "locked", file, message: "a process that runs has lost the file" })
    : opened;
}

/** Forgets the cluster; a folder that another process holds is left as it is. */
async function startOver(folder: string, file: string): Promise<Result<Storage, StorageProblem>> {
  if (existsSync(file)) {
    const held = await openSqliteStorage(file);
    if (held.ok) await held.value.close();
    else if (held.problem.kind === "locked") return held;
  }
  for (const name of traces) await rm(join(folder, name), { force: true });
  for (const ending of ["", "-wal", "-shm", "-journal"]) await rm(`${file}${ending}`, { force: true });
  return openSqliteStorage(file);
}

/** Logs, until the signal, when the files of the cluster's state were removed or replaced, and when they are back. */
export async function watchClusterData(storage: Storage, clock: Clock, log: Log, signal: AbortSignal): Promise<void> {
  let known: DetachedJournal | undefined;
  while (!signal.aborted) {
    const now = storage.detached();
    if (now !== undefined && now.message !== known?.message)
      log("error", `every write is refused: ${now.message}`, { file: now.file, do: now.remedy });
    else if (now === undefined && known !== undefined)
      log("error", "the files of the cluster are in place again: writes are taken", { file: known.file });
    known = now;
    await clock.sleep(intervalMs, signal).catch(() => undefined);
  }
}
