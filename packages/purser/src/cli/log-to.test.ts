import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { withRequestId } from "@purser/kubernetes/system/request-id";
import { jsonLines, logTo } from "./log-to.ts";
import type { LogSettings } from "./settings/log-settings.ts";
import { systemTerminal, terminalModes } from "./output/terminal.ts";

const clock = { ...systemClock, now: () => Date.parse("2026-01-02T03:04:05.678Z") };

/** A log with these settings, and the lines that it writes. */
function logOf(settings: () => LogSettings) {
  const lines: string[] = [];
  const terminal = {
    ...systemTerminal(terminalModes({}, {})),
    err: (...more: readonly string[]) => void lines.push(...more),
  };
  return { log: logTo(terminal, clock, settings), lines };
}

test("a line has the time, the level, the facts and the id of the request that it belongs to", () => {
  const { log, lines } = logOf(jsonLines("info"));
  log("info", "started", { port: 1 });
  withRequestId("r-1", () => log("warn", "slow"));
  assert.deepEqual(lines, [
    '{"time":"2026-01-02T03:04:05.678Z","level":"info","message":"started","port":1}',
    '{"time":"2026-01-02T03:04:05.678Z","level":"warn","message":"slow","request":"r-1"}',
  ]);
});

test("a level of a room goes before the level of all, for the controller first and else for the room", () => {
  const rooms = new Map([
    ["install-plan", "debug"],
    ["engine", "error"],
  ] as const);
  const { log, lines } = logOf(() => ({ format: "text", level: "warn", rooms }));
  log("debug", "a", { controller: "install-plan", room: "engine" });
  log("warn", "b", { room: "engine" });
  log("info", "c", { room: 1 });
  log("warn", "d", { room: 1 });
  assert.deepEqual(lines, [
    "2026-01-02T03:04:05.678Z DEBUG a controller=install-plan room=engine",
    "2026-01-02T03:04:05.678Z WARN  d room=1",
  ]);
});

test("settings that change hold for the next line", () => {
  let level: LogSettings["level"] = "error";
  const { log, lines } = logOf(() => jsonLines(level)());
  log("info", "a");
  level = "info";
  log("info", "b");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).message),
    ["b"],
  );
});
