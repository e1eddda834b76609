// Runs test files in this process, one after the other, each as a suite. Each must leave the process as it found it; what it left behind
// fails under its own name, and so does a file that cannot be loaded.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { suite, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { noteFile } from "./processor-time.ts";

const load = createRequire(import.meta.url);

/** What one file could change for the next. */
interface ProcessState {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly exitCode: unknown;
  readonly globals: readonly string[];
  /** How many listeners each event of the process has. */
  readonly listeners: Readonly<Record<string, number>>;
  /** What keeps the process alive: how many of each kind. */
  readonly open: Readonly<Record<string, number>>;
}

function stateOfProcess(): ProcessState {
  const open: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) open[kind] = (open[kind] ?? 0) + 1;
  return {
    environment: { ...process.env },
    directory: process.cwd(),
    exitCode: process.exitCode,
    globals: Object.getOwnPropertyNames(globalThis),
    listeners: Object.fromEntries(
      process.eventNames().map((event) => [String(event), process.listenerCount(event)] as const),
    ),
    open,
  };
}

/** What is closed at the end of a test may take a moment to be gone: 3 s in all, which only a leak uses up. */
const looks = 300;
const lookMs = 10;

/** Runs the tests of each file in turn. @param files absolute paths */
export async function runTogether(files: readonly string[]): Promise<void> {
  // The runner's own listeners are there from its first test on, and the streams of the process once they were asked for.
  await test("the process is ready", () => void [process.stdin, process.stdout, process.stderr]);
  for (const file of files) {
    // `ps` shows it, and with it the watch for stuck files.
    process.title = file;
    const found = stateOfProcess();
    let loading: () => void = () => assert.fail("its suite did not run");
    // In a suite of its own, so that its hooks are for its tests alone: `require` evaluates a module in the caller's context,
    // which `import` does not.
    await suite(file, () => {
      try {
        load(file);
        loading = () => undefined;
      } catch (error) {
        loading = () => {
          throw error;
        };
      }
    });
    await test(`${file} can be loaded`, () => loading());
    // Tests run in the order in which they were registered, so those of the file have ended when this one runs.
    await test(`${file} leaves the process as it found it`, async () => {
      let left = stateOfProcess();
      for (let look = 0; look < looks && hasMoreOpen(left, found); look++) {
        await pause(lookMs);
        left = stateOfProcess();
      }
      assert.deepEqual({ ...left, open: hasMoreOpen(left, found) ? left.open : found.open }, found);
    });
    noteFile(file);
  }
}

function hasMoreOpen(left: ProcessState, found: ProcessState): boolean {
  return Object.entries(left.open).some(([kind, count]) => count > (found.open[kind] ?? 0));
}
