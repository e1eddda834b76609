import assert from "node:assert/strict";
import { test } from "node:test";
import type { Installation } from "../../installation/installation.ts";
import { failure } from "../failure.ts";
import { shown } from "../output/shown.ts";
import type { Terminal } from "../output/terminal.ts";
import { type UpgradeOfSet, upgradeSet } from "./upgrade-all.ts";

const upgradeOf = (name: string): UpgradeOfSet => ({
  installation: { reference: `ext/${name}`, version: "1.0.0" } as Installation,
  planned: { target: "1.1.0", path: ["1.1.0"], isRerouted: false, writes: [], changes: [] },
  document: {},
});

test("each upgrade of a set is tried although another failed, and the first failure is the exit code", async () => {
  const errors: string[] = [];
  const terminal = {
    isInteractive: false,
    env: {},
    err: (...lines: readonly string[]) => void errors.push(...lines),
    paint: (_meaning, text) => text,
    symbol: (name) => name,
  } as Partial<Terminal> as Terminal;
  const invocation = { arguments: [], options: { yes: true }, terminal, signal: new AbortController().signal };
  const outcome = await upgradeSet(
    invocation,
    { upgrades: ["a", "b", "c"].map(upgradeOf), others: [] },
    async ({ installation: { reference } }) => {
      if (reference === "ext/a") return { exitCode: 8 };
      if (reference === "ext/b") return { explanation: failure("Conflict", "b was changed meanwhile") };
      return { exitCode: 0, human: shown("ok c 1.1.0 is ready as ext/c") };
    },
  );
  assert.equal(outcome.exitCode, 8);
  assert.deepEqual(outcome.human?.split("\n"), [
    "failed ext/a: exit code 8; purser status ext/a",
    "failed ext/b: b was changed meanwhile",
    "ok c 1.1.0 is ready as ext/c",
    "1 of 3 upgrades done",
  ]);
  assert.deepEqual((outcome.data as { readonly results: unknown }).results, [
    { installation: "ext/a", exitCode: 8, message: "exit code 8; purser status ext/a" },
    { installation: "ext/b", exitCode: 7, message: "b was changed meanwhile" },
    { installation: "ext/c", exitCode: 0, message: "ok c 1.1.0 is ready as ext/c" },
  ]);
});
