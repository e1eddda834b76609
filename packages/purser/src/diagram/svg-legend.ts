import { textWidth } from "./markup.ts";
import type { Shape } from "./marks.ts";
import type { Picture } from "./picture.ts";
import { drawMark } from "./svg-marks.ts";

const words: Readonly<Record<Shape, string>> = {
  head: "head",
  installed: "installed",
  version: "version",
  skipped: "skipped",
  deprecated: "deprecated",
  stranded: "no way forward",
  direct: "direct install only",
  missing: "not in catalog",
  elsewhere: "in another channel",
};

const edges = { replaces: "replaces", skips: "skips", skipRange: "covers by skipRange" } as const;

export interface Legend {
  readonly markup: string;
  readonly bottom: number;
  readonly width: number;
}

/** What the marks and lines of this picture mean; only those that occur in it. */
export function legendOf({ lanes }: Picture, left: number, top: number, width: number): Legend {
  const marks = lanes.flatMap(({ cells }) => [...cells.values()].map(({ mark }) => mark));
  const shapes = new Set<string>(
    marks.flatMap(({ shape, isDeprecated }) => (isDeprecated ? [shape, "deprecated"] : [shape])),
  );
  const kinds = new Set<string>(lanes.flatMap(({ arrows }) => arrows.map(({ kind }) => kind)));
  const items: { readonly text: string; readonly draw: (x: number, y: number) => string }[] = [];
  for (const shape of Object.keys(words) as Shape[]) {
    if (!shapes.has(shape)) continue;
    items.push({ text: words[shape], draw: (x, y) => drawMark({ shape, isDeprecated: false, tags: [] }, x + 9, y) });
  }
  for (const kind of ["replaces", "skips", "skipRange"] as const) {
    if (kinds.has(kind))
      items.push({ text: edges[kind], draw: (x, y) => `<path class="ug-${kind}" d="M${x} ${y}H${x + 18}"/>` });
  }
  items.push({ text: "up is newer", draw: (x, y) => `<path class="ug-replaces" d="M${x + 9} ${y + 6}V${y - 5}"/>` });
  const parts: string[] = [];
  let [x, y, widest] = [left, top + 14, left];
  for (const { text, draw } of items) {
    const needed = 24 + textWidth(text, 12) + 16;
    if (x > left && x + needed > width) [x, y] = [left, y + 22];
    parts.push(`${draw(x, y)}<text class="ug-small" x="${x + 24}" y="${y}">${text}</text>`);
    x += needed;
    widest = Math.max(widest, x);
  }
  return {
    markup: `<g class="ug-legend" role="note" aria-label="legend">${parts.join("")}</g>`,
    bottom: y + 12,
    width: widest,
  };
}
