import { holdsUnder } from "../upgrade-graph/rules.ts";
import type { Arrow, Lane, Picture } from "./picture.ts";
import type { Route, Routes } from "./tracks.ts";
import { markRadius } from "./svg-marks.ts";

const trackWidth = 11;
const bracketWidth = 9;
const corner = 5;

/** Width of what runs on the left of a channel's marks. */
export function sideWidth({ tracks, bracketTracks }: Routes): number {
  return markRadius + 6 + tracks * trackWidth + (bracketTracks === 0 ? 0 : bracketTracks * bracketWidth + 6);
}

export interface LaneFrame {
  readonly picture: Picture;
  readonly lane: Lane;
  readonly routes: Routes;
  /** Where the marks of the lane stand. */
  readonly x: number;
  readonly yOf: (row: number) => number;
}

/** All upgrades of a channel, the path last and so on top. */
export function drawEdges(frame: LaneFrame): string {
  const { routes, x } = frame;
  const lines: string[] = [];
  for (const route of routes.brackets) lines.push(bracket(frame, route));
  for (const route of routes.arrows) {
    const { arrow, track } = route;
    lines.push(
      track === 0
        ? straight(frame, arrow, "")
        : trunk(frame, arrow, arrow.from, x - markRadius - track * trackWidth, ""),
    );
    if (frame.picture.rules === "both" && (arrow.rules === "v0" || arrow.rules === "v1"))
      lines.push(rulesLabel(frame, route));
  }
  for (const { arrow, track } of routes.arrows) {
    if (arrow.pathFrom.length === 0) continue;
    lines.push(
      track === 0
        ? straight(frame, arrow, " ug-path")
        : trunk(frame, arrow, arrow.pathFrom, x - markRadius - track * trackWidth, " ug-path"),
    );
  }
  for (const route of routes.brackets) {
    const { arrow } = route;
    if (arrow.pathFrom.length > 0) lines.push(trunk(frame, arrow, arrow.pathFrom, bracketX(frame, route), " ug-path"));
  }
  return lines.join("");
}

function classOf({ picture }: LaneFrame, { kind, rules }: Arrow): string {
  const isPartial =
    rules === "none" || (picture.rules === "both" ? rules !== "both" : !holdsUnder(rules, picture.rules));
  return `ug-${kind}${isPartial ? " ug-partial" : ""}`;
}

function straight(frame: LaneFrame, arrow: Arrow, more: string): string {
  const { x, yOf } = frame;
  const [from = arrow.to] = arrow.from;
  const [start, end] = [yOf(from), yOf(arrow.to)];
  const up = start > end ? 1 : -1;
  const head = up > 0 ? "" : arrowHead(x, end - markRadius - 2, "down", more);
  return `<path class="${classOf(frame, arrow)}${more}" d="M${x} ${start - up * (markRadius + 1)}V${end + up * (markRadius + 2)}"/>${head}`;
}

function trunk(frame: LaneFrame, arrow: Arrow, sources: readonly number[], at: number, more: string): string {
  const { x, yOf } = frame;
  const y = yOf(arrow.to);
  const edge = x - markRadius - 2;
  const parts: string[] = [];
  for (const up of [1, -1]) {
    const side = sources.filter((row) => (yOf(row) - y) * up > 0).toSorted((left, right) => (right - left) * up);
    for (const [index, row] of side.entries()) {
      const tap = `M${edge} ${yOf(row)}H${at + corner}Q${at} ${yOf(row)} ${at} ${yOf(row) - up * corner}`;
      // The farthest source draws the trunk, the others only join it: dashes drawn twice would look solid.
      parts.push(index > 0 ? tap : `${tap}V${y + up * corner}Q${at} ${y} ${at + corner} ${y}H${edge - 4}`);
    }
  }
  return `<path class="${classOf(frame, arrow)}${more}" d="${parts.join("")}"/>${arrowHead(edge, y, "right", more)}`;
}

function arrowHead(x: number, y: number, direction: "right" | "down", more: string): string {
  const points =
    direction === "right"
      ? `${x},${y} ${x - 6},${y - 3.5} ${x - 6},${y + 3.5}`
      : `${x},${y} ${x - 3.5},${y - 6} ${x + 3.5},${y - 6}`;
  return `<polygon class="${more === "" ? "ug-arrow" : "ug-arrow-path"}" points="${points}"/>`;
}

function bracketX({ routes, x }: LaneFrame, { track }: Route): number {
  return x - markRadius - 2 - (routes.tracks + 1) * trackWidth - (track - 1) * bracketWidth;
}

/** Beside all rows that a range covers, joined to the entry that declares it. */
function bracket(frame: LaneFrame, route: Route): string {
  const { arrow } = route;
  const { x, yOf } = frame;
  const at = bracketX(frame, route);
  const y = yOf(arrow.to);
  const edge = x - markRadius - 6;
  const top = yOf(arrow.from[0] ?? arrow.to) - 9;
  const bottom = yOf(arrow.from.at(-1) ?? arrow.to) + 9;
  const parts = [`M${at + 4} ${bottom}H${at}V${top}H${at + 4}`];
  if (y < top) parts.push(`M${at} ${top}V${y + corner}Q${at} ${y} ${at + corner} ${y}H${edge}`);
  else if (y > bottom) parts.push(`M${at} ${bottom}V${y - corner}Q${at} ${y} ${at + corner} ${y}H${edge}`);
  else parts.push(`M${at} ${y}H${edge}`);
  return `<path class="${classOf(frame, arrow)}" d="${parts.join("")}"/>${arrowHead(x - markRadius - 2, y, "right", "")}`;
}

function rulesLabel({ x, yOf }: LaneFrame, { arrow, track }: Route): string {
  const y = yOf(arrow.to);
  const [from = arrow.to] = arrow.from;
  return track === 0
    ? `<text class="ug-rules" x="${x + 5}" y="${(y + yOf(from)) / 2 + 1}">${arrow.rules}</text>`
    : `<text class="ug-rules" x="${x - markRadius - 12}" y="${y - 7}" text-anchor="end">${arrow.rules}</text>`;
}
