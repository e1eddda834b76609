import { Cron } from "croner";
import { formatTime } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { PolicyWindow } from "../apis/policy/update-policy.ts";
import { derivedOnce } from "../derived-once.ts";
import { parsePolicyDuration } from "./policy-duration.ts";

/** Longer windows are refused: one that is always open needs no window. */
const longestMs = 7 * 24 * 3_600_000;

interface Schedule {
  readonly cron: Cron;
  readonly durationMs: number;
  readonly timeZone: string;
  /** False for days that no year has. */
  readonly opens: boolean;
}

/** Windows that can be read; at least one. */
export type Windows = readonly Schedule[];

const utc = "UTC";

const readOnce = derivedOnce(
  (windows: readonly PolicyWindow[]): Result<Windows, string> => {
    const schedules: Schedule[] = [];
    for (const { schedule, duration, timeZone = utc } of windows) {
      const durationMs = parsePolicyDuration(duration);
      if (durationMs === undefined || durationMs > longestMs)
        return failed(`its duration "${duration}" is not a duration of at most 7d, such as 4h or 1h30m`);
      if (schedule.includes("+")) return failed(`its schedule "${schedule}" has a "+", which cron does not support`);
      if (!isTimeZone(timeZone)) return failed(`its time zone "${timeZone}" does not exist`);
      try {
        schedules.push({
          cron: new Cron(schedule, { timezone: timeZone, mode: "5-part", paused: true }),
          durationMs,
          timeZone,
          opens: hasDay(schedule),
        });
      } catch (error) {
        return failed(`its schedule "${schedule}" cannot be read: ${reasonOf(error)}`);
      }
    }
    return done(schedules);
  },
  () => "",
);

/** The windows of a policy; the problem says which part of one cannot be read. They are read once for each value. */
export function readWindows(windows: readonly PolicyWindow[]): Result<Windows, string> {
  return readOnce(windows, undefined);
}

/** Schedules are read by a library, whose messages begin with the name of its class. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
}

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone });
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a year has the days of the schedule. Tenants write schedules, and the library would look for the 30th of February
 * through thousands of years in each pass.
 */
function hasDay(schedule: string): boolean {
  const [, , day = "*", month = "*", weekday = "*"] = schedule.trim().split(/\s+/u);
  // A weekday opens the window beside the days of the month.
  if (weekday !== "*" && weekday !== "?") return true;
  const days = new Cron(`* * ${day} ${month} *`, { timezone: utc, mode: "5-part", paused: true });
  return daysOfLeapYear.some((date) => days.match(date));
}

const daysOfLeapYear = Array.from({ length: 366 }, (_, index) => new Date(Date.UTC(2024, 0, 1 + index, 12)));

/** When a window is open that has been opened at or before `at`; undefined when it was closed by then (epoch milliseconds). */
function openUntil({ cron, durationMs, opens }: Schedule, at: number): number | undefined {
  if (!opens) return undefined;
  const [last] = cron.previousRuns(1, new Date(at + 1));
  const end = last === undefined ? undefined : last.getTime() + durationMs;
  return end !== undefined && end > at ? end : undefined;
}

const nextOpening = ({ cron, opens }: Schedule, at: number): number | undefined =>
  opens ? cron.nextRun(new Date(at))?.getTime() : undefined;

/** A moment with the time zone of the window that opens then. */
export interface Opening {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly timeZone: string;
}

/** Whether any of the windows is open at `at`, or else when the next one opens: undefined when none ever does. */
export function openingOf(windows: Windows, at: number): "open" | Opening | undefined {
  if (windows.some((window) => openUntil(window, at) !== undefined)) return "open";
  const openings = windows.flatMap((window) => {
    const next = nextOpening(window, at);
    return next === undefined ? [] : [{ at: next, timeZone: window.timeZone }];
  });
  return openings.toSorted((left, right) => left.at - right.at)[0];
}

/** The next time, in epoch milliseconds, at which a window opens or closes; undefined when none ever does. */
export function nextEdge(windows: Windows, now: number): number | undefined {
  const edges = windows.flatMap((window) => openUntil(window, now) ?? nextOpening(window, now) ?? []);
  return edges.length === 0 ? undefined : Math.min(...edges);
}

/** `2026-11-28T21:00:00Z (Sat 22:00 in Europe/Berlin)`, and without the part in parentheses for UTC. */
export function openingWords({ at, timeZone }: Opening): string {
  if (timeZone === utc) return formatTime(at);
  const options = { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const parts = new Intl.DateTimeFormat("en-US", options).formatToParts(new Date(at));
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
  return `${formatTime(at)} (${part("weekday")} ${part("hour")}:${part("minute")} in ${timeZone})`;
}
