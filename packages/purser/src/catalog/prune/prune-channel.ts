import { compareBytes } from "@purser/kubernetes/text/documents";
import { compareVersions } from "@purser/kubernetes/version";
import type { ChannelEntryContent } from "../model.ts";
import type { ChannelView, EntryView } from "../catalog-view.ts";

export interface PrunedChannel {
  readonly entries: readonly ChannelEntryContent[];
  /** Edges that were added so that every installed version keeps an upgrade path, as sentences. */
  readonly notes: readonly string[];
}

interface Kept {
  readonly entry: EntryView;
  replaces: string;
  skips: string[];
}

/**
 * The kept entries of a valid channel as a valid channel: gaps in the chain of replacements are closed, versions in a
 * gap stay skipped so that their users still arrive, and one head remains.
 */
export function pruneChannel({ entries }: ChannelView, keep: ReadonlySet<string>): PrunedChannel {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const kept = entries
    .filter(({ name }) => keep.has(name))
    .map((entry): Kept => ({ entry, replaces: entry.replaces, skips: [...entry.skips] }));
  const notes: string[] = [];
  for (const one of kept) closeGap(one, byName, keep, notes);
  oneHead(kept, notes);
  return {
    entries: kept.map(({ entry, replaces, skips }) => ({
      name: entry.name,
      replaces,
      skips,
      skipRange: entry.skipRange,
    })),
    notes,
  };
}

/** An entry that replaces a removed one replaces the next kept entry below it instead, and skips those between. */
function closeGap(one: Kept, byName: ReadonlyMap<string, EntryView>, keep: ReadonlySet<string>, notes: string[]): void {
  const between: string[] = [];
  let next = one.replaces;
  while (next !== "" && !keep.has(next) && !between.includes(next)) {
    between.push(next);
    next = byName.get(next)?.replaces ?? "";
  }
  if (between.length === 0 || next === "" || !keep.has(next) || next === one.entry.name) return;
  one.replaces = next;
  one.skips = [...one.skips, ...between.filter((name) => !one.skips.includes(name))];
  notes.push(`${one.entry.name} now replaces ${next} and skips ${between.join(", ")}`);
}

/** Other heads, and entries that no chain passes any more, are skipped by the head with the highest version. */
function oneHead(kept: readonly Kept[], notes: string[]): void {
  const skipped = new Set(kept.flatMap(({ skips }) => skips));
  const incoming = new Set([...skipped, ...kept.map(({ replaces }) => replaces)]);
  const heads = kept.filter(({ entry }) => !incoming.has(entry.name)).sort(newestFirst);
  const [head] = heads;
  if (head === undefined) return;
  const byName = new Map(kept.map((one) => [one.entry.name, one]));
  const visited = new Set<string>();
  for (let at: Kept | undefined = head; at !== undefined && !visited.has(at.entry.name);) {
    visited.add(at.entry.name);
    at = skipped.has(at.replaces) ? undefined : byName.get(at.replaces);
  }
  const left = kept.map(({ entry }) => entry.name).filter((name) => !visited.has(name) && !skipped.has(name));
  if (left.length === 0) return;
  head.skips = [...head.skips, ...left];
  notes.push(`${head.entry.name} now skips ${left.join(", ")}`);
}

function newestFirst(left: Kept, right: Kept): number {
  const [a, b] = [left.entry.bundle?.version, right.entry.bundle?.version];
  const order = a === undefined || b === undefined ? 0 : compareVersions(b, a);
  return order || compareBytes(left.entry.name, right.entry.name);
}
