import { timeZone } from "../../time-zone.ts";
import { type CelDuration, type CelTimestamp, type CelValue, fault } from "../cel-value.ts";
import { type Overload, overload } from "../overload.ts";

type DatePart = (date: Date) => number;

/** Parts of a date in UTC; months, days of the month and days of the year are zero-based unless named otherwise. */
const parts: Readonly<Record<string, DatePart>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) =>
    Math.floor(
      (Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - Date.UTC(date.getUTCFullYear(), 0, 1)) /
        86_400_000,
    ),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

function dateOf({ nanos }: CelTimestamp, zone: string): Date | undefined {
  const millis = nanos >= 0n ? nanos / 1_000_000n : -((-nanos + 999_999n) / 1_000_000n);
  const offset = zoneOffset(zone, Number(millis));
  return offset === undefined ? undefined : new Date(Number(millis) + offset);
}

/** Offset of the zone from UTC in milliseconds at that time: `+05:30`, `Europe/Berlin`. */
function zoneOffset(zone: string, at: number): number | undefined {
  const fixed = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    return (fixed[1] === "-" ? -minutes : minutes) * 60_000;
  }
  return timeZone(zone)?.offsetAt(at);
}

const ofTimestamps: readonly Overload[] = Object.entries(parts).flatMap(([name, part]) => {
  const run = (value: CelTimestamp, zone: string): CelValue => {
    const date = dateOf(value, zone);
    return date === undefined ? fault(`unknown time zone ${zone}`) : BigInt(part(date));
  };
  return [
    overload(`timestamp.${name}(): int`, (value: CelTimestamp) => run(value, "UTC")),
    overload(`timestamp.${name}(string): int`, run),
  ];
});

const durationUnits: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

const ofDurations: readonly Overload[] = Object.entries(durationUnits).map(([name, unit]) =>
  overload(`duration.${name}(): int`, (value: CelDuration) => value.nanos / unit),
);

export const timeFunctions: readonly Overload[] = [...ofTimestamps, ...ofDurations];
