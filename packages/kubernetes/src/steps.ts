/**
 * A computation over input whose size a client decides, divided into steps. It yields between steps, where the caller
 * may run other work. Its input must not change until it ends.
 */
export type Steps<Value> = Generator<undefined, Value, undefined>;

/** Runs all steps without yielding. */
export function allSteps<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A computation without steps. */
export function* noSteps<Value>(value: Value): Steps<Value> {
  yield* [];
  return value;
}

/** So many members, items or short texts are worked on between two pauses: some milliseconds. */
const stride = 4096;

/** Counts the members or items of one pass over a value, in all of its parts together. */
export class Strides {
  #done = 0;

  /** Counts one (or `count`) more; true when it is time for a pause. */
  isDue(count = 1): boolean {
    this.#done += count;
    if (this.#done < stride) return false;
    this.#done = 0;
    return true;
  }
}

/**
 * The texts in the order of `compare`, with pauses. Texts that `compare` calls equal keep their order. Sorts runs of one stride
 * and merges them.
 */
export function* sortedInSteps(
  texts: readonly string[],
  compare: (left: string, right: string) => number,
): Steps<readonly string[]> {
  if (texts.length <= stride) return [...texts].sort(compare);
  let runs: (readonly string[])[] = [];
  for (let from = 0; from < texts.length; from += stride) {
    runs.push(texts.slice(from, from + stride).sort(compare));
    yield;
  }
  const strides = new Strides();
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(yield* mergedRuns(runs[index] ?? [], runs[index + 1] ?? [], compare, strides));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedRuns(
  left: readonly string[],
  right: readonly string[],
  compare: (left: string, right: string) => number,
  strides: Strides,
): Steps<readonly string[]> {
  if (right.length === 0) return left;
  const out: string[] = [];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const [a, b] = [left[l], right[r]];
    if (b === undefined || (a !== undefined && compare(a, b) <= 0)) {
      out.push(a ?? "");
      l++;
    } else {
      out.push(b);
      r++;
    }
    if (strides.isDue()) yield;
  }
  return out;
}
