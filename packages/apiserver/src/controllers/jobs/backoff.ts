import type { Pod } from "@purser/kubernetes/apis/core";
import { endedAt } from "./pods.ts";

const firstRetryMs = 10_000;
const longestRetryMs = 600_000;

/** Failures of a Job's pods since the last success. */
export interface Failures {
  readonly count: number;
  /** Epoch milliseconds of the last failure; undefined when there is none. */
  readonly lastMs: number | undefined;
}

export const noFailures: Failures = { count: 0, lastMs: undefined };

/** The record updated with the pods that finished since. */
export function withEnded(before: Failures, succeeded: readonly Pod[], failed: readonly Pod[]): Failures {
  const ends = failed.map(endedAt).toSorted((a, b) => a - b);
  if (succeeded.length === 0)
    return ends.length === 0 ? before : { count: before.count + ends.length, lastMs: ends.at(-1) };
  const success = Math.max(...succeeded.map(endedAt));
  const later = ends.filter((end) => end > success);
  return later.length === 0 ? noFailures : { count: later.length, lastMs: later.at(-1) };
}

/**
 * Milliseconds until the next pod may be created: ten seconds after a failure, doubled each time, at most ten minutes.
 */
export function retryDelay({ count, lastMs }: Failures, nowMs: number): number {
  if (count === 0 || lastMs === undefined) return 0;
  return Math.max(0, lastMs + Math.min(longestRetryMs, firstRetryMs * 2 ** (count - 1)) - nowMs);
}
