import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoom } from "./log.ts";

test("a line shows its room unless it names another or a controller", () => {
  const lines: unknown[] = [];
  const log = inRoom((_level, message, facts) => lines.push([message, facts]), "kube");
  log("info", "plain");
  log("info", "of a controller", { controller: "install-plan", key: "a" });
  log("info", "elsewhere", { room: "doors" });
  assert.deepEqual(lines, [
    ["plain", { room: "kube" }],
    ["of a controller", { controller: "install-plan", key: "a" }],
    ["elsewhere", { room: "doors" }],
  ]);
});
