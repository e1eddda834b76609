import type { ChannelEntry, Edge } from "./channel-entry.ts";
import type { Installed } from "./successors.ts";
import { edgeFrom, installedFrom } from "./successors.ts";

/** All direct upgrades between the entries, in order of `from`, then `to`. */
export function edgesOf(entries: readonly ChannelEntry[]): readonly Edge[] {
  return entries.flatMap((from) => {
    const installed = installedFrom(from);
    return entries.flatMap((to) => {
      const kind = to === from ? undefined : edgeFrom(to, installed);
      return kind === undefined ? [] : [{ from: from.name, to: to.name, kind }];
    });
  });
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
  if (from.name === to) return [];
  const reached = new Map<string, readonly Edge[]>([[from.name, []]]);
  const waiting: Installed[] = [from];
  for (const installed of waiting) {
    const path = reached.get(installed.name) ?? [];
    for (const entry of entries) {
      if (reached.has(entry.name)) continue;
      const kind = edgeFrom(entry, installed);
      if (kind === undefined) continue;
      const longer = [...path, { from: installed.name, to: entry.name, kind }];
      if (entry.name === to) return longer;
      reached.set(entry.name, longer);
      waiting.push(installedFrom(entry));
    }
  }
  return undefined;
}
