import { parseGoDuration } from "@purser/kubernetes/cel/cel-value";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { localTime, momentOf, timeZone, utc, type LocalTime, type TimeZone } from "@purser/kubernetes/time-zone";

/** A parsed schedule. */
export interface Schedule {
  /** The first time after `epochMs`, in epoch milliseconds; undefined when there is none within five years. */
  next(epochMs: number): number | undefined;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const bounds = {
  minute: { min: 0, max: 59, names: [] },
  hour: { min: 0, max: 23, names: [] },
  day: { min: 1, max: 31, names: [] },
  month: { min: 1, max: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  weekday: { min: 0, max: 6, names: "sun mon tue wed thu fri sat".split(" ") },
} as const satisfies Readonly<Record<string, Bounds>>;

/** The values of one field; `any` when it is a star, which changes how days are matched. */
interface Field {
  readonly values: ReadonlySet<number>;
  readonly any: boolean;
}

type Fields = Readonly<Record<keyof typeof bounds, Field>>;

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/**
 * Parses a CronJob's schedule: five fields with lists, ranges, steps and names; `@hourly` and the like; `@every 1h30m`.
 * Problems have the error text of robfig/cron.
 */
export function parseSchedule(text: string, zone: TimeZone = utc): Result<Schedule, string> {
  if (text === "") return failed("empty spec string");
  if (text.startsWith("TZ=") || text.startsWith("CRON_TZ=")) return parseWithZone(text);
  if (text.startsWith("@every ")) return parseEvery(text);
  if (text.startsWith("@")) {
    const fields = Object.hasOwn(descriptors, text) ? descriptors[text] : undefined;
    return fields === undefined ? failed(`unrecognized descriptor: ${text}`) : parseSchedule(fields, zone);
  }
  const parts = text.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== 5) return failed(`expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`);
  const fields: Partial<Record<keyof typeof bounds, Field>> = {};
  for (const [index, name] of (["minute", "hour", "day", "month", "weekday"] as const).entries()) {
    const field = parseField(parts[index] ?? "", bounds[name]);
    if (!field.ok) return field;
    fields[name] = field.value;
  }
  return done({ next: (epochMs) => nextOf(fields as Fields, zone, epochMs) });
}

function parseWithZone(text: string): Result<Schedule, string> {
  const blank = text.indexOf(" ");
  if (blank < 0) return failed("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  const name = text.slice(text.indexOf("=") + 1, blank);
  const zone = timeZone(name);
  return zone === undefined
    ? failed(`provided bad location ${name}: unknown time zone ${name}`)
    : parseSchedule(text.slice(blank).trim(), zone);
}

function parseEvery(text: string): Result<Schedule, string> {
  const duration = text.slice("@every ".length);
  const parsed = parseGoDuration(duration);
  if (parsed === undefined)
    return failed(`failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`);
  const seconds = Math.max(1, Number(parsed.nanos / 1_000_000_000n));
  return done({ next: (epochMs) => Math.floor(epochMs / 1000) * 1000 + seconds * 1000 });
}

function parseField(text: string, limits: Bounds): Result<Field, string> {
  const values = new Set<number>();
  let any = false;
  // Text that stands there thousands of times is read once.
  for (const part of new Set(text.split(",").filter((held) => held !== ""))) {
    const range = parseRange(part, limits);
    if (!range.ok) return range;
    const { start, end, step } = range.value;
    for (let value = start; value <= end; value += step) values.add(value);
    any ||= range.value.any;
  }
  return done({ values, any });
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly any: boolean;
}

/** `*`, `5`, `1-5`, each with or without a step; `5/10` goes up to the largest value. */
function parseRange(text: string, limits: Bounds): Result<Range, string> {
  const [span = "", ...steps] = text.split("/");
  const [low = "", ...highs] = span.split("-");
  const star = low === "*" || low === "?";
  let [start, end] = [limits.min, limits.max];
  if (!star) {
    const from = parseValue(low, limits);
    if (!from.ok) return from;
    start = from.value;
    if (highs.length > 1) return failed(`too many hyphens: ${text}`);
    const to = highs.length === 0 ? from : parseValue(highs[0] ?? "", limits);
    if (!to.ok) return to;
    end = to.value;
  }
  if (steps.length > 1) return failed(`too many slashes: ${text}`);
  const step = steps.length === 0 ? done(1) : parseInteger(steps[0] ?? "");
  if (!step.ok) return step;
  if (steps.length === 1 && highs.length === 0) end = limits.max;
  const { min, max } = limits;
  if (start < min) return failed(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) return failed(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) return failed(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step.value === 0) return failed(`step of range should be a positive number: ${text}`);
  return done({ start, end, step: step.value, any: star && step.value === 1 });
}

function parseValue(text: string, { names, min }: Bounds): Result<number, string> {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? parseInteger(text) : done(index + min);
}

function parseInteger(text: string): Result<number, string> {
  if (!/^[+-]?[0-9]+$/.test(text))
    return failed(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    return failed(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`,
    );
  return value < 0 ? failed(`negative number (${value}) not allowed: ${text}`) : done(value);
}

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** Day of month and day of week must both match when one of them is a star; otherwise one is enough. */
function isDay({ day, weekday }: Fields, time: LocalTime): boolean {
  const byDay = day.values.has(time.day);
  const byWeekday = weekday.values.has(time.weekday);
  return day.any || weekday.any ? byDay && byWeekday : byDay || byWeekday;
}

/** Advances the first part that does not match, month before day before hour before minute, until all match. */
function nextOf(fields: Fields, zone: TimeZone, epochMs: number): number | undefined {
  // A field such as `,` is accepted and matches nothing.
  if ([fields.month, fields.hour, fields.minute].some(({ values }) => values.size === 0)) return undefined;
  let at = Math.floor(epochMs / 1000) * 1000 + 1000;
  const last = localTime(zone, at).year + 5;
  for (let moved = false; ; moved = true) {
    const time = localTime(zone, at);
    if (time.year > last) return undefined;
    const later = stepFrom(fields, zone, at, time, moved);
    if (later === undefined) return at;
    at = later;
  }
}

function stepFrom(fields: Fields, zone: TimeZone, at: number, time: LocalTime, moved: boolean): number | undefined {
  const { year, month, day, hour, minute, second } = time;
  if (!fields.month.values.has(month)) return momentOf(zone, year, month + 1, 1);
  // After the first move it keeps the hour, which is not midnight on a day with a clock change at midnight.
  if (!isDay(fields, time)) return midnight(zone, momentOf(zone, year, month, day + 1, moved ? hour : 0));
  if (!fields.hour.values.has(hour)) return at - (moved ? 0 : minute * minuteMs + second * 1000) + hourMs;
  if (!fields.minute.values.has(minute) || second !== 0) return at - second * 1000 + minuteMs;
  return undefined;
}

/** Start of the day, corrected for a clock change at midnight. */
function midnight(zone: TimeZone, at: number): number {
  const { hour } = localTime(zone, at);
  return hour === 0 ? at : hour > 12 ? at + (24 - hour) * hourMs : at - hour * hourMs;
}
