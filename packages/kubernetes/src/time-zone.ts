/** Local date and time; `month` 1 to 12, `weekday` 0 for Sunday. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly weekday: number;
}

/** Converts between epoch milliseconds and local time. */
export interface TimeZone {
  /** Offset from UTC in milliseconds. */
  offsetAt(epochMs: number): number;
}

export const utc: TimeZone = { offsetAt: () => 0 };

const known = new Map<string, TimeZone>();

/** The zone with that name in the IANA database; undefined when there is none. */
export function timeZone(name: string): TimeZone | undefined {
  if (name === "" || name === "UTC") return utc;
  const held = known.get(name);
  if (held !== undefined) return held;
  const format = formatOf(name);
  if (format === undefined) return undefined;
  const zone = {
    offsetAt: (epochMs: number): number => {
      const parts = new Map(format.formatToParts(epochMs).map(({ type, value }) => [type, Number(value)]));
      const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
      const local = Date.UTC(
        part("year"),
        part("month") - 1,
        part("day"),
        part("hour"),
        part("minute"),
        part("second"),
      );
      return local - Math.floor(epochMs / 1000) * 1000;
    },
  };
  known.set(name, zone);
  return zone;
}

function formatOf(name: string): Intl.DateTimeFormat | undefined {
  // Offsets such as +01:00 are not zone names.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const { timeZone: resolved } = format.resolvedOptions();
    // Names are case-sensitive, because Go looks them up as files.
    return resolved !== name && resolved.toLowerCase() === name.toLowerCase() ? undefined : format;
  } catch {
    return undefined;
  }
}

/** Calendar fields of an instant (ms since 1970 in UTC) in the zone; months and days count from 1. */
export function localTime(zone: TimeZone, epochMs: number): LocalTime {
  const shifted = new Date(epochMs + zone.offsetAt(epochMs));
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
    weekday: shifted.getUTCDay(),
  };
}

/** The time at which local clocks show this; out-of-range months and days carry over, as in Go's `time.Date`. */
export function momentOf(zone: TimeZone, year: number, month: number, day: number, hour = 0): number {
  const local = Date.UTC(year, month - 1, day, hour);
  const offset = zone.offsetAt(local);
  // The offset may differ between the two times.
  return local - zone.offsetAt(local - offset);
}

/** RFC 3339 with the zone's offset. */
export function formatIn(zone: TimeZone, epochMs: number): string {
  const offset = zone.offsetAt(epochMs);
  const text = new Date(epochMs + offset).toISOString().slice(0, 19);
  if (zone === utc) return `${text}Z`;
  const minutes = Math.abs(offset) / 60_000;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return offset === 0 ? `${text}Z` : `${text}${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
