import type { Arrow, Lane } from "./picture.ts";

/** Where the line of an upgrade is drawn beside the marks of its channel. */
export interface Route {
  readonly arrow: Arrow;
  /** 0: straight from mark to mark, else counted from the marks outwards. */
  readonly track: number;
}

export interface Routes {
  /** Replaces and skips. */
  readonly arrows: readonly Route[];
  readonly tracks: number;
  /** Skip ranges, outside of the arrows. */
  readonly brackets: readonly Route[];
  readonly bracketTracks: number;
  /** Skip ranges without a bracket: a drawn one covers all that they cover, or there is no room. */
  readonly contained: readonly Arrow[];
}

/** More brackets side by side than this cannot be distinguished. */
const mostBrackets = 4;

/** First and last row; sources stand in ascending order. */
const span = ({ to, from }: Arrow): readonly [number, number] => [
  Math.min(to, from[0] ?? to),
  Math.max(to, from.at(-1) ?? to),
];

/** Gives every upgrade of a channel a track on which it overlaps no other one; short ones are near the marks. */
export function routesOf({ cells, arrows }: Lane): Routes {
  const rows = [...cells.keys()];
  const isStraight = (arrow: Arrow): boolean => {
    const [first, last] = span(arrow);
    return arrow.from.length === 1 && !rows.some((row) => row > first && row < last);
  };
  const straight = new Set<string>();
  const lines: Arrow[] = [];
  const routes: Route[] = [];
  for (const arrow of arrows.filter(({ kind }) => kind !== "skipRange")) {
    // Two upgrades between the same neighbours, one up and one down: only one can be straight.
    const between = span(arrow).join(" ");
    if (isStraight(arrow) && !straight.has(between)) {
      straight.add(between);
      routes.push({ arrow, track: 0 });
    } else lines.push(arrow);
  }
  const packed = pack(lines);
  const ranges = arrows.filter(({ kind, from }) => kind === "skipRange" && from.length > 0);
  const drawn = new Set(outermost(ranges).slice(0, mostBrackets));
  const brackets = pack(ranges.filter((arrow) => drawn.has(arrow)));
  return {
    arrows: [...routes, ...packed],
    tracks: Math.max(0, ...packed.map(({ track }) => track)),
    brackets,
    bracketTracks: Math.max(0, ...brackets.map(({ track }) => track)),
    contained: arrows.filter((arrow) => arrow.kind === "skipRange" && !drawn.has(arrow)),
  };
}

/** Ranges that no range of a newer entry contains, and those that the path takes; the newest first. */
function outermost(ranges: readonly Arrow[]): readonly Arrow[] {
  const kept: Arrow[] = [];
  const covered: ReadonlySet<number>[] = [];
  for (const arrow of ranges.toSorted((left, right) => left.to - right.to)) {
    const isContained = covered.some((rows) => arrow.from.every((row) => rows.has(row)));
    if (isContained && arrow.pathFrom.length === 0) continue;
    kept.push(arrow);
    covered.push(new Set(arrow.from));
  }
  return kept.toSorted((left, right) => right.pathFrom.length - left.pathFrom.length || left.to - right.to);
}

function pack(arrows: readonly Arrow[]): readonly Route[] {
  const taken: (readonly [number, number])[][] = [];
  const length = (arrow: Arrow): number => span(arrow)[1] - span(arrow)[0];
  return arrows
    .toSorted((left, right) => length(left) - length(right) || left.to - right.to)
    .map((arrow) => {
      const [first, last] = span(arrow);
      let index = taken.findIndex((spans) => spans.every(([start, end]) => last < start || first > end));
      if (index < 0) index = taken.push([]) - 1;
      taken[index]?.push([first, last]);
      return { arrow, track: index + 1 };
    });
}
