import type { Clock } from "@purser/kubernetes/clock";

/**
 * The reason to abort what nobody waits for any longer. Without a reason each `abort()` makes an error with a stack trace, which
 * takes as long as a small request.
 */
export const noLongerNeeded = "no longer needed";

/** Calls `onExpired` after `durationMs`, unless the function that it returns is called before. */
export function startTimeLimit(clock: Clock, durationMs: number, onExpired: () => void): () => void {
  const stopped = new AbortController();
  clock.sleep(durationMs, stopped.signal).then(onExpired, () => undefined);
  return () => stopped.abort(noLongerNeeded);
}
