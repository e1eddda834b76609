// All mutants of a file, and a seeded sample of the mutants of many.
import { isLeftOut } from "./left-out.ts";
import { changesOf } from "./operators.ts";
import { parse, walk } from "./syntax.ts";

export interface Mutant {
  /** From the root. */
  readonly path: string;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** The text of the file with the mutant in it. */
export const planted = (text: string, { start, end, after }: Mutant): string =>
  text.slice(0, start) + after + text.slice(end);

/**
 * In the order of the text; outer changes before those inside them. Each remains to be checked with `isValid`, which takes
 * too long for the mutants of a whole package. Throws when the file itself is not valid.
 */
export function mutantsOf(path: string, text: string): readonly Mutant[] {
  const program = parse(path, text);
  if (program === undefined) throw new Error(`${path} is not valid TypeScript`);
  const found: Mutant[] = [];
  walk(program, (node, ancestors) => {
    if (isLeftOut(node, ancestors)) return false;
    for (const { operator, start, end, after } of changesOf(node, ancestors, text)) {
      const lines = text.slice(0, start).split("\n");
      const place = { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
      found.push({ path, ...place, operator, start, end, before: text.slice(start, end), after });
    }
    return true;
  });
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Whether the file is valid TypeScript with the mutant in it; types are not checked. */
export const isValid = (text: string, mutant: Mutant): boolean =>
  parse(mutant.path, planted(text, mutant)) !== undefined;

/**
 * The first `count` that `isWanted` keeps of a shuffle that follows from the seed alone: a larger sample begins with the
 * smaller one.
 */
export function sampleOf<T>(
  all: readonly T[],
  seed: number,
  count: number,
  isWanted: (one: T) => boolean = () => true,
): readonly T[] {
  const shuffled = [...all];
  const random = randomFrom(seed);
  const sample: T[] = [];
  for (let at = 0; at < shuffled.length && sample.length < count; at++) {
    const other = at + Math.floor(random() * (shuffled.length - at));
    const [here, there] = [shuffled[at], shuffled[other]];
    if (here === undefined || there === undefined) continue;
    shuffled[other] = here;
    if (isWanted(there)) sample.push(there);
  }
  return sample;
}

/** Mulberry32: numbers from 0 to below 1. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
