/** Time as a port. Only the system clock in `engine` reads the machine's; everything else is handed one. */
export interface Clock {
  /** Wall time in milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes backwards. */
  monotonic(): number;
  /** Resolves after `durationMs`; rejects with the signal's reason when it aborts first. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

/** Asked for several times a write, most often for the same second. */
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
