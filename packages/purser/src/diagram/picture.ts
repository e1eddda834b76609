import type { ChannelGraph, ChannelNode, Link } from "../upgrade-graph/channel-graph.ts";
import type { GraphBundle } from "../upgrade-graph/graph-bundle.ts";
import type { RuleSet, Rules } from "../upgrade-graph/rules.ts";
import { holdsUnder } from "../upgrade-graph/rules.ts";
import type { UpgradeGraph } from "../upgrade-graph/upgrade-graph.ts";
import { foldRows } from "./folding.ts";
import type { Mark } from "./marks.ts";
import { markOf } from "./marks.ts";
import type { DrawnPath, PictureOptions } from "./picture-options.ts";

/** One or several versions, newest on top; the same row in every channel. */
export interface Row {
  /** More than one: folded. */
  readonly bundles: readonly GraphBundle[];
  readonly label: string;
}

/** The bundles of one channel in one row. */
export interface Cell {
  readonly row: number;
  /** More than one: folded, all with the mark of the first. */
  readonly nodes: readonly ChannelNode[];
  readonly mark: Mark;
  readonly hop?: number | undefined;
}

/** Upgrades that one entry declares in one way, between rows. */
export interface Arrow {
  readonly kind: Link["kind"];
  readonly to: number;
  /** Ascending, without the row of the entry itself. */
  readonly from: readonly number[];
  readonly range?: string | undefined;
  readonly rules: RuleSet;
  /** Rows from which the path goes this way. */
  readonly pathFrom: readonly number[];
}

export interface Lane {
  readonly channel: ChannelGraph;
  /** By row. */
  readonly cells: ReadonlyMap<number, Cell>;
  readonly arrows: readonly Arrow[];
}

/** A package's upgrade graph laid out in rows (versions) and lanes (channels), not yet in any form of drawing. */
export interface Picture {
  readonly graph: UpgradeGraph;
  readonly rules: Rules | "both";
  readonly rows: readonly Row[];
  /** What each bundle is shown as, by its name. */
  readonly labels: ReadonlyMap<string, string>;
  readonly lanes: readonly Lane[];
  readonly hiddenChannels: readonly string[];
  readonly path?: DrawnPath | undefined;
  /** Contradictions in the channels shown, one sentence each. */
  readonly notes: readonly string[];
}

const mostLanes = 8;

/** Lays a graph out: which rows and channels are shown, what stands in them, which upgrades run between them. */
export function pictureOf(graph: UpgradeGraph, options: PictureOptions): Picture {
  const { rules, channels, all = false, path } = options;
  const wanted = channels === undefined ? graph.channels : graph.channels.filter(({ name }) => channels.includes(name));
  const shown = channels === undefined && !all ? wanted.slice(0, mostLanes) : wanted;
  const named = new Set(shown.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const bundles = graph.bundles.filter(({ name }) => named.has(name));
  const rows = foldRows(bundles, shown, options).map((members): Row => ({
    bundles: members,
    label: rowLabel(members),
  }));
  const rowOf = new Map(rows.flatMap((row, index) => row.bundles.map(({ name }) => [name, index] as const)));
  return {
    graph,
    rules,
    rows,
    labels: new Map(graph.bundles.map((bundle) => [bundle.name, versionLabel(bundle)])),
    lanes: shown.map((channel) => laneOf(channel, rows, rowOf, options)),
    hiddenChannels: wanted.slice(shown.length).map(({ name }) => name),
    path,
    notes: [...(options.notes ?? []), ...shown.flatMap(notesOf)],
  };
}

/** A version as it is shown: with its release, and by name where there is no version. */
export function versionLabel({ name, version, release }: GraphBundle): string {
  if (version === undefined) return name;
  return release === undefined || release === "" ? version : `${version} (release ${release})`;
}

function rowLabel(members: readonly GraphBundle[]): string {
  const [first] = members;
  if (first === undefined) return "";
  const last = members.at(-1);
  return last === undefined || last === first ? versionLabel(first) : `${versionLabel(first)} … ${versionLabel(last)}`;
}

function laneOf(
  channel: ChannelGraph,
  rows: readonly Row[],
  rowOf: ReadonlyMap<string, number>,
  { rules, path, installed }: PictureOptions,
): Lane {
  const hopTo = new Map(
    path?.hops.flatMap((hop, index) => (hop.channel === channel.name ? [[hop.to, index + 1] as const] : [])),
  );
  // Start and target of the path are only marked in channels that it uses.
  const isOnPath = path?.hops.length === 0 || hopTo.size > 0;
  const byName = new Map(channel.nodes.map((node) => [node.name, node]));
  const cells = new Map<number, Cell>();
  for (const [row, { bundles }] of rows.entries()) {
    const nodes = bundles.flatMap(({ name }) => byName.get(name) ?? []);
    const [node] = nodes;
    const bundle = bundles.find(({ name }) => name === node?.name);
    if (node === undefined || bundle === undefined) continue;
    const hop = hopTo.get(node.name);
    const mark = markOf({
      node,
      bundle,
      rules,
      installed: installed?.get(node.name) ?? [],
      isStart: isOnPath && node.name === path?.from,
      isTarget: isOnPath && node.name === path?.to,
      hop,
    });
    cells.set(row, { row, nodes, mark, hop });
  }
  // All upgrades of a channel that OLM v0 refuses are OLM v1's; a note says so, not a mark at each of them.
  const isRefused = channel.refusal !== undefined;
  const links = channel.links
    .filter((link) => rules === "both" || isRefused || holdsUnder(link.rules, rules))
    .map((link) => (isRefused && rules === "both" && link.rules === "v1" ? { ...link, rules } : link));
  return { channel, cells, arrows: arrowsOf(channel, links, rows, rowOf, path) };
}

function arrowsOf(
  channel: ChannelGraph,
  links: readonly Link[],
  rows: readonly Row[],
  rowOf: ReadonlyMap<string, number>,
  path: DrawnPath | undefined,
): readonly Arrow[] {
  const arrows = new Map<string, Arrow>();
  const replaced = new Map(
    links.flatMap((link) => (link.kind === "replaces" ? [[link.to, link.from[0]] as const] : [])),
  );
  const hops = path?.hops.filter((hop) => hop.channel === channel.name) ?? [];
  for (const { kind, to, from, range, rules } of links) {
    const row = rowOf.get(to);
    if (row === undefined) continue;
    // The range of a folded entry is not drawn: most of its neighbours have the same one.
    if (kind === "skipRange" && (rows[row]?.bundles.length ?? 0) > 1) continue;
    // A bundle that the entry replaces and skips is one upgrade, not two.
    const sources = kind === "skips" ? from.filter((name) => name !== replaced.get(to)) : from;
    const fromRows = rowsOf(sources, row, rowOf);
    const pathRows = rowsOf(
      hops.filter((hop) => hop.to === to && hop.kind === kind).map((hop) => hop.from),
      row,
      rowOf,
    );
    if (fromRows.length === 0 && kind !== "skipRange") continue;
    // Folded entries declare the same upgrades; one line between two rows is enough.
    const key =
      kind === "skipRange" ? `${row} ${range}` : `${row} ${kind} ${kind === "skips" ? "" : fromRows.join(" ")}`;
    const known = arrows.get(key);
    const merged = (some: readonly number[], more: readonly number[] = []): readonly number[] =>
      [...new Set([...some, ...more])].sort((left, right) => left - right);
    arrows.set(key, {
      kind,
      to: row,
      from: merged(fromRows, known?.from),
      range,
      rules: known === undefined || known.rules === rules ? rules : "both",
      pathFrom: merged(pathRows, known?.pathFrom),
    });
  }
  return [...arrows.values()];
}

function rowsOf(names: readonly string[], own: number, rowOf: ReadonlyMap<string, number>): readonly number[] {
  const rows = new Set(names.flatMap((name) => rowOf.get(name) ?? []));
  rows.delete(own);
  return [...rows].sort((left, right) => left - right);
}

function notesOf({ name, refusal, problems, deprecation }: ChannelGraph): readonly string[] {
  return [
    ...(deprecation === undefined
      ? []
      : [`channel ${name} is deprecated${deprecation === "" ? "" : `: ${deprecation}`}`]),
    ...problems.map(({ kind, message }) => `channel ${name} ${message} (${kind})`),
    ...(refusal === undefined ? [] : [`OLM v0 takes nothing from channel ${name}: ${refusal.message}`]),
  ];
}
