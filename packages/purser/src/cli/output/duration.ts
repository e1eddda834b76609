import { UsageError } from "../command.ts";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses a duration such as `90s`, `1m30s` or `500ms` to milliseconds. @throws UsageError */
export function parseDuration(text: string, flag: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text)
    throw new UsageError(`${flag} "${text}" is not a duration`, "write for example 30s, 10m or 1h30m");
  return parts.reduce((sum, [, number = "0", unit = "s"]) => sum + Number(number) * (units[unit] ?? 0), 0);
}

/** The age of a timestamp in one unit, such as `3h`, `12m` or `5d`; empty for a missing or invalid timestamp. */
export function formatAge(fromIso: string | undefined, now: number): string {
  const from = Date.parse(fromIso ?? "");
  if (Number.isNaN(from)) return "";
  const seconds = Math.max(0, Math.floor((now - from) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
