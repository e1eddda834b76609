const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** A duration as `kubectl get` shows it: at most two units, coarser the longer it is. */
export function formatDuration(durationMs: number): string {
  if (durationMs < -second) return "<invalid>";
  if (durationMs < 0) return "0s";
  if (durationMs < 2 * minute) return `${Math.floor(durationMs / second)}s`;
  if (durationMs < 10 * minute) return pair(durationMs, minute, "m", second, "s");
  if (durationMs < 3 * hour) return `${Math.floor(durationMs / minute)}m`;
  if (durationMs < 8 * hour) return pair(durationMs, hour, "h", minute, "m");
  if (durationMs < 2 * day) return `${Math.floor(durationMs / hour)}h`;
  if (durationMs < 8 * day) return pair(durationMs, day, "d", hour, "h");
  if (durationMs < 2 * year) return `${Math.floor(durationMs / day)}d`;
  if (durationMs < 8 * year) return pair(durationMs, year, "y", day, "d");
  return `${Math.floor(durationMs / year)}y`;
}

function pair(durationMs: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const whole = Math.floor(durationMs / large);
  const rest = Math.floor((durationMs % large) / small);
  return rest === 0 ? `${whole}${largeUnit}` : `${whole}${largeUnit}${rest}${smallUnit}`;
}

/** Time since an RFC 3339 timestamp; `<unknown>` without one. */
export function ageOf(timestamp: string, nowMs: number): string {
  const since = Date.parse(timestamp);
  return Number.isNaN(since) ? "<unknown>" : formatDuration(nowMs - since);
}
