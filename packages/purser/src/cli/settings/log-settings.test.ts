import assert from "node:assert/strict";
import { test } from "node:test";
import { logLine } from "./log-line.ts";
import { isLogged, parseLogLevels } from "./log-settings.ts";

test("a room's own level goes before that of all others", () => {
  const parsed = parseLogLevels("warn,install-plan=debug,doors=error");
  assert.ok(parsed.ok);
  const settings = { format: "json", ...parsed.value } as const;
  const rows: readonly (readonly [string | undefined, "debug" | "info" | "warn" | "error", boolean])[] = [
    [undefined, "info", false],
    [undefined, "warn", true],
    ["install-plan", "debug", true],
    ["doors", "warn", false],
    ["doors", "error", true],
    ["other", "error", true],
    ["other", "info", false],
  ];
  for (const [room, level, logged] of rows) assert.equal(isLogged(settings, room, level), logged, `${room} ${level}`);
});

test("rooms alone leave the level at info", () => {
  const parsed = parseLogLevels("doors=debug");
  assert.ok(parsed.ok);
  assert.equal(parsed.value.level, "info");
});

for (const text of ["", "loud", "doors=loud", "=debug", "info,,warn"])
  test(`"${text}" is refused as a list of levels`, () => {
    const parsed = parseLogLevels(text);
    assert.ok(!parsed.ok);
    assert.match(parsed.problem, / is not a level; write debug, info, warn or error, or ROOM=LEVEL$/);
  });

test("a line is an object, or words of which those with spaces are quoted", () => {
  const record = {
    time: "2026-01-02T03:04:05.000Z",
    level: "warn",
    message: "A pass\nfailed",
    facts: { room: "install-plan", key: "ops/a", error: 'no "right"', count: 2, nothing: undefined },
  } as const;
  assert.equal(
    logLine(record, "text"),
    '2026-01-02T03:04:05.000Z WARN  A pass failed room=install-plan key=ops/a error="no \\"right\\"" count=2',
  );
  assert.deepEqual(JSON.parse(logLine(record, "json")), {
    time: record.time,
    level: "warn",
    message: "A pass\nfailed",
    room: "install-plan",
    key: "ops/a",
    error: 'no "right"',
    count: 2,
  });
});
