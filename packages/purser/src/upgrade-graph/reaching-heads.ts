import type { ChannelEntry } from "./channel-entry.ts";
import type { Installed } from "./successors.ts";
import { edgeFrom } from "./successors.ts";

/**
 * Names of what leads to a head in some number of upgrades, all of them to one of `entries`; heads among `entries` included.
 * Searched from the heads downwards, so that ranges that cover nearly everything are looked at once per bundle.
 */
export function reachingHeads(
  entries: readonly ChannelEntry[],
  heads: ReadonlySet<string>,
  installed: readonly Installed[],
): ReadonlySet<string> {
  const byName = Map.groupBy(entries, ({ name }) => name);
  const reaching = new Set([...byName.keys()].filter((name) => heads.has(name)));
  let waiting = installed.filter(({ name }) => !reaching.has(name));
  for (const name of reaching) {
    const targets = byName.get(name) ?? [];
    const leading = (from: Installed): boolean => targets.some((entry) => edgeFrom(entry, from) !== undefined);
    const left: Installed[] = [];
    for (const from of waiting) {
      if (leading(from)) reaching.add(from.name);
      else left.push(from);
    }
    waiting = left;
  }
  return reaching;
}
