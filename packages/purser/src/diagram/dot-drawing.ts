import { cellLabel } from "./cell-label.ts";
import type { Shape } from "./marks.ts";
import { laneTitle } from "./mermaid-drawing.ts";
import type { Arrow, Cell, Picture } from "./picture.ts";

/** A quoted string of Graphviz: quotes and backslashes of others stay text, a line break or control character cannot end it. */
function quote(text: string): string {
  return `"${text.replace(/\p{C}/gu, "?").replace(/[\\"]/g, (character) => `\\${character}`)}"`;
}

const attributes: Readonly<Record<Shape, string>> = {
  head: 'peripheries=2, color="#1a5cc0"',
  installed: "style=bold",
  version: "",
  skipped: "style=dotted",
  deprecated: 'shape=octagon, color="#7a3d9e"',
  stranded: 'style=dashed, color="#b3261e"',
  direct: "style=dotted",
  missing: "style=dashed, color=gray50, fontcolor=gray40",
  elsewhere: "style=dashed, color=gray50, fontcolor=gray40",
};

/** The picture in the language of Graphviz: a cluster for each channel, upgrades point at the newer version. */
export function drawDot(picture: Picture): string {
  const lines = [
    `digraph ${quote(picture.graph.packageName)} {`,
    "  rankdir=BT;",
    '  fontname="sans-serif";',
    '  node [shape=box, fontname="sans-serif", fontsize=11];',
    '  edge [fontname="sans-serif", fontsize=9];',
  ];
  for (const note of picture.notes) lines.push(`  // ${note.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ")}`);
  for (const [index, lane] of picture.lanes.entries()) {
    const id = (row: number): string => `c${index}r${row}`;
    lines.push(`  subgraph cluster_${index} {`, `    label=${quote(laneTitle(lane))};`);
    for (const cell of lane.cells.values()) lines.push(`    ${id(cell.row)} [${nodeAttributes(picture, cell)}];`);
    lines.push("  }");
    for (const arrow of lane.arrows) lines.push(...arrowLines(picture, arrow, id));
  }
  return [...lines, "}", ""].join("\n");
}

function nodeAttributes(picture: Picture, cell: Cell): string {
  const own = cell.nodes.length > 1 ? "style=rounded" : attributes[cell.mark.shape];
  return [`label=${quote(cellLabel(picture, cell))}`, own].filter((text) => text !== "").join(", ");
}

function arrowLines(picture: Picture, arrow: Arrow, id: (row: number) => string): readonly string[] {
  const isPartial = picture.rules === "both" && (arrow.rules === "v0" || arrow.rules === "v1");
  const under = isPartial ? ` ${arrow.rules}` : "";
  if (arrow.kind === "skipRange") {
    const range = `${id(arrow.to)}range`;
    return [
      `  ${range} [shape=note, label=${quote(arrow.range ?? "")}];`,
      `  ${range} -> ${id(arrow.to)} [style=dotted, label="skipRange${under}"];`,
      ...arrow.pathFrom.map((row) => `  ${id(row)} -> ${id(arrow.to)} [label="skipRange${under}", penwidth=3];`),
    ];
  }
  return arrow.from.map((row) => {
    const onPath = arrow.pathFrom.includes(row);
    const style = [
      arrow.kind === "skips" || onPath
        ? [`label="${arrow.kind}${under}"`]
        : isPartial
          ? [`label="${arrow.rules}"`]
          : [],
      onPath ? ["penwidth=3"] : arrow.kind === "skips" ? ["style=dashed"] : [],
    ].flat();
    return `  ${id(row)} -> ${id(arrow.to)}${style.length === 0 ? "" : ` [${style.join(", ")}]`};`;
  });
}
