/** Lines `from` to `fromEnd` of one text correspond to lines `to` to `toEnd` of the other. */
interface Step {
  readonly same: boolean;
  readonly from: number;
  readonly fromEnd: number;
  readonly to: number;
  readonly toEnd: number;
}

interface Match {
  readonly from: number;
  readonly to: number;
  readonly size: number;
}

const context = 3;

/** From this number of lines on, lines that make up more than a hundredth of a text are not used for matching. */
const longText = 200;

/** Limit of line pairs that one comparison examines; the rest counts as changed. */
const mostPairs = 20_000_000;

/**
 * A unified diff with three lines of context and without file names, as written by Go's port of Python's `difflib`,
 * which does not search for the shortest one. Empty for equal texts.
 */
export function unifiedDiff(before: string, after: string): string {
  const [from, to] = [linesOf(before), linesOf(after)];
  return hunksOf(stepsOf(from, to))
    .map((hunk) => hunkText(hunk, from, to))
    .join("");
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").map((line) => `${line}\n`);
}

/** Positions of each line in the other text, except for very frequent lines. */
function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  }
  if (lines.length < longText) return places;
  const most = Math.floor(lines.length / 100) + 1;
  return new Map([...places].filter(([, indexes]) => indexes.length <= most));
}

function stepsOf(from: readonly string[], to: readonly string[]): readonly Step[] {
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  for (const match of [...matchesOf(from, to), { from: from.length, to: to.length, size: 0 }]) {
    if (i < match.from || j < match.to)
      steps.push({ same: false, from: i, fromEnd: match.from, to: j, toEnd: match.to });
    [i, j] = [match.from + match.size, match.to + match.size];
    if (match.size > 0) steps.push({ same: true, from: match.from, fromEnd: i, to: match.to, toEnd: j });
  }
  return steps;
}

/** Equal blocks in order: recursively the longest one, then those before and after it. */
function matchesOf(from: readonly string[], to: readonly string[]): readonly Match[] {
  const places = placesOf(to);
  const pairs = { left: mostPairs };
  const found: Match[] = [];
  const open: (readonly [number, number, number, number])[] = [[0, from.length, 0, to.length]];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [low, high, otherLow, otherHigh] = range;
    const match = longestMatch(from, to, places, range, pairs);
    if (match.size === 0) continue;
    found.push(match);
    if (low < match.from && otherLow < match.to) open.push([low, match.from, otherLow, match.to]);
    const [end, otherEnd] = [match.from + match.size, match.to + match.size];
    if (end < high && otherEnd < otherHigh) open.push([end, high, otherEnd, otherHigh]);
  }
  const merged: Match[] = [];
  for (const match of found.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    const touches = last !== undefined && last.from + last.size === match.from && last.to + last.size === match.to;
    if (touches) merged[merged.length - 1] = { ...last, size: last.size + match.size };
    else merged.push(match);
  }
  return merged;
}

function longestMatch(
  from: readonly string[],
  to: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  [low, high, otherLow, otherHigh]: readonly [number, number, number, number],
  pairs: { left: number },
): Match {
  let best = { from: low, to: otherLow, size: 0 };
  // Lengths of the matching blocks that end at each line of the other text.
  let lengths = new Map<number, number>();
  for (let index = low; index < high; index++) {
    const next = new Map<number, number>();
    const others = places.get(from[index] ?? "") ?? [];
    pairs.left -= others.length + 1;
    if (pairs.left < 0) break;
    for (const other of others) {
      if (other < otherLow) continue;
      if (other >= otherHigh) break;
      const size = (lengths.get(other - 1) ?? 0) + 1;
      next.set(other, size);
      if (size > best.size) best = { from: index - size + 1, to: other - size + 1, size };
    }
    lengths = next;
  }
  // Frequent lines extend a block, but do not start one.
  let { from: start, to: otherStart, size } = best;
  while (start > low && otherStart > otherLow && from[start - 1] === to[otherStart - 1]) {
    start--;
    otherStart--;
    size++;
  }
  while (start + size < high && otherStart + size < otherHigh && from[start + size] === to[otherStart + size]) size++;
  return { from: start, to: otherStart, size };
}

/** Groups changes with their context into hunks. */
function hunksOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const hunks: Step[][] = [];
  let hunk: Step[] = [];
  for (const [index, step] of steps.entries()) {
    if (!step.same) {
      hunk.push(step);
      continue;
    }
    const [isFirst, isLast] = [index === 0, index === steps.length - 1];
    const size = step.fromEnd - step.from;
    const head = { ...step, fromEnd: Math.min(step.fromEnd, step.from + context) };
    const tail = { ...step, from: Math.max(step.from, step.fromEnd - context) };
    const closing = { ...head, toEnd: Math.min(step.toEnd, step.to + context) };
    const opening = { ...tail, to: Math.max(step.to, step.toEnd - context) };
    if (isFirst && isLast) continue;
    if (isFirst) hunk.push(opening);
    else if (isLast) hunk.push(closing);
    else if (size > 2 * context) {
      hunks.push([...hunk, closing]);
      hunk = [opening];
    } else hunk.push(step);
  }
  return hunk.some(({ same }) => !same) ? [...hunks, hunk] : hunks;
}

/** Never empty: a text has at least one line, and what is added or removed has lines around it. */
function rangeText(start: number, end: number): string {
  const size = end - start;
  return size === 1 ? String(start + 1) : `${start + 1},${size}`;
}

function hunkText(hunk: readonly Step[], from: readonly string[], to: readonly string[]): string {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) return "";
  const marked = (mark: string, lines: readonly string[]): string => lines.map((line) => `${mark}${line}`).join("");
  const body = hunk.map((step) => {
    const held = from.slice(step.from, step.fromEnd);
    return step.same ? marked(" ", held) : `${marked("-", held)}${marked("+", to.slice(step.to, step.toEnd))}`;
  });
  return `@@ -${rangeText(first.from, last.fromEnd)} +${rangeText(first.to, last.toEnd)} @@\n${body.join("")}`;
}
