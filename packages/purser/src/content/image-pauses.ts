import type { Poll } from "../catalog/content.ts";
import type { ImageProblem } from "../image/image-problem.ts";

const firstRetryMs = 2000;
const longestRetryMs = 5 * 60_000;
/** A problem that only another content of the same reference can end: a tag may be moved, a file repaired. */
const finalRetryMs = longestRetryMs;

/**
 * Milliseconds until a failed pull is tried again: twice as long after each failure up to five minutes, with up to a
 * tenth added, and never before the time that the registry asked for.
 * @param failures in a row, this one included
 * @param fraction random, from 0 to 1
 */
export function retryMs(
  { isFinal = false, retryAfterMs = 0 }: ImageProblem,
  failures: number,
  fraction: number,
): number {
  const growing = Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 20), longestRetryMs);
  return Math.max(isFinal ? finalRetryMs : growing, Math.min(retryAfterMs, longestRetryMs)) * (1 + fraction / 10);
}

/** Milliseconds until a tag is looked at again; undefined: never. */
export function pollMs(poll: Poll | undefined, fraction: number): number | undefined {
  if (poll === undefined) return undefined;
  const [least, most] = poll.jitter;
  return poll.everyMs * (least + (most - least) * fraction);
}

/** Milliseconds until the poll that the last look of a former process leaves; 0 when it is due or there was none. */
export function restOfPollMs(poll: Poll | undefined, now: number): number {
  if (poll?.lastMs === undefined) return 0;
  return Math.max(0, poll.lastMs + poll.everyMs - now);
}
