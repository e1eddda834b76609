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
