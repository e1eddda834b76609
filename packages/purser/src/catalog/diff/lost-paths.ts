import type { ChannelView, EntryView, PackageView } from "../catalog-view.ts";
import type { Rules } from "../../upgrade-graph/rules.ts";
import { installedAs, type Journeys, journeysOf } from "../journey.ts";

/** An installed version that reached the head of its channel before a change and does not any more. */
export interface LostPath {
  readonly channel: string;
  readonly entry: EntryView;
  /** By whose rules. */
  readonly rules: readonly Rules[];
  /** Where its updates end now. */
  readonly end: string;
  /** `2.0` when every version of that minor in the older channel lost its path alike, and there are several. */
  readonly minor?: string;
}

/** Paths that the newer package no longer has. Removed channels, and channels without a single head, give no result. */
export function lostPaths(old: PackageView, next: PackageView): readonly LostPath[] {
  return old.channels.flatMap((channel) => {
    const now = next.channels.find(({ name }) => name === channel.name);
    return now === undefined ? [] : lostIn(old, channel, next, now);
  });
}

function lostIn(old: PackageView, channel: ChannelView, next: PackageView, now: ChannelView): readonly LostPath[] {
  const [before, after] = [journeysOf(old, channel), journeysOf(next, now)];
  if (after.head === undefined) return [];
  const lost = channel.entries.flatMap((entry): LostPath[] => {
    if (entry.bundle === undefined) return [];
    const from = installedAs(entry.bundle);
    const end = (journeys: Journeys, rules: Rules): string => journeys.way(rules, from).at(-1) ?? entry.name;
    const rules = (["v0", "v1"] as const).filter(
      (each) => end(before, each) === before.head?.name && end(after, each) !== after.head?.name,
    );
    const [first] = rules;
    return first === undefined ? [] : [{ channel: channel.name, entry, rules, end: end(after, first) }];
  });
  const sizes = Map.groupBy(channel.entries, minorOf);
  const groups = Map.groupBy(lost, ({ entry, rules }) => `${minorOf(entry) ?? ""} ${rules.join(" ")}`);
  return lost.map((one) => {
    const minor = minorOf(one.entry);
    const together = groups.get(`${minor ?? ""} ${one.rules.join(" ")}`)?.length ?? 0;
    return minor !== undefined && together > 1 && together === sizes.get(minor)?.length ? { ...one, minor } : one;
  });
}

function minorOf({ bundle }: EntryView): string | undefined {
  return bundle?.version === undefined ? undefined : `${bundle.version.major}.${bundle.version.minor}`;
}
