import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { VirtualClock } from "../virtual-clock.ts";
import { giveBackIdleMemory, isWorthCollecting } from "./idle-memory.ts";

const megabyte = 2 ** 20;

test("memory is given back only when the process idles and the heap grew by more than 32 MiB", () => {
  const cases: readonly (readonly [grown: number, busyShare: number, worth: boolean])[] = [
    [33, 0, true],
    [33, 0.019, true],
    [33, 0.02, false],
    [32, 0, false],
    [-10, 0, false],
    [500, 0.5, false],
  ];
  for (const [grown, busyShare, worth] of cases) {
    const reading = { heldBytes: (50 + grown) * megabyte, restBytes: 50 * megabyte, busyShare };
    assert.equal(isWorthCollecting(reading), worth, `${grown} MiB at ${busyShare}`);
  }
});

test("garbage of a load is gone after an idle interval, and an aborted signal ends the waiting", async () => {
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const ended = giveBackIdleMemory(clock, stopping.signal);
  const garbage = Array.from({ length: 1_500_000 }, (_, index) => ({ index }));
  const grown = getHeapStatistics().total_heap_size;
  garbage.length = 0;
  const isBack = (): boolean => getHeapStatistics().total_heap_size < grown - 16 * megabyte;
  // Each virtual interval has some idle time of the real event loop in it, by which it is judged.
  for (let interval = 0; interval < 100 && !isBack(); interval++) {
    clock.advance(10_000);
    await pause(50);
  }
  assert.ok(isBack());
  stopping.abort(new Error("stopped"));
  await ended;
});
