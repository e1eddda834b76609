import type { Place } from "@purser/kubernetes/place";
import { parseVersion } from "@purser/kubernetes/version";
import type { EdgeKind } from "./channel-entry.ts";
import type { ChannelGraph, PlacedEntry } from "./channel-graph.ts";
import type { Step } from "./paths.ts";
import { reachableFrom } from "./paths.ts";
import type { Rules } from "./rules.ts";
import type { Installed } from "./successors.ts";
import { installedFrom } from "./successors.ts";
import type { UpgradeGraph } from "./upgrade-graph.ts";

/** The installed bundle that a path starts from: a bundle of the graph, or one that its catalog no longer has. */
export interface PathStart {
  readonly name: string;
  readonly version: string | undefined;
}

export interface PathRequest {
  readonly rules: Rules;
  /** OLM v0 follows one channel: this one, else the default one. OLM v1 reads this one, else all. */
  readonly channel?: string | undefined;
  readonly from: PathStart;
  /** Name of a bundle; else a head: see `goalOf`. */
  readonly to?: string | undefined;
}

export interface Hop {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  readonly channel: string;
  /** The skip range that allows it. */
  readonly range?: string | undefined;
  /** The entry that declares it. */
  readonly place?: Place | undefined;
}

/** What one set of rules reads of a package. */
export interface Scope {
  readonly rules: Rules;
  readonly channels: readonly ChannelGraph[];
  /** Entries that may be chosen; for OLM v0 the most preferred first. */
  readonly entries: readonly PlacedEntry[];
}

/** The channels and entries that count; no channel when the package has none of that name. */
export function scopeOf(graph: UpgradeGraph, rules: Rules, channel: string | undefined): Scope {
  const named = graph.channels.filter(({ name }) => name === channel);
  // The graph's channels stand with the default one first.
  const read = channel !== undefined ? named : rules === "v0" ? graph.channels.slice(0, 1) : graph.channels;
  return { rules, channels: read, entries: read.flatMap(({ order, entries }) => (rules === "v0" ? order : entries)) };
}

/** As something that edges can lead from. */
export const installedOf = ({ name, version }: PathStart): Installed =>
  installedFrom({ name, skips: [], version: version ?? "" });

export function hopOf({ from, kind, entry }: Step<PlacedEntry>): Hop {
  const { name, channel, place, skipRange } = entry;
  return { from, to: name, kind, channel, place, ...(kind === "skipRange" ? { range: skipRange } : {}) };
}

/** What upgrades lead to under the rules of the scope, each with the fewest steps to it. */
export function reachable(scope: Scope, from: PathStart): ReadonlyMap<string, readonly Hop[]> {
  const { rules, entries } = scope;
  const isReadable = (version: string | undefined): boolean => version !== undefined && parseVersion(version).ok;
  if (rules === "v1" && !isReadable(from.version)) return new Map([[from.name, []]]);
  const readable = rules === "v0" ? entries : entries.filter(({ version }) => isReadable(version));
  return new Map(
    [...reachableFrom(readable, installedOf(from))].map(([name, steps]) => [name, steps.map(hopOf)] as const),
  );
}
