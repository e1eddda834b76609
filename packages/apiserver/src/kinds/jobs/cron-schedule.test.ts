import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSchedule } from "./cron-schedule.ts";
import { timeZone, utc } from "@purser/kubernetes/time-zone";

/** The next times after `from`, as robfig/cron (the library of the CronJob controller) computes them. */
const courses: readonly (readonly [schedule: string, zone: string, from: string, ...next: string[]])[] = [
  ["*/20 * * * *", "UTC", "2026-01-01T10:05:30Z", "2026-01-01T10:20:00Z", "2026-01-01T10:40:00Z"],
  ["5/15 * * * *", "UTC", "2026-01-01T10:50:00Z", "2026-01-01T11:05:00Z", "2026-01-01T11:20:00Z"],
  ["30 6-16/4 * * mon-fri", "UTC", "2026-01-02T11:00:00Z", "2026-01-02T14:30:00Z", "2026-01-05T06:30:00Z"],
  ["0 0 1 jan,JUL *", "UTC", "2026-01-01T00:00:00Z", "2026-07-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  // Day of month or day of week must match when neither is a star.
  ["0 0 13 * 5", "UTC", "2026-02-07T00:00:00Z", "2026-02-13T00:00:00Z", "2026-02-20T00:00:00Z"],
  ["0 0 13 * *", "UTC", "2026-02-07T00:00:00Z", "2026-02-13T00:00:00Z", "2026-03-13T00:00:00Z"],
  ["0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"],
  ["@hourly", "UTC", "2026-01-01T00:00:01Z", "2026-01-01T01:00:00Z"],
  ["@weekly", "UTC", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"],
  ["@yearly", "UTC", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  ["@every 1h30m", "UTC", "2026-01-01T00:00:00.400Z", "2026-01-01T01:30:00Z"],
  // Clocks go from 2:00 to 3:00 that night: 2:30 does not exist.
  ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z"],
  // Clocks go back from 3:00 to 2:00: 2:30 occurs twice.
  ["30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"],
  ["0 9 * * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", "2026-01-01T03:30:00Z", "2026-01-02T03:30:00Z"],
];

test("the next times of a schedule are those of robfig/cron", () => {
  for (const [text, zone, from, ...expected] of courses) {
    const schedule = parseSchedule(text, timeZone(zone) ?? utc);
    assert.ok(schedule.ok, text);
    let at = Date.parse(from);
    for (const next of expected) {
      const found = schedule.value.next(at);
      assert.equal(found === undefined ? "" : new Date(found).toISOString(), next.replace("Z", ".000Z"), text);
      at = found ?? at;
    }
  }
});

test("a schedule that never matches has no next time", () => {
  for (const text of ["0 0 31 2 *", ", * * * *"]) {
    const schedule = parseSchedule(text);
    assert.ok(schedule.ok && schedule.value.next(0) === undefined, text);
  }
});

test("an unreadable schedule is refused with the error text of robfig/cron", () => {
  for (const [text, problem] of [
    ["", "empty spec string"],
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
    ["1-5-7 * * * *", "too many hyphens: 1-5-7"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ["-1 * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ["@often", "unrecognized descriptor: @often"],
    ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
    ["@constructor", "unrecognized descriptor: @constructor"],
  ] as const) {
    const schedule = parseSchedule(text);
    assert.equal(schedule.ok ? "" : schedule.problem, problem, text);
  }
});

test("a time zone must be spelled as in the IANA database", () => {
  for (const name of ["UTC", "Europe/Berlin", "Asia/Calcutta", ""]) assert.ok(timeZone(name), name);
  for (const name of ["Mars/Olympus", "europe/berlin", "+05:00", "__proto__"]) assert.equal(timeZone(name), undefined);
});
