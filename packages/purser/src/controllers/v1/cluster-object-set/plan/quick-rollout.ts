import type { KubeObject } from "@purser/kubernetes/apis/object";
import { remainingMs } from "@purser/kubernetes/clock";

/**
 * A revision that has rolled out within this time showed that it ended, and not what it waited for in between; that it began is shown
 * by its extension, or by itself when no extension owns it.
 */
export const quickMs = 2_000;

/** How long a revision still counts as just created; 0 when it no longer does, or when the clock of the API server is another. */
export function quickMsLeft({ metadata }: KubeObject, now: number): number {
  return remainingMs(metadata.creationTimestamp, quickMs, now);
}
