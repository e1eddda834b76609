import { readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Digest } from "@purser/kubernetes/digest";
import { indexFileName } from "./format.ts";

/** Leftovers of a builder that died are removed when they are this old, so that a running one keeps its files. */
const abandonedAfterMs = 60 * 60 * 1000;
/** A process marks the indexes that it uses more often than this, so that processes with the same directory keep each other's. */
const unusedAfterMs = 24 * 60 * 60 * 1000;

/**
 * Marks the indexes in `keep` as used now, and removes those not used for a day and the leftovers of dead
 * builders. Returns the names removed. A removed file stays readable where it is still open.
 */
export function collectIndexes(directory: string, keep: ReadonlySet<Digest>, now: number): readonly string[] {
  const kept = new Set([...keep].map(indexFileName));
  const removed: string[] = [];
  for (const name of readdirSync(directory).sort()) {
    const path = join(directory, name);
    const isIndex = /^[0-9a-f]{64}\.index$/.test(name);
    if (kept.has(name)) utimesSync(path, now / 1000, now / 1000);
    const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
    const isAbandoned = name.startsWith(".building-") && age > abandonedAfterMs;
    if (isAbandoned || (isIndex && !kept.has(name) && age > unusedAfterMs)) {
      rmSync(path, { force: true });
      removed.push(name);
    }
  }
  return removed;
}
