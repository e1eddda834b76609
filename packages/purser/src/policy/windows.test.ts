import assert from "node:assert/strict";
import { test } from "node:test";
import { Cron } from "croner";
import type { PolicyWindow } from "../apis/policy/update-policy.ts";
import { parsePolicyDuration } from "./policy-duration.ts";
import { nextEdge, openingOf, openingWords, readWindows } from "./windows.ts";

for (const [text, milliseconds] of [
  ["4h", 14_400_000],
  ["90m", 5_400_000],
  ["1h30m", 5_400_000],
  ["3d", 259_200_000],
  ["1d2h3m", 93_780_000],
  ["0h", undefined],
  ["", undefined],
  ["30m1h", undefined],
  ["4 h", undefined],
  ["-4h", undefined],
  ["1.5h", undefined],
  ["4", undefined],
] as const)
  test(`"${text}" is ${milliseconds === undefined ? "no duration" : `${milliseconds} ms`}`, () => {
    assert.equal(parsePolicyDuration(text), milliseconds);
  });

const saturday: PolicyWindow = { schedule: "0 22 * * 6", duration: "4h", timeZone: "Europe/Berlin" };
const daily: PolicyWindow = { schedule: "0 3 * * *", duration: "1h" };
const inSpring: PolicyWindow = { schedule: "30 2 * * *", duration: "1h", timeZone: "Europe/Berlin" };
const overlapping: PolicyWindow = { schedule: "0 * * * *", duration: "90m" };
const never: PolicyWindow = { schedule: "0 0 30 2 *", duration: "4h" };

/** `open until T`, `closed until T`, with the next edge. */
function stateAt(windows: readonly PolicyWindow[], time: string): string {
  const read = readWindows(windows);
  assert.ok(read.ok);
  const now = Date.parse(time);
  const opening = openingOf(read.value, now);
  const edge = nextEdge(read.value, now);
  const at = edge === undefined ? "for ever" : `until ${new Date(edge).toISOString().replace(".000Z", "Z")}`;
  if (opening === "open") return `open ${at}`;
  if (opening !== undefined) assert.equal(opening.at, edge);
  return `closed ${at}`;
}

for (const [what, windows, time, expected] of [
  ["before it opens", [saturday], "2026-11-28T20:59:59.999Z", "closed until 2026-11-28T21:00:00Z"],
  ["in the millisecond in which it opens", [saturday], "2026-11-28T21:00:00Z", "open until 2026-11-29T01:00:00Z"],
  ["in its last millisecond", [saturday], "2026-11-29T00:59:59.999Z", "open until 2026-11-29T01:00:00Z"],
  ["in the millisecond in which it closes", [saturday], "2026-11-29T01:00:00Z", "closed until 2026-12-05T21:00:00Z"],
  ["in summer, an hour earlier in UTC", [saturday], "2026-07-04T19:00:00Z", "closed until 2026-07-04T20:00:00Z"],
  ["without a time zone, in UTC", [daily], "2026-11-28T02:00:00Z", "closed until 2026-11-28T03:00:00Z"],
  ["at a local time that the day skips", [inSpring], "2026-03-29T00:30:00Z", "closed until 2026-03-29T01:00:00Z"],
  ["at a local time that comes twice", [inSpring], "2026-10-25T00:15:00Z", "closed until 2026-10-25T00:30:00Z"],
  ["and not again when that time comes again", [inSpring], "2026-10-25T01:35:00Z", "closed until 2026-10-26T01:30:00Z"],
  ["of two, while the other is open", [saturday, daily], "2026-11-28T03:30:00Z", "open until 2026-11-28T04:00:00Z"],
  ["of two, by the first that opens", [saturday, daily], "2026-11-28T12:00:00Z", "closed until 2026-11-28T21:00:00Z"],
  ["longer than its interval", [overlapping], "2026-11-28T12:10:00Z", "open until 2026-11-28T13:30:00Z"],
  ["on a day that does not exist", [never], "2026-11-28T12:10:00Z", "closed for ever"],
] as const)
  test(`a window ${what} is ${expected}`, () => {
    assert.equal(stateAt(windows, time), expected);
  });

for (const [window, problem] of [
  [{ ...daily, duration: "8d" }, 'its duration "8d" is not a duration of at most 7d, such as 4h or 1h30m'],
  [{ ...daily, duration: "soon" }, 'its duration "soon" is not a duration of at most 7d, such as 4h or 1h30m'],
  [{ ...daily, timeZone: "Mars/Olympus" }, 'its time zone "Mars/Olympus" does not exist'],
  [{ ...daily, schedule: "0 0 * * 9" }, 'its schedule "0 0 * * 9" cannot be read: Invalid value for dayOfWeek: 9'],
  [
    { ...daily, schedule: "0 0 0 * * *" },
    `its schedule "0 0 0 * * *" cannot be read: mode '5-part' requires exactly 5 parts, but pattern '0 0 0 * * *' has 6 parts.`,
  ],
  [{ ...daily, schedule: "0 0 1 * +1#5" }, 'its schedule "0 0 1 * +1#5" has a "+", which cron does not support'],
] as const)
  test(`a window is refused: ${problem}`, () => {
    assert.deepEqual(readWindows([saturday, window]), { ok: false, problem });
  });

test("nothing looks for the next opening on a day that no year has, and for that of the 29th of February it does", (t) => {
  const next = t.mock.method(Cron.prototype, "nextRun");
  const last = t.mock.method(Cron.prototype, "previousRuns");
  assert.equal(stateAt([never], "2026-11-28T12:10:00Z"), "closed for ever");
  assert.deepEqual([next.mock.callCount(), last.mock.callCount()], [0, 0]);
  const leap = { ...never, schedule: "0 0 29 2 *" };
  assert.equal(stateAt([leap], "2026-11-28T12:10:00Z"), "closed until 2028-02-29T00:00:00Z");
  assert.equal(
    stateAt([{ ...never, schedule: "0 0 30 2 6" }], "2026-11-28T12:10:00Z"),
    "closed until 2027-02-06T00:00:00Z",
  );
});

test("a window of 7 days is the longest", () => {
  assert.ok(readWindows([{ ...daily, duration: "7d" }]).ok);
});

test("an opening is shown in UTC, and with the local time where the window has a time zone", () => {
  const at = Date.parse("2026-11-28T21:00:00Z");
  assert.equal(openingWords({ at, timeZone: "UTC" }), "2026-11-28T21:00:00Z");
  assert.equal(openingWords({ at, timeZone: "Europe/Berlin" }), "2026-11-28T21:00:00Z (Sat 22:00 in Europe/Berlin)");
});
