import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../command.ts";
import { formatAge, parseDuration } from "./duration.ts";

const durations = [
  ["30s", 30_000],
  ["500ms", 500],
  ["10m", 600_000],
  ["1h30m", 5_400_000],
  ["1.5s", 1500],
] as const;
for (const [text, milliseconds] of durations) {
  test(`${text} is ${milliseconds} ms`, () => assert.equal(parseDuration(text, "--timeout"), milliseconds));
}

for (const text of ["", "10", "s", "-5s", "10 m", "5d", "10m!", "constructor"]) {
  test(`"${text}" is not a duration, and the error shows a valid one`, () => {
    assert.throws(
      () => parseDuration(text, "--timeout"),
      (error) => error instanceof UsageError && /--timeout/.test(error.message) && /10m/.test(error.hints.join("\n  ")),
    );
  });
}

const now = Date.parse("2026-01-10T00:00:00Z");
const ages = [
  ["2026-01-09T23:59:59Z", "1s"],
  ["2026-01-09T23:58:01Z", "119s"],
  ["2026-01-09T23:58:00Z", "2m"],
  ["2026-01-09T22:30:00Z", "90m"],
  ["2026-01-09T22:00:01Z", "119m"],
  ["2026-01-09T22:00:00Z", "2h"],
  ["2026-01-08T00:00:01Z", "47h"],
  ["2026-01-08T00:00:00Z", "2d"],
  ["2026-01-05T00:00:00Z", "5d"],
  ["2026-01-10T00:00:05Z", "0s"],
  ["", ""],
  ["yesterday", ""],
] as const;
for (const [from, shown] of ages) {
  test(`what happened at "${from}" is shown as "${shown}" ago`, () => assert.equal(formatAge(from, now), shown));
}
