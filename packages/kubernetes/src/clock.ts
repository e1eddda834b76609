/** Port for time. Only the system clock reads the machine's; all other code receives a clock. */
export interface Clock {
  /** Wall time in milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes backwards. */
  monotonic(): number;
  /** Resolves after `durationMs`; rejects with the signal's reason when it aborts first. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

/** Cached: one write formats the time several times, mostly within the same second. */
let latest = { second: Number.NaN, text: "" };

/** RFC 3339 UTC with whole seconds, as Kubernetes writes `metav1.Time`. */
export function formatTime(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  if (second !== latest.second) latest = { second, text: `${new Date(epochMs).toISOString().slice(0, 19)}Z` };
  return latest.text;
}

/** RFC 3339 UTC with microseconds, as Kubernetes writes `metav1.MicroTime`. */
export function formatMicroTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 23)}000Z`;
}

/**
 * Milliseconds that are left of a duration which began at `since`, an RFC 3339 time or epoch milliseconds. 0 when it is over, when `since` is no time, and
 * when it lies in the future: the clock was set back, and nobody must wait for it to catch up.
 */
export function remainingMs(since: string | number | undefined, durationMs: number, now: number): number {
  const began = typeof since === "number" ? since : Date.parse(since ?? "");
  const left = began + durationMs - now;
  return left > 0 && left <= durationMs ? left : 0;
}
