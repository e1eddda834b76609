import type { ChannelView, EntryView, PackageView } from "../catalog-view.ts";
import { installedAs, type Journeys, journeysOf, type Rules } from "../journey.ts";

/** An installed version that came to the head of its channel before a change and does not any more. */
export interface LostPath {
  readonly channel: string;
  readonly entry: EntryView;
  /** By whose rules. */
  readonly rules: readonly Rules[];
  /** Where its updates end now. */
  readonly end: string;
}

/** Paths that the newer package took away. Channels that are gone, or have no single head, are another matter. */
export function lostPaths(old: PackageView, next: PackageView): readonly LostPath[] {
  return old.channels.flatMap((channel) => {
    const now = next.channels.find(({ name }) => name === channel.name);
    return now === undefined ? [] : lostIn(old, channel, next, now);
  });
}

function lostIn(old: PackageView, channel: ChannelView, next: PackageView, now: ChannelView): readonly LostPath[] {
  const [before, after] = [journeysOf(old, channel), journeysOf(next, now)];
  if (after.head === undefined) return [];
  return channel.entries.flatMap((entry): LostPath[] => {
    if (entry.bundle === undefined) return [];
    const from = installedAs(entry.bundle);
    const end = (journeys: Journeys, rules: Rules): string => journeys.way(rules, from).at(-1) ?? entry.name;
    const rules = (["v0", "v1"] as const).filter(
      (each) => end(before, each) === before.head?.name && end(after, each) !== after.head?.name,
    );
    const [first] = rules;
    return first === undefined ? [] : [{ channel: channel.name, entry, rules, end: end(after, first) }];
  });
}
