import { precedenceOfVersion } from "../upgrade-graph/bundle-order.ts";
import type { ChannelEntry } from "../upgrade-graph/channel-entry.ts";
import { channelHeads, channelOrder } from "../upgrade-graph/channel-order.ts";
import {
  byPreference,
  type Candidate,
  nextUpgrade,
  type Preference,
  upgradesFrom,
} from "../upgrade-graph/preference.ts";
import type { Rules } from "../upgrade-graph/rules.ts";
import type { Installed } from "../upgrade-graph/successors.ts";
import type { BundleView, ChannelView, EntryView, PackageView } from "./catalog-view.ts";

/** An entry as something to go to. */
interface Stop extends ChannelEntry {
  readonly entry: EntryView;
}

/** Which updates installations take through one channel on their own, under the rules of OLM v0 and v1. */
export interface Journeys {
  /** The entry that nothing replaces or skips, when there is exactly one. */
  readonly head: EntryView | undefined;
  /** The name of the next update; undefined when there is none. */
  next(rules: Rules, from: Installed): string | undefined;
  /** Names of all updates in order, without what is installed, until there is no further update. */
  way(rules: Rules, from: Installed): readonly string[];
}

/** Something installed, as its bundle describes it. */
export const installedAs = ({ name, version }: Pick<BundleView, "name" | "version">): Installed => ({ name, version });

export function journeysOf(one: PackageView, channel: ChannelView): Journeys {
  const stops = channel.entries.map(stopOf);
  const order = channelOrder(stops, channel.name, one.name);
  const heads = channelHeads(stops);
  const preferences: Readonly<Record<Rules, Preference<Stop>>> = {
    v0: { rules: "v0", candidates: (order.ok ? order.value : []).map((stop) => candidateOf(one, stop)) },
    v1: { rules: "v1", candidates: stops.map((stop) => candidateOf(one, stop)).sort(byPreference) },
  };
  return {
    head: heads.length === 1 ? heads[0]?.entry : undefined,
    next: (rules, from) => nextUpgrade(preferences[rules], from)?.entry.name,
    way: (rules, from) => upgradesFrom(preferences[rules], from).map(({ entry }) => entry.name),
  };
}

function stopOf(entry: EntryView): Stop {
  const { name, replaces, skips, skipRange, bundle } = entry;
  return {
    name,
    replaces: replaces === "" ? undefined : replaces,
    skips,
    skipRange: skipRange === "" ? undefined : skipRange,
    version: bundle?.content.versions[0]?.version ?? "",
    entry,
  };
}

function candidateOf({ deprecations }: PackageView, stop: Stop): Candidate<Stop> {
  const { name, entry } = stop;
  const { version, release } = entry.bundle ?? {};
  return {
    entry: stop,
    installed: { name, version },
    precedence: version === undefined ? undefined : precedenceOfVersion(version, release),
    isDeprecated: deprecations.bundles.has(name),
  };
}
