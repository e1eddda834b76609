import type { Mark, Shape } from "./marks.ts";

export const markRadius = 6;

function octagon(x: number, y: number, radius: number): string {
  const near = radius * Math.tan(Math.PI / 8);
  const points = [
    [-near, -radius],
    [near, -radius],
    [radius, -near],
    [radius, near],
    [near, radius],
    [-near, radius],
    [-radius, near],
    [-radius, -near],
  ];
  return points.map(([dx = 0, dy = 0]) => `${round(x + dx)},${round(y + dy)}`).join(" ");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function shapeAt(shape: Shape, x: number, y: number): string {
  const ring = (radius: number, name = ""): string =>
    `<circle${name === "" ? "" : ` class="${name}"`} cx="${x}" cy="${y}" r="${radius}"/>`;
  switch (shape) {
    case "head":
      return ring(markRadius + 1) + ring(3);
    case "installed":
      return `${ring(markRadius + 1)}${ring(4, "ug-full")}<path d="M${x} ${y - markRadius - 1}v-4"/>`;
    case "version":
    case "stranded":
    case "direct":
      return ring(markRadius - 1);
    case "skipped":
      return ring(markRadius - 2);
    case "deprecated":
      return `<polygon points="${octagon(x, y, markRadius)}"/>`;
    case "missing":
      return `${ring(markRadius)}<text class="ug-ask" x="${x}" y="${y}">?</text>`;
    case "elsewhere":
      return ring(3);
  }
}

/** A mark around a point; a deprecated one that is something else as well wears the octagon outside. */
export function drawMark({ shape, isDeprecated }: Mark, x: number, y: number): string {
  const around =
    isDeprecated && shape !== "deprecated"
      ? `<polygon class="ug-octagon" points="${octagon(x, y, markRadius + 4)}"/>`
      : "";
  return `${around}<g class="ug-mark ug-mark-${shape}">${shapeAt(shape, x, y)}</g>`;
}
