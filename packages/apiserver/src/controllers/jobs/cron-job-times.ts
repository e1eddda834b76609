import { done, failed, type Result } from "@purser/kubernetes/result";
import type { Schedule } from "../../kinds/jobs/cron-schedule.ts";

/** The state from which the next start is computed. Times in epoch milliseconds. */
export interface Past {
  readonly created: number;
  readonly lastScheduled: number | undefined;
  /** startingDeadlineSeconds in milliseconds; undefined for no limit. */
  readonly deadlineMs: number | undefined;
}

export interface Due {
  /** The latest unmet scheduled time; undefined when there is none. */
  readonly at: number | undefined;
  /** The time from which on schedule times were considered. */
  readonly since: number;
  readonly missed: "none" | "few" | "many";
}

/** The time that is due, if any; fails for a schedule that never matches. */
export function dueTime(past: Past, schedule: Schedule, nowMs: number, limited: boolean): Result<Due, string> {
  const start = past.lastScheduled ?? past.created;
  const oldest = limited && past.deadlineMs !== undefined ? nowMs - past.deadlineMs : start;
  const since = Math.max(start, oldest);
  const first = schedule.next(since);
  const second = first === undefined ? undefined : schedule.next(first);
  if (first !== undefined && nowMs < first) return done({ at: undefined, since, missed: "none" });
  if (first !== undefined && second !== undefined && nowMs < second) return done({ at: first, since, missed: "none" });
  const between = first === undefined || second === undefined ? 0 : Math.round((second - first) / 1000);
  if (first === undefined || between < 1) return failed("time difference between two schedules is less than 1 second");
  const passed = Math.floor(Math.floor((nowMs - first) / 1000) / between) + 1;
  let at: number | undefined;
  // One interval early, for schedules with irregular intervals.
  const from = first + (passed - 2) * between * 1000;
  for (let time = schedule.next(from); time !== undefined && time <= nowMs; time = schedule.next(time)) at = time;
  return done({ at, since, missed: passed > 100 ? "many" : passed > 0 ? "few" : "none" });
}

const afterMs = 100;

/** Milliseconds until the next reconcile: a little after the next scheduled time. */
export function untilNext(past: Past, schedule: Schedule, nowMs: number): number | undefined {
  const due = dueTime(past, schedule, nowMs, false);
  const from = due.ok ? (due.value.at ?? (due.value.missed === "none" ? due.value.since : nowMs)) : nowMs;
  const next = schedule.next(from);
  return next === undefined ? undefined : next + afterMs - nowMs;
}
