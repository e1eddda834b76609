import type { Arrow, Cell, Lane, Picture } from "./picture.ts";
import { cellLabel } from "./cell-label.ts";

/** Text inside a quoted label: mermaid reads entities there, and a quote or a bracket of others must stay text. */
function escapeLabel(text: string): string {
  return text
    .replace(/\p{C}/gu, "?")
    .replace(/[^\p{L}\p{N} .,:;+\-_/()!=…·*]/gu, (character) => `#${character.codePointAt(0) ?? 63};`);
}

const classes = [
  "  classDef head stroke:#1a5cc0,stroke-width:3px",
  "  classDef installed stroke:#14181f,stroke-width:3px",
  "  classDef skipped stroke-dasharray:2 3",
  "  classDef deprecated stroke:#7a3d9e",
  "  classDef stranded stroke:#b3261e,stroke-dasharray:6 3",
  "  classDef direct stroke-dasharray:1 4",
  "  classDef missing stroke-dasharray:2 2,color:#626d7c",
  "  classDef elsewhere stroke-dasharray:2 2,color:#626d7c",
];

/** The picture in mermaid's language: a subgraph for each channel, upgrades point at the newer version. */
export function drawMermaid(picture: Picture): string {
  const lines = ["flowchart BT"];
  for (const note of picture.notes) lines.push(`  %% ${note.replace(/[\p{C}\p{Zl}\p{Zp}{}]/gu, " ")}`);
  const edges: string[] = [];
  const used = new Set<string>();
  for (const [index, lane] of picture.lanes.entries()) {
    const id = (row: number): string => `c${index}r${row}`;
    lines.push(`  subgraph c${index}["${escapeLabel(laneTitle(lane))}"]`);
    for (const cell of [...lane.cells.values()].toReversed()) {
      const shape = cell.mark.shape;
      if (shape !== "version") used.add(shape);
      lines.push(
        `    ${id(cell.row)}${nodeShape(cell, escapeLabel(cellLabel(picture, cell)))}${shape === "version" ? "" : `:::${shape}`}`,
      );
    }
    lines.push("  end");
    for (const arrow of lane.arrows) edges.push(...arrowLines(picture, arrow, id));
  }
  return [...lines, ...edges, ...classes.filter((line) => used.has(line.trim().split(" ")[1] ?? "")), ""].join("\n");
}

export function laneTitle({ channel }: Lane): string {
  const words = [channel.isDefault ? "default" : "", channel.deprecation === undefined ? "" : "deprecated"];
  return [channel.name, ...words.filter((word) => word !== "")].join(" · ");
}

function nodeShape({ nodes, mark }: Cell, label: string): string {
  if (nodes.length > 1) return `(["${label}"])`;
  if (mark.shape === "deprecated") return `{{"${label}"}}`;
  return mark.shape === "head" ? `[["${label}"]]` : `["${label}"]`;
}

function arrowLines(picture: Picture, arrow: Arrow, id: (row: number) => string): readonly string[] {
  const under = picture.rules === "both" && (arrow.rules === "v0" || arrow.rules === "v1") ? ` ${arrow.rules}` : "";
  if (arrow.kind === "skipRange") {
    const range = `${id(arrow.to)}range`;
    return [
      `  ${range}>"${escapeLabel(`${arrow.range ?? ""}${under}`)}"] -. skipRange .-> ${id(arrow.to)}`,
      ...arrow.pathFrom.map((row) => `  ${id(row)} == skipRange${under} ==> ${id(arrow.to)}`),
    ];
  }
  return arrow.from.map((row) => {
    if (arrow.pathFrom.includes(row)) return `  ${id(row)} == ${arrow.kind}${under} ==> ${id(arrow.to)}`;
    return arrow.kind === "replaces"
      ? `  ${id(row)} -->${under === "" ? "" : `|${under.trim()}|`} ${id(arrow.to)}`
      : `  ${id(row)} -. skips${under} .-> ${id(arrow.to)}`;
  });
}
