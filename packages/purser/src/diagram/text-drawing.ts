import type { ChannelGraph } from "../upgrade-graph/channel-graph.ts";
import type { RuleSet } from "../upgrade-graph/rules.ts";
import { holdsUnder } from "../upgrade-graph/rules.ts";
import type { UpgradeGraph } from "../upgrade-graph/upgrade-graph.ts";
import type { PictureOptions } from "./picture-options.ts";
import type { Cell, Lane, Picture } from "./picture.ts";
import { pictureOf } from "./picture.ts";

const gap = 4;

/** Text from a catalog as one line of printable characters. */
function plain(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}

/**
 * The graph as lines of ASCII: a column for each channel, newest on top, `*` on the chain that OLM v0 follows, `o` beside it,
 * `:` a run of ordinary versions. Columns that do not fit into `width` characters come below one another.
 */
export function drawText(graph: UpgradeGraph, options: PictureOptions, width = Infinity): string {
  const whole = pictureOf(graph, options);
  // The columns share no rows, so each is folded separately.
  const pictures = whole.lanes.map(({ channel }) => pictureOf(graph, { ...options, channels: [channel.name] }));
  const columns = pictures.map((picture) => picture.lanes.flatMap((lane) => laneLines(picture, lane)));
  const blocks: string[] = [];
  for (let start = 0; start < columns.length;) {
    let end = start;
    for (let used = 0; end < columns.length; end++) {
      used += widthOf(columns[end] ?? []) + (end > start ? gap : 0);
      if (end > start && used > width) break;
    }
    blocks.push(sideBySide(columns.slice(start, end)));
    start = end;
  }
  const isFolded = pictures.some(({ rows }) => rows.some(({ bundles }) => bundles.length > 1));
  return [...blocks, footer(whole, isFolded)].filter((block) => block !== "").join("\n\n");
}

function widthOf(lines: readonly string[]): number {
  return Math.max(0, ...lines.map((line) => line.length));
}

function sideBySide(columns: readonly (readonly string[])[]): string {
  const widths = columns.map(widthOf);
  const height = Math.max(0, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    columns
      .map((lines, column) => (lines[index] ?? "").padEnd((widths[column] ?? 0) + gap))
      .join("")
      .trimEnd(),
  ).join("\n");
}

/** The entries of OLM v0's order; when it refuses the channel, the heads and what they replace in turn. */
function mainChain({ channel }: Lane): ReadonlySet<string> {
  if (channel.refusal === undefined) return new Set(channel.order.map(({ name }) => name));
  const older = new Map(channel.entries.map(({ name, replaces }) => [name, replaces]));
  const chain = new Set<string>();
  for (const head of channel.heads)
    for (let at: string | undefined = head; at !== undefined && older.has(at) && !chain.has(at); at = older.get(at))
      chain.add(at);
  return chain;
}

function laneLines(picture: Picture, lane: Lane): readonly string[] {
  const { channel, cells } = lane;
  const chain = mainChain(lane);
  const list = [...cells.values()];
  const isMain = (cell: Cell): boolean => cell.nodes.some(({ name }) => chain.has(name));
  const lastMain = list.findLastIndex(isMain);
  const firstMain = list.findIndex(isMain);
  const title = `${plain(channel.name)}${channel.isDefault ? " (default)" : ""}`;
  const lines = [channel.deprecation === undefined ? title : `${title} deprecated`];
  for (const [index, cell] of list.entries()) {
    const besideChain = index > firstMain && index < lastMain;
    if (isMain(cell)) {
      lines.push(`${cell.nodes.length > 1 ? ":" : "*"} ${describe(picture, lane, chain, cell)}`);
      const below = index < lastMain ? "|" : " ";
      for (const declared of declarations(picture, lane, cell)) lines.push(`${below}${declared}`);
    } else {
      const sign = cell.nodes.length > 1 ? ":" : cell.mark.shape === "missing" ? "?" : "o";
      lines.push(`${besideChain ? "| " : ""}${sign} ${describe(picture, lane, chain, cell)}`);
      const below = besideChain ? "| |" : index > lastMain ? " " : "|";
      for (const declared of declarations(picture, lane, cell)) lines.push(`${below}${declared}`);
    }
  }
  if (list.length === 0) lines.push("(no entries)");
  return lines;
}

function describe(picture: Picture, lane: Lane, chain: ReadonlySet<string>, { nodes, mark }: Cell): string {
  const words = mark.tags.map(({ text }) => plain(text));
  const name = nodes[0]?.name ?? "";
  if (nodes.length > 1) return [`${nodes.length} versions`, ...words].join(", ");
  const all = [...words, ...onward(picture, lane, chain, name)];
  const own = labelIn(picture, name);
  if (all.length === 0) return own;
  const short = mark.shape === "head" || mark.shape === "skipped";
  return `${own}${short ? " " : "  "}${all.join(", ")}`;
}

function labelIn({ labels }: Picture, name: string): string {
  return plain(labels.get(name) ?? name);
}

/** Where an entry leads by `replaces` that the chain does not show. */
function onward(picture: Picture, { channel }: Lane, chain: ReadonlySet<string>, name: string): readonly string[] {
  const links = channel.links
    .filter(({ kind, to, from }) => kind === "replaces" && from[0] === name && !(chain.has(name) && chain.has(to)))
    .filter(({ rules }) => picture.rules === "both" || holdsUnder(rules, picture.rules));
  const byRules = Map.groupBy(links, ({ rules }) => onlyUnder(picture, channel, rules));
  return [...byRules].map(([under, same]) => `to ${listed(same.map(({ to }) => labelIn(picture, to)))}${under}`);
}

function listed(names: readonly string[], most = 3): string {
  return names.length <= most ? names.join(", ") : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

function onlyUnder({ rules: shown }: Picture, { refusal }: ChannelGraph, rules: RuleSet): string {
  return shown === "both" && refusal === undefined && (rules === "v0" || rules === "v1") ? ` (${rules})` : "";
}

/** Lines below an entry: what it skips and the range that it covers. */
function declarations(picture: Picture, { channel, cells, arrows }: Lane, { row, nodes }: Cell): readonly string[] {
  if (nodes.length > 1) return [];
  const [node] = nodes;
  const lines: string[] = [];
  for (const link of channel.links) {
    if (link.to !== node?.name) continue;
    if (picture.rules !== "both" && !holdsUnder(link.rules, picture.rules)) continue;
    if (link.kind === "skips")
      lines.push(
        `\\ skips ${listed(link.from.map((name) => labelIn(picture, name)))}${onlyUnder(picture, channel, link.rules)}`,
      );
    if (link.kind === "skipRange") {
      const covered = arrows.find(({ kind, to }) => kind === "skipRange" && to === row)?.from ?? [];
      const count = covered.reduce((sum, at) => sum + (cells.get(at)?.nodes.length ?? 0), 0);
      lines.push(
        `\\ from ${plain(link.range ?? "")}${count === 0 ? "" : ` (${count} here)`}${onlyUnder(picture, channel, link.rules)}`,
      );
    }
  }
  return lines;
}

function footer(picture: Picture, isFolded: boolean): string {
  const { notes, hiddenChannels, path } = picture;
  const label = (name: string): string => labelIn(picture, name);
  const lines = notes.map((note) => `! ${plain(note)}`);
  if (picture.graph.deprecation !== undefined)
    lines.unshift(`! the package is deprecated: ${plain(picture.graph.deprecation)}`);
  if (path !== undefined && path.hops.length > 0)
    lines.push(
      `${path.rules}: ${[label(path.from), ...path.hops.map(({ to, kind }) => `${label(to)} (${kind})`)].join(" -> ")}`,
    );
  if (hiddenChannels.length > 0)
    lines.push(`${hiddenChannels.length} more channels (--all shows them): ${hiddenChannels.map(plain).join(", ")}`);
  else if (isFolded) lines.push(": runs of ordinary versions are folded (--all shows them)");
  return lines.join("\n");
}
