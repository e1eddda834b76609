import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicroTime, formatTime, remainingMs } from "./clock.ts";
import { formatIn, localTime, momentOf, timeZone, utc, type TimeZone } from "./time-zone.ts";

const zone = (name: string): TimeZone => {
  const found = timeZone(name);
  assert.ok(found !== undefined, name);
  return found;
};

const winter = Date.UTC(2026, 0, 31, 23, 59, 58);
const summer = Date.UTC(2026, 6, 1, 12, 0, 0);

test("times are written with the offset that the zone has then", () => {
  const texts: readonly (readonly [name: string, at: number, text: string])[] = [
    ["UTC", winter, "2026-01-31T23:59:58Z"],
    ["", winter, "2026-01-31T23:59:58Z"],
    ["Europe/Berlin", winter, "2026-02-01T00:59:58+01:00"],
    ["Europe/Berlin", summer, "2026-07-01T14:00:00+02:00"],
    ["America/St_Johns", winter, "2026-01-31T20:29:58-03:30"],
    ["Asia/Kathmandu", summer, "2026-07-01T17:45:00+05:45"],
    ["Europe/London", winter, "2026-01-31T23:59:58Z"],
    ["Europe/London", summer, "2026-07-01T13:00:00+01:00"],
    ["Europe/Berlin", winter + 999, "2026-02-01T00:59:58+01:00"],
  ];
  assert.deepEqual(
    texts.map(([name, at]) => [name, at, formatIn(zone(name), at)]),
    texts,
  );
});

test("a zone is known by the exact name of the IANA database alone", () => {
  assert.equal(timeZone("UTC"), utc);
  assert.equal(timeZone(""), utc);
  assert.equal(timeZone("Europe/Berlin"), timeZone("Europe/Berlin"));
  for (const name of ["europe/berlin", "EUROPE/BERLIN", "+01:00", "Nowhere/Here", "utc", " UTC"])
    assert.equal(timeZone(name), undefined, name);
});

test("local time has the calendar fields of the zone, and a moment is found by them", () => {
  const berlin = zone("Europe/Berlin");
  assert.deepEqual(localTime(berlin, winter), {
    year: 2026,
    month: 2,
    day: 1,
    hour: 0,
    minute: 59,
    second: 58,
    weekday: 0,
  });
  assert.equal(localTime(utc, winter).weekday, 6);
  assert.equal(momentOf(berlin, 2026, 2, 1), Date.UTC(2026, 0, 31, 23));
  assert.equal(momentOf(berlin, 2026, 7, 1, 14), summer);
  // Months and days carry over.
  assert.equal(momentOf(utc, 2026, 13, 0), Date.UTC(2026, 11, 31));
  // The night in which clocks go forward at two.
  assert.equal(momentOf(berlin, 2026, 3, 29, 1), Date.UTC(2026, 2, 29, 0));
  assert.equal(momentOf(berlin, 2026, 3, 29, 4), Date.UTC(2026, 2, 29, 2));
  assert.equal(momentOf(zone("America/New_York"), 2026, 3, 8, 4), Date.UTC(2026, 2, 8, 8));
});

test("times have whole seconds or microseconds", () => {
  assert.equal(formatTime(winter + 999), "2026-01-31T23:59:58Z");
  assert.equal(formatTime(winter + 1000), "2026-01-31T23:59:59Z");
  assert.equal(formatTime(winter), "2026-01-31T23:59:58Z");
  assert.equal(formatMicroTime(winter + 7), "2026-01-31T23:59:58.007000Z");
});

test("what is left of a duration is nothing once it is over, and when it seems to begin later", () => {
  const left: readonly (readonly [since: string | number | undefined, now: number, left: number])[] = [
    ["2026-01-31T23:59:58Z", winter, 1000],
    ["2026-01-31T23:59:58Z", winter + 400, 600],
    [winter, winter + 999, 1],
    [winter, winter + 1000, 0],
    [winter, winter + 5000, 0],
    [winter, winter - 1, 0],
    [undefined, winter, 0],
    ["never", winter, 0],
    [0, 500, 500],
  ];
  assert.deepEqual(
    left.map(([since, now]) => [since, now, remainingMs(since, 1000, now)]),
    left,
  );
});
