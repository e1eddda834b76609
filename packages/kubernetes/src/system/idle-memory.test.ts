import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { VirtualClock } from "../virtual-clock.ts";
import { giveBackIdleMemory, isWorthCollecting } from "./idle-memory.ts";

const megabyte = 2 ** 20;

test("memory is released only when the process idles and the heap grew by more than 4 MiB", () => {
  const cases: readonly (readonly [grown: number, busyShare: number, worth: boolean])[] = [
    [5, 0, true],
    [5, 0.019, true],
    [5, 0.02, false],
    [4, 0, false],
    [-10, 0, false],
    [500, 0.5, false],
  ];
  for (const [grown, busyShare, worth] of cases) {
    const reading = { heldBytes: (50 + grown) * megabyte, restBytes: 50 * megabyte, busyShare };
    assert.equal(isWorthCollecting(reading), worth, `${grown} MiB at ${busyShare}`);
  }
});

test("garbage of a load is collected after an idle interval, and an aborted signal ends the loop", async () => {
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const ended = giveBackIdleMemory(clock, stopping.signal);
  const garbage = Array.from({ length: 1_500_000 }, (_, index) => ({ index }));
  const grown = getHeapStatistics().total_heap_size;
  garbage.length = 0;
  const isBack = (): boolean => getHeapStatistics().total_heap_size < grown - 16 * megabyte;
  // Each virtual interval includes some idle time of the real event loop, which is measured.
  for (let interval = 0; interval < 6000 && !isBack(); interval++) {
    clock.advance(3000);
    await pause(50);
  }
  assert.ok(isBack());
  stopping.abort(new Error("stopped"));
  await ended;
});

test("a heap that is kept small does not grow its young generation under load, and one that is not does", () => {
  const module = new URL("./idle-memory.ts", import.meta.url).href;
  const young = (small: boolean): number => {
    const script = `import { getHeapSpaceStatistics } from "node:v8";
      import { keepHeapSmall } from ${JSON.stringify(module)};
      if (${small}) keepHeapSmall();
      const kept = [];
      for (let i = 0; i < 3_000_000; i++) { const made = { i }; if (i % 3 === 0) kept.push(made); }
      console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    return Number(stdout);
  };
  assert.ok(young(true) <= 8.5 * megabyte, "small");
  assert.ok(young(false) > 16 * megabyte, "as V8 likes it");
});

test("while a load lasts the heap is collected less often, and as often as before when the last one is over", () => {
  const module = new URL("./idle-memory.ts", import.meta.url).href;
  const script = `import { constants, PerformanceObserver } from "node:perf_hooks";
    import { setTimeout as pause } from "node:timers/promises";
    import { allowHeapGrowth, keepHeapSmall } from ${JSON.stringify(module)};
    let collections = 0;
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries())
        if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
    }).observe({ entryTypes: ["gc"] });
    const held = [];
    async function collectionsOf() {
      gc();
      await pause(20);
      const before = collections;
      held.length = 0;
      for (let i = 0; i < 1_000_000; i++) {
        held.push({ i });
        if (i % 20_000 === 0) await pause(0);
      }
      await pause(20);
      return collections - before;
    }
    const none = allowHeapGrowth();
    keepHeapSmall();
    const counts = [await collectionsOf()];
    const [first, second] = [allowHeapGrowth(), allowHeapGrowth()];
    first();
    first();
    none();
    counts.push(await collectionsOf());
    second();
    counts.push(await collectionsOf());
    console.log(counts.join());`;
  const args = ["--expose-gc", "--max-semi-space-size=2", "--input-type=module", "-e", script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const [before = 0, loaded = 0, after = 0] = stdout.split(",").map(Number);
  assert.ok(loaded < before && loaded < after, `${before}, ${loaded}, ${after} ${stderr}`);
});
