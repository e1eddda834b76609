import type { Place } from "@purser/kubernetes/place";
import type { ChannelEntry, EdgeKind } from "./channel-entry.ts";
import type { ChannelOrderProblem } from "./channel-order.ts";
import { channelHeads, channelOrder } from "./channel-order.ts";
import type { GraphBundle } from "./graph-bundle.ts";
import type { DeclaredChannel, DeclaredEntry, PackageVersions } from "./package-versions.ts";
import { reachingHeads } from "./reaching-heads.ts";
import type { RuleSet } from "./rules.ts";
import { ruleSet } from "./rules.ts";
import type { Installed } from "./successors.ts";
import { installedFrom, skipRangeOf } from "./successors.ts";

/** An entry of a channel whose bundle is in the catalog, and where it is declared. */
export interface PlacedEntry extends ChannelEntry {
  readonly channel: string;
  readonly place?: Place | undefined;
}

/** What an entry declares: upgrades to its bundle from those that it replaces, skips or covers with its range. */
export interface Link {
  readonly kind: EdgeKind;
  readonly channel: string;
  readonly to: string;
  /** As declared for replaces and skips; for a range the other entries of the channel whose version lies in it. */
  readonly from: readonly string[];
  readonly range?: string | undefined;
  /** Under which rules the upgrade may be chosen. */
  readonly rules: RuleSet;
  readonly place?: Place | undefined;
}

/** A bundle in a channel. */
export interface ChannelNode {
  readonly name: string;
  /** `elsewhere`: named here and in the catalog, but no entry of this channel. `missing`: not in the catalog. */
  readonly kind: "entry" | "elsewhere" | "missing";
  readonly isHead: boolean;
  readonly skippedBy: readonly string[];
  /** Rules under which the edges of this channel lead from here to no head. */
  readonly stranded: RuleSet;
  /** Rules under which no edge of this channel leads here, though it is not the oldest: only a direct install gets it. */
  readonly directOnly: RuleSet;
}

export interface ChannelProblem {
  readonly kind: "noHead" | "severalHeads" | "cycle" | "duplicateEntry" | "unreadableRange";
  readonly entries: readonly string[];
  readonly message: string;
}

export interface ChannelGraph {
  readonly name: string;
  readonly isDefault: boolean;
  readonly deprecation?: string | undefined;
  /** Names of entries that no other one replaces or skips. */
  readonly heads: readonly string[];
  /** Entries that OLM v0 may choose, head first; empty when it refuses the channel. */
  readonly order: readonly PlacedEntry[];
  /** Why OLM v0 refuses the channel. */
  readonly refusal?: ChannelOrderProblem;
  /** Entries with a bundle, as declared: those that OLM v1 may choose. */
  readonly entries: readonly PlacedEntry[];
  readonly nodes: readonly ChannelNode[];
  readonly links: readonly Link[];
  readonly problems: readonly ChannelProblem[];
}

/** One channel of a package; `bundles` holds every name that the package uses. */
export function channelGraph(
  channel: DeclaredChannel,
  { name: packageName, defaultChannel }: PackageVersions,
  bundles: ReadonlyMap<string, GraphBundle>,
): ChannelGraph {
  const problems: ChannelProblem[] = [];
  const declared = new Map<string, DeclaredEntry>();
  for (const entry of channel.entries) {
    if (!declared.has(entry.name)) declared.set(entry.name, entry);
    else problems.push(problem("duplicateEntry", [entry.name], `entry "${entry.name}" is listed twice`));
  }
  const all = [...declared.values()].map((entry): PlacedEntry => placedEntry(entry, channel.name, bundles));
  const entries = all.filter(({ name }) => bundles.get(name)?.kind === "bundle");
  const heads = channelHeads(all).map(({ name }) => name);
  const order = channelOrder(entries, channel.name, packageName);
  problems.push(...graphProblems(all, heads));
  const chosen = order.ok ? order.value : [];
  const inOrder = new Set(chosen.map(({ name }) => name));
  const present = new Set(entries.map(({ name }) => name));
  const installed = entries.map(installedFrom);
  const links = all.flatMap((entry) =>
    linksOf(entry, installed, ruleSet(inOrder.has(entry.name), present.has(entry.name))),
  );
  return {
    name: channel.name,
    isDefault: channel.name === defaultChannel,
    deprecation: channel.deprecation,
    heads,
    order: chosen,
    ...(order.ok ? {} : { refusal: order.problem }),
    entries,
    nodes: nodesOf({ all, entries, order: chosen, refused: !order.ok, heads, links, bundles }),
    links,
    problems,
  };
}

function placedEntry(entry: DeclaredEntry, channel: string, bundles: ReadonlyMap<string, GraphBundle>): PlacedEntry {
  const { name, replaces, skips, skipRange, place } = entry;
  return {
    name,
    channel,
    version: bundles.get(name)?.version ?? "",
    replaces: replaces === "" ? undefined : replaces,
    skips: skips.filter((skip) => skip !== ""),
    skipRange: skipRange === "" ? undefined : skipRange,
    place,
  };
}

function linksOf(entry: PlacedEntry, entries: readonly Installed[], rules: RuleSet): readonly Link[] {
  const { name: to, channel, replaces, skips, skipRange, place } = entry;
  const link = { to, channel, rules, place };
  const range = skipRangeOf(skipRange);
  return [
    ...(replaces === undefined ? [] : [{ ...link, kind: "replaces" as const, from: [replaces] }]),
    ...(skips.length === 0 ? [] : [{ ...link, kind: "skips" as const, from: [...new Set(skips)] }]),
    ...(range === undefined
      ? []
      : [
          {
            ...link,
            kind: "skipRange" as const,
            range: range.text,
            from: entries
              .filter(({ name, version }) => name !== to && version !== undefined && range.includes(version))
              .map(({ name }) => name),
          },
        ]),
  ];
}

function problem(kind: ChannelProblem["kind"], entries: readonly string[], message: string): ChannelProblem {
  return { kind, entries, message };
}

function graphProblems(entries: readonly PlacedEntry[], heads: readonly string[]): readonly ChannelProblem[] {
  const found: ChannelProblem[] = [];
  if (heads.length === 0 && entries.length > 0)
    found.push(problem("noHead", [], "has no head: every entry is replaced or skipped by another one"));
  if (heads.length > 1) {
    const sorted = heads.toSorted();
    found.push(problem("severalHeads", sorted, `has ${heads.length} heads: ${sorted.join(", ")}`));
  }
  for (const cycle of cyclesOf(entries))
    found.push(problem("cycle", cycle, `has a cycle: ${[...cycle, cycle[0]].join(" replaces ")}`));
  for (const { name, skipRange } of entries) {
    if (skipRange !== undefined && skipRangeOf(skipRange) === undefined)
      found.push(problem("unreadableRange", [name], `entry "${name}" has a skipRange that is no range: ${skipRange}`));
  }
  return found;
}

/** Cycles of `replaces`; each entry replaces at most one other, so each is found by walking once. */
function cyclesOf(entries: readonly PlacedEntry[]): readonly (readonly string[])[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const done = new Set<string>();
  const cycles: string[][] = [];
  for (const start of byName.keys()) {
    const walk: string[] = [];
    const inWalk = new Set<string>();
    let at: string | undefined = start;
    while (at !== undefined && byName.has(at) && !done.has(at) && !inWalk.has(at)) {
      inWalk.add(at);
      walk.push(at);
      at = byName.get(at)?.replaces;
    }
    if (at !== undefined && inWalk.has(at)) cycles.push(walk.slice(walk.indexOf(at)));
    for (const name of walk) done.add(name);
  }
  return cycles;
}

interface NodeSources {
  readonly all: readonly PlacedEntry[];
  readonly entries: readonly PlacedEntry[];
  readonly order: readonly PlacedEntry[];
  readonly refused: boolean;
  readonly heads: readonly string[];
  readonly links: readonly Link[];
  readonly bundles: ReadonlyMap<string, GraphBundle>;
}

function nodesOf(sources: NodeSources): readonly ChannelNode[] {
  const { all, entries, order, refused, heads, links, bundles } = sources;
  const declared = new Set(all.map(({ name }) => name));
  const named = new Set([...declared, ...links.flatMap(({ kind, from }) => (kind === "skipRange" ? [] : from))]);
  const skippedBy = new Map<string, string[]>();
  for (const { name, skips } of all)
    for (const skip of new Set(skips)) skippedBy.set(skip, [...(skippedBy.get(skip) ?? []), name]);
  const isHead = new Set(heads);
  const installed = [...named].map((name) =>
    installedFrom({ name, skips: [], version: bundles.get(name)?.version ?? "" }),
  );
  const onward = { v0: reachingHeads(order, isHead, installed), v1: reachingHeads(entries, isHead, installed) };
  const reached = { v0: reachedBy(links, "v0"), v1: reachedBy(links, "v1") };
  const oldest = [...bundles.values()].findLast(
    ({ name, precedence }) => declared.has(name) && precedence !== undefined,
  );
  return [...named].map((name): ChannelNode => {
    const kind = bundles.get(name)?.kind === "missing" ? "missing" : declared.has(name) ? "entry" : "elsewhere";
    const own = kind === "entry";
    // A channel without a head, or one that OLM v0 refuses, has its own problem: its entries are not marked stranded.
    const asked = own && heads.length > 0 && !isHead.has(name);
    const direct = own && !skippedBy.has(name) && name !== oldest?.name;
    const under = (v0: boolean, v1: boolean): RuleSet => ruleSet(refused ? v1 : v0, v1);
    return {
      name,
      kind,
      isHead: isHead.has(name),
      skippedBy: skippedBy.get(name) ?? [],
      stranded: under(asked && !onward.v0.has(name), asked && !onward.v1.has(name)),
      directOnly: under(direct && !reached.v0.has(name), direct && !reached.v1.has(name)),
    };
  });
}

/** Bundles to which some upgrade leads; a range counts when it covers an entry of the channel. */
function reachedBy(links: readonly Link[], rules: "v0" | "v1"): ReadonlySet<string> {
  return new Set(
    links
      .filter((link) => (link.rules === rules || link.rules === "both") && link.from.some((name) => name !== link.to))
      .map(({ to }) => to),
  );
}
