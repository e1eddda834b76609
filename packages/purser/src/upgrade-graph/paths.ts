import type { ChannelEntry, Edge, EdgeKind } from "./channel-entry.ts";
import type { Installed } from "./successors.ts";
import { edgeFrom, installedFrom } from "./successors.ts";

/** One upgrade, and the entry that allows it. */
export interface Step<Entry extends ChannelEntry> {
  readonly from: string;
  readonly kind: EdgeKind;
  readonly entry: Entry;
}

/**
 * Everything that upgrades lead to from what is installed, each with the fewest steps to it, first entries preferred.
 * What is installed is among them, with no step.
 */
export function reachableFrom<Entry extends ChannelEntry>(
  entries: readonly Entry[],
  from: Installed,
): ReadonlyMap<string, readonly Step<Entry>[]> {
  const reached = new Map<string, readonly Step<Entry>[]>([[from.name, []]]);
  const waiting: Installed[] = [from];
  let left = entries.filter(({ name }) => name !== from.name);
  for (const installed of waiting) {
    const path = reached.get(installed.name) ?? [];
    const later: Entry[] = [];
    for (const entry of left) {
      if (reached.has(entry.name)) continue;
      const kind = edgeFrom(entry, installed);
      if (kind === undefined) {
        later.push(entry);
        continue;
      }
      reached.set(entry.name, [...path, { from: installed.name, kind, entry }]);
      waiting.push(installedFrom(entry));
    }
    left = later;
  }
  return reached;
}

/**
 * The fewest hops from what is installed to an entry of that name, first entries preferred; undefined when there is no way.
 * An empty path says that the target is what is installed.
 */
export function shortestPath(
  entries: readonly ChannelEntry[],
  from: Installed,
  to: string,
): readonly Edge[] | undefined {
  return reachableFrom(entries, from)
    .get(to)
    ?.map((step) => ({ from: step.from, to: step.entry.name, kind: step.kind }));
}
