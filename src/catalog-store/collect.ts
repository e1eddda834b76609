import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Digest } from "../digest.ts";
import { indexFileName } from "./format.ts";

/** Leftovers of a builder that died are removed when they are this old, so that a running one keeps its files. */
const abandonedAfterMs = 60 * 60 * 1000;
/** Another process that shares the folder may have built an index and not opened it yet. */
const unopenedForMs = 60 * 1000;

/**
 * Removes every index in `folder` whose digest is not in `keep`, and what dead builders left behind. Returns the
 * names removed. A file that is still open stays readable for its holder.
 */
export function collectIndexes(folder: string, keep: ReadonlySet<Digest>, now: number): readonly string[] {
  const kept = new Set([...keep].map(indexFileName));
  const removed: string[] = [];
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isIndex = /^[0-9a-f]{64}\.index$/.test(name);
    const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
    const isAbandoned = name.startsWith(".building-") && age > abandonedAfterMs;
    if (isAbandoned || (isIndex && !kept.has(name) && age > unopenedForMs)) {
      rmSync(path, { force: true });
      removed.push(name);
    }
  }
  return removed;
}
