import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { goQuote } from "@purser/kubernetes/go-quote";

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** A whole number as Go's `Atoi` reads it. */
function indexOf(text: string): number | undefined {
  return /^[+-]?\d+$/u.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

function parseInterval(text: string, completions: number): Result<Interval, string> {
  const parts = text.split("-");
  if (parts.length > 2)
    return failed(
      `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    );
  const bounds: number[] = [];
  for (const part of parts) {
    const index = indexOf(part);
    if (index === undefined) return failed(`cannot convert string to integer for index: ${goQuote(part)}`);
    if (index >= completions) return failed(`too large index: ${goQuote(part)}`);
    bounds.push(index);
  }
  const [first = 0, last = first] = bounds;
  if (parts.length > 1 && first >= last) return failed(`non-increasing order, previous: ${first}, current: ${last}`);
  return done({ first, last });
}

/** Why a list of indexes such as `0-2,5` is invalid; undefined when it is valid. */
export function indexesProblem(text: string, completions: number): string | undefined {
  let last: number | undefined;
  for (const part of text === "" ? [] : text.split(",")) {
    const interval = parseInterval(part, completions);
    if (!interval.ok) return interval.problem;
    if (last !== undefined && last >= interval.value.first)
      return `non-increasing order, previous: ${last}, current: ${interval.value.first}`;
    last = interval.value.last;
  }
  return undefined;
}

/** The first index that is in both lists; unreadable parts are ignored. */
export function sharedIndex(completed: string, failedIndexes: string, completions: number): number | undefined {
  const read = (text: string): readonly Interval[] =>
    (text === "" ? [] : text.split(",")).flatMap((part) => {
      const interval = parseInterval(part, completions);
      return interval.ok ? [interval.value] : [];
    });
  const [left, right] = [read(completed), read(failedIndexes)];
  let [i, j] = [0, 0];
  for (;;) {
    const [a, b] = [left[i], right[j]];
    if (a === undefined || b === undefined) return undefined;
    if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first);
    if (a.first <= b.first) i++;
    else j++;
  }
}
