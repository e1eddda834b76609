import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { Invocation } from "../command.ts";
import { openSettings } from "./open-settings.ts";

const specs = [
  { flags: "--config FILE", summary: "" },
  { flags: "--log-level LEVELS", summary: "" },
  { flags: "--log-format FORMAT", summary: "", choices: ["json", "text"] },
  { flags: "--metrics-address HOST:PORT", summary: "" },
];

test("a changed file changes log settings at once, names what waits for a restart, and a broken one changes nothing", async () => {
  const directory = await mkdtemp(join(tmpdir(), "purser-settings-"));
  const path = join(directory, "purser.yaml");
  const write = (text: string): Promise<void> => writeFile(path, text);
  try {
    await write("log-level: warn\nmetrics-address: ':1'\n");
    const terminal = { env: { PURSER_CONFIG: path } } as unknown as Invocation["terminal"];
    const { signal } = new AbortController();
    const settings = await openSettings(specs, { arguments: [], options: {}, terminal, signal });
    assert.equal(settings.options["metrics-address"], ":1");
    const lines: string[] = [];
    const clock = new VirtualClock();
    const stop = settings.follow(clock, (level, message, facts) =>
      lines.push(`${level} ${message} ${JSON.stringify(facts)}`),
    );
    const look = async (until: () => boolean): Promise<void> => {
      clock.advance(10_000);
      while (!until()) await setImmediate();
    };
    assert.equal(settings.logging().level, "warn");
    await write("log-level: debug,doors=error\nlog-format: text\nmetrics-address: ':2'\n");
    await look(() => lines.length === 1);
    assert.deepEqual(
      [settings.logging().level, settings.logging().format, settings.logging().rooms.get("doors")],
      ["debug", "text", "error"],
    );
    await write("log-level: loud\n");
    await look(() => lines.length === 2);
    assert.equal(settings.logging().level, "debug");
    await write("log-level: error\n");
    await look(() => lines.length === 3);
    assert.equal(settings.logging().level, "error");
    await stop();
    assert.deepEqual(lines, [
      'info the settings have changed {"changed":["log-format","log-level","metrics-address"],"afterRestart":["metrics-address"]}',
      'warn the changed settings are invalid; the former ones stay in use {"error":"--log-level \\"loud\\" is not a level; write debug, info, warn or error, or ROOM=LEVEL"}',
      'info the settings have changed {"changed":["log-format","log-level","metrics-address"],"afterRestart":["metrics-address"]}',
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test("a flag goes before the file, also when the file changes", async () => {
  const directory = await mkdtemp(join(tmpdir(), "purser-settings-"));
  const path = join(directory, "purser.yaml");
  try {
    await writeFile(path, "log-level: warn\n");
    const terminal = { env: {} } as unknown as Invocation["terminal"];
    const { signal } = new AbortController();
    const options = { config: path, "log-level": "error" };
    const settings = await openSettings(specs, { arguments: [], options, terminal, signal });
    assert.equal(settings.logging().level, "error");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
