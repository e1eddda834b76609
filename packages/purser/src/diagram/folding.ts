import type { ChannelGraph, ChannelNode } from "../upgrade-graph/channel-graph.ts";
import type { GraphBundle } from "../upgrade-graph/graph-bundle.ts";
import { holdsUnder } from "../upgrade-graph/rules.ts";
import type { PictureOptions } from "./picture-options.ts";

/** So many versions are seen at a glance: none of them is folded. */
const mostUnfolded = 10;
/** A run shorter than this is shown as it is. */
const shortestRun = 4;
/** With more rows than this, versions are folded by minor version. */
const mostRows = 400;

/**
 * The bundles as rows: runs of ordinary versions become one row each where there are more than ten versions.
 * Heads, installed, deprecated and stranded ones, those on the path, ends of ranges and branches are never folded.
 */
export function foldRows(
  bundles: readonly GraphBundle[],
  channels: readonly ChannelGraph[],
  options: PictureOptions,
): readonly (readonly GraphBundle[])[] {
  if (options.all === true || bundles.length <= mostUnfolded) return bundles.map((bundle) => [bundle]);
  const lanes = channels.map((channel) => laneKeys(channel, bundles, options));
  // In each channel the run must be of one kind; a channel in which the version is not does not break it.
  const rows = runs(
    bundles.map(({ name }) => lanes.map((keys) => keys.get(name))),
    shortestRun,
  );
  const folded = rows.map(({ start, end }) => bundles.slice(start, end));
  if (folded.length <= mostRows) return folded;
  const minors = bundles.map((bundle) => [minorOf(bundle, channels, options)]);
  return runs(minors, 2).map(({ start, end }) => bundles.slice(start, end));
}

/** Why a bundle must be shown, or the kind of run that it may be folded into. */
type FoldKey = { readonly kind: "shown" } | { readonly kind: "run"; readonly key: string };

const shown: FoldKey = { kind: "shown" };

/** Neighbours in which no column changes its kind; each column holds the keys of one channel. */
function runs(
  items: readonly (readonly (FoldKey | undefined)[])[],
  shortest: number,
): readonly { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let start = 0; start < items.length;) {
    const kinds = new Map<number, string>();
    let end = start;
    while (end < items.length && joins(items[end] ?? [], kinds)) end++;
    if (end - start >= shortest) {
      found.push({ start, end });
      start = end;
    } else {
      found.push({ start, end: start + 1 });
      start++;
    }
  }
  return found;
}

function joins(keys: readonly (FoldKey | undefined)[], kinds: Map<number, string>): boolean {
  if (keys.some((key) => key?.kind === "shown")) return false;
  const given = keys.flatMap((key, column) => (key?.kind === "run" ? [[column, key.key] as const] : []));
  if (given.some(([column, key]) => (kinds.get(column) ?? key) !== key)) return false;
  for (const [column, key] of given) kinds.set(column, key);
  return true;
}

function mustShow(name: string, { path, installed }: PictureOptions): boolean {
  if ((installed?.get(name)?.length ?? 0) > 0 || name === path?.from || name === path?.to) return true;
  return path?.hops.some((hop) => hop.from === name || hop.to === name) === true;
}

function laneKeys(
  channel: ChannelGraph,
  bundles: readonly GraphBundle[],
  options: PictureOptions,
): ReadonlyMap<string, FoldKey> {
  const nodes = new Map(channel.nodes.map((node) => [node.name, node]));
  const inLane = bundles.filter(({ name }) => nodes.has(name));
  const position = new Map(inLane.map(({ name }, index) => [name, index]));
  const links = linksOf(channel);
  const remarkable = new Set<string>();
  for (const [index, { name, deprecation }] of inLane.entries()) {
    const node = nodes.get(name);
    if (node === undefined) continue;
    const isOrdinary =
      !node.isHead &&
      deprecation === undefined &&
      !holdsUnder(node.stranded, options.rules) &&
      !holdsUnder(node.directOnly, options.rules) &&
      !mustShow(name, options) &&
      links.isPlain(node, index, position);
    if (!isOrdinary) remarkable.add(name);
  }
  const skips = new Map(channel.links.flatMap(({ kind, to, from }) => (kind === "skips" ? [[to, from]] : [])));
  const ends = new Set<string>();
  for (const { kind, to, from } of channel.links) {
    if (kind !== "skipRange" || !remarkable.has(to)) continue;
    const covered = from.flatMap((name) => position.get(name) ?? []);
    for (const end of [Math.min(...covered), Math.max(...covered)]) {
      const bundle = inLane[end];
      if (bundle !== undefined) ends.add(bundle.name);
    }
  }
  return new Map(
    inLane.map(({ name }): readonly [string, FoldKey] => {
      if (remarkable.has(name) || ends.has(name)) return [name, shown];
      const node = nodes.get(name);
      // Neighbours with the same skips can be folded, like those without skips.
      const key = JSON.stringify([node?.kind, node?.skippedBy, skips.get(name)]);
      return [name, { kind: "run", key }];
    }),
  );
}

interface LaneLinks {
  /** Whether it has at most one upgrade in and one out, both to its neighbours, or is only skipped. */
  isPlain(node: ChannelNode, index: number, position: ReadonlyMap<string, number>): boolean;
}

function linksOf({ links }: ChannelGraph): LaneLinks {
  const replaces = new Map<string, string>();
  const replacedBy = new Map<string, string[]>();
  for (const { kind, to, from } of links) {
    const [older] = from;
    if (kind !== "replaces" || older === undefined) continue;
    replaces.set(to, older);
    replacedBy.set(older, [...(replacedBy.get(older) ?? []), to]);
  }
  return {
    isPlain: ({ name, skippedBy, kind }, index, position) => {
      const later = replacedBy.get(name) ?? [];
      if (kind !== "entry") return later.length === 0;
      if (skippedBy.length > 0) return true;
      const older = replaces.get(name);
      const [next] = later;
      if (later.length > 1) return false;
      if (older !== undefined && position.get(older) !== index + 1) return false;
      return next === undefined || position.get(next) === index - 1;
    },
  };
}

function minorOf(bundle: GraphBundle, channels: readonly ChannelGraph[], options: PictureOptions): FoldKey {
  const { name, precedence } = bundle;
  if (precedence === undefined || mustShow(name, options) || channels.some(({ heads }) => heads.includes(name)))
    return shown;
  return { kind: "run", key: `${precedence.version.major}.${precedence.version.minor}` };
}
