import type { GraphBundle } from "../upgrade-graph/graph-bundle.ts";
import { escapeMarkup, shortened, textWidth, wrapText } from "./markup.ts";
import type { Cell, Lane, Picture } from "./picture.ts";
import { versionLabel } from "./picture.ts";
import { legendOf } from "./svg-legend.ts";
import type { LaneFrame } from "./svg-edges.ts";
import { drawEdges, sideWidth } from "./svg-edges.ts";
import { drawMark, markRadius } from "./svg-marks.ts";
import { svgStyle } from "./svg-style.ts";
import type { Routes } from "./tracks.ts";
import { routesOf } from "./tracks.ts";
import { nodeSentence } from "./node-sentence.ts";

const margin = 24;
const rowHeight = 28;
const laneGap = 28;
const labelGap = 14;
const noteWidth = 760;
/** Longer names are shortened in the drawing; screen readers and tooltips get them whole. */
const longestLabel = 56;

/** With more channels than this, every mark has its version: the column on the left is too far away. */
const lanesWithoutVersions = 2;

interface Label {
  readonly kind: string;
  readonly text: string;
}

/**
 * The picture as one SVG document: text is text, every mark has a shape, a word and a name for screen readers; light and dark
 * follow the reader's preference. It has no scripts and no external resources.
 */
export function drawSvg(picture: Picture): string {
  const { rows, lanes, notes, graph } = picture;
  const title = `${shortened(graph.packageName, longestLabel)} · upgrade graph`;
  const subtitle = [
    picture.rules === "both" ? "rules of OLM v0 and v1" : `rules of OLM ${picture.rules}`,
    ...(graph.deprecation === undefined ? [] : ["package deprecated"]),
    ...(picture.hiddenChannels.length === 0 ? [] : [`${picture.hiddenChannels.length} more channels not shown`]),
  ].join(" · ");
  const lines = notes.flatMap((note) => wrapText(`! ${note}`, 12, noteWidth));
  const top = margin + 26 + lines.length * 18;
  const header = top + 14;
  const firstRow = header + 34;
  const yOf = (row: number): number => firstRow + row * rowHeight;
  let x = margin + Math.max(60, ...rows.map(({ label }) => textWidth(shortened(label, longestLabel), 13))) + laneGap;
  const laneParts: string[] = [];
  for (const lane of lanes) {
    const routes = routesOf(lane);
    const left = x;
    const frame: LaneFrame = { picture, lane, routes, x: left + sideWidth(routes), yOf };
    const ranges = shownRanges(picture, routes);
    const labels = new Map([...lane.cells.values()].map((cell) => [cell, labelsOf(frame, ranges, cell)] as const));
    const heading = headingOf(lane);
    const widest = Math.max(
      ...[...labels].map(([cell, words]) => capsuleWidth(cell) + labelsWidth(words)),
      textWidth(heading, 13) - sideWidth(routes),
      40,
    );
    x = frame.x + labelGap + widest + laneGap;
    laneParts.push(
      `<g class="ug-lane" role="list" aria-label="${escapeMarkup(`channel ${heading}`)}">`,
      `<text class="ug-channel" x="${left}" y="${header}">${escapeMarkup(heading)}</text>`,
      drawEdges(frame),
      ...[...labels].map(([cell, words]) => drawNode(frame, cell, words)),
      "</g>",
    );
  }
  const legend = legendOf(picture, margin, yOf(rows.length) + 10, Math.max(x, 640) - margin);
  const width = Math.max(
    x,
    legend.width + margin,
    textWidth(title, 16) + textWidth(subtitle, 12) + 3 * margin,
    lines.length === 0 ? 0 : noteWidth + 2 * margin,
  );
  const height = legend.bottom + margin / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="ug" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="group" aria-label="${escapeMarkup(title)}">`,
    `<title>${escapeMarkup(title)}</title>`,
    `<style>${svgStyle}</style>`,
    `<text class="ug-title" x="${margin}" y="${margin}">${escapeMarkup(title)}<tspan class="ug-small" dx="12">${escapeMarkup(subtitle)}</tspan></text>`,
    ...lines.map(
      (line, index) =>
        `<text class="ug-note" x="${margin}" y="${margin + 26 + index * 18}">${escapeMarkup(line)}</text>`,
    ),
    `<path class="ug-rule" d="M${margin} ${header + 14}H${width - margin}"/>`,
    ...rows.map((row, index) => drawRow(shortened(row.label, longestLabel), index, yOf(index), width)),
    ...laneParts,
    legend.markup,
    "</svg>",
    "",
  ].join("\n");
}

function headingOf({ channel }: Lane): string {
  const words = [channel.isDefault ? "default" : "", channel.deprecation === undefined ? "" : "deprecated"];
  return [shortened(channel.name, longestLabel), ...words.filter((word) => word !== "")].join(" · ");
}

function drawRow(label: string, index: number, y: number, width: number): string {
  const band =
    index % 2 === 0
      ? `<rect class="ug-band" x="${margin / 2}" y="${y - rowHeight / 2}" width="${width - margin}" height="${rowHeight}"/>`
      : "";
  return `${band}<text class="ug-version" x="${margin}" y="${y}">${escapeMarkup(label)}</text>`;
}

function labelsOf({ picture }: LaneFrame, ranges: ReadonlyMap<number, string>, cell: Cell): readonly Label[] {
  const { nodes, mark, row } = cell;
  const words = mark.tags
    .filter(({ text }) => !text.startsWith("hop "))
    .map(({ kind, text }) => ({ kind: `tag ug-tag-${kind}`, text }));
  if (nodes.length > 1) return words;
  const bundle = bundleOf(picture, row, nodes[0]?.name);
  const range = ranges.get(row);
  return [
    ...(picture.lanes.length > lanesWithoutVersions && bundle !== undefined
      ? [{ kind: "small ug-version", text: shortened(versionLabel(bundle), longestLabel) }]
      : []),
    ...words,
    ...(range === undefined ? [] : [{ kind: "range", text: `covers ${shortened(range, longestLabel)}` }]),
  ];
}

/** Ranges that entries say, by their row. With several channels there is no room for those that others contain. */
function shownRanges({ lanes }: Picture, { brackets, contained }: Routes): ReadonlyMap<number, string> {
  const bracketed = brackets.map(({ arrow }) => arrow);
  const shown = lanes.length > lanesWithoutVersions ? bracketed : [...contained, ...bracketed];
  return new Map(shown.map(({ to, range }) => [to, range ?? ""]));
}

function bundleOf({ rows }: Picture, row: number, name: string | undefined): GraphBundle | undefined {
  return rows[row]?.bundles.find((bundle) => bundle.name === name);
}

function labelsWidth(labels: readonly Label[]): number {
  return labels.reduce((sum, { text }) => sum + textWidth(text, 12) + 8, 0);
}

function capsuleText({ nodes }: Cell): string {
  return `${nodes.length} versions`;
}

/** 0 for what is not folded. */
function capsuleWidth(cell: Cell): number {
  return cell.nodes.length > 1 ? textWidth(capsuleText(cell), 12) + 16 : 0;
}

function drawNode(frame: LaneFrame, cell: Cell, labels: readonly Label[]): string {
  const { picture, lane, x, yOf } = frame;
  const { nodes, mark, row, hop } = cell;
  const y = yOf(row);
  const sentence = escapeMarkup(nodeSentence(picture, lane, cell));
  const capsule = capsuleWidth(cell);
  const at = x + labelGap + (nodes.length > 1 ? capsule - labelGap : 0) + (hop === undefined ? 0 : 20);
  const words = labels.map(
    ({ kind, text }, index) => `<tspan class="ug-${kind}"${index === 0 ? "" : ' dx="8"'}>${escapeMarkup(text)}</tspan>`,
  );
  const texts = words.length === 0 ? "" : `<text x="${at}" y="${y}">${words.join("")}</text>`;
  const badge =
    hop === undefined
      ? ""
      : `<circle class="ug-badge" cx="${x + labelGap + 6}" cy="${y}" r="8"/><text class="ug-badge-text" x="${x + labelGap + 6}" y="${y}">${hop}</text>`;
  const body =
    nodes.length > 1
      ? `<rect class="ug-capsule" x="${x - 10}" y="${y - 10}" width="${capsule}" height="20" rx="10"/><text class="ug-small" x="${x - 2}" y="${y}">${capsuleText(cell)}</text>`
      : drawMark(mark, x, y);
  const focus = `<rect class="ug-focus" x="${x - markRadius - 6}" y="${y - 13}" width="${at - x + labelsWidth(labels) + markRadius + 6}" height="26" rx="6"/>`;
  return `<g class="ug-node" role="listitem" tabindex="-1" aria-label="${sentence}"><title>${sentence}</title>${focus}${body}${badge}${texts}</g>`;
}
