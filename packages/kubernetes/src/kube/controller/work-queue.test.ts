import { test } from "node:test";
import assert from "node:assert/strict";
import { SeededEntropy } from "../../entropy.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { WorkQueue } from "./work-queue.ts";

function aQueue(): { queue: WorkQueue; clock: VirtualClock; advance: (ms: number) => Promise<void> } {
  const clock = new VirtualClock();
  const queue = new WorkQueue({ clock, entropy: new SeededEntropy(1) });
  const advance = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, clock, advance };
}

test("a key added many times runs once, in the order of first addition", async () => {
  const { queue } = aQueue();
  for (const key of ["b", "a", "b", "a", "c"]) queue.add(key);
  assert.deepEqual([await queue.take(), await queue.take(), await queue.take()], ["b", "a", "c"]);
  assert.equal(queue.depth, 0);
});

test("a key added while it runs runs again only after its release", async () => {
  const { queue } = aQueue();
  queue.add("a");
  await queue.take();
  queue.add("a");
  assert.equal(queue.depth, 0);
  queue.release("a");
  assert.equal(queue.depth, 1);
});

test("a failing key backs off while others continue", async () => {
  const { queue, advance } = aQueue();
  queue.add("poisoned");
  const waits: number[] = [];
  for (let round = 0; round < 8; round++) {
    assert.equal(await queue.take(), "poisoned");
    queue.retry("poisoned");
    queue.release("poisoned");
    queue.add("healthy");
    assert.equal(await queue.take(), "healthy");
    queue.release("healthy");
    let waited = 0;
    for (; queue.depth === 0; waited += 10) await advance(10);
    waits.push(waited);
  }
  for (const [round, waited] of waits.entries()) {
    assert.ok(waited >= 10 * 2 ** round, `round ${round} waited ${waited} ms`);
    assert.ok(waited <= 10 * 2 ** round * 1.2 + 10, `round ${round} waited ${waited} ms`);
  }
});

test("a success resets the backoff", async () => {
  const { queue } = aQueue();
  for (let round = 0; round < 3; round++) queue.retry("a");
  assert.equal(queue.failures("a"), 3);
  queue.forget("a");
  assert.equal(queue.failures("a"), 0);
});

test("changes run a key that keeps failing at most once a second", async () => {
  const { queue, advance } = aQueue();
  queue.add("a");
  for (let round = 0; round < 9; round++) {
    assert.equal(await queue.take(), "a");
    queue.retry("a");
    queue.release("a");
    if (round < 8) await advance(4000);
  }
  queue.add("a");
  assert.equal(queue.depth, 0);
  await advance(999);
  assert.equal(queue.depth, 0);
  await advance(2);
  assert.equal(queue.depth, 1);
});

test("the earliest of several requested times counts", async () => {
  const { queue, advance } = aQueue();
  queue.addAfter("a", 5000);
  queue.addAfter("a", 1000);
  queue.addAfter("a", 9000);
  await advance(1001);
  assert.equal(await queue.take(), "a");
  queue.release("a");
  await advance(60_000);
  assert.equal(queue.depth, 0);
});

test("taking a key clears its requested time", async () => {
  const { queue, clock, advance } = aQueue();
  queue.addAfter("a", 5000);
  queue.add("a");
  await queue.take();
  queue.release("a");
  await advance(6000);
  assert.equal(queue.depth, 0);
  assert.equal(clock.nextDue(), undefined);
});

test("a queue is idle when all remaining keys are due later", async () => {
  const { queue, advance } = aQueue();
  queue.add("a");
  queue.addAfter("later", 1000);
  assert.equal(queue.isIdle(), false);
  const key = await queue.take();
  assert.equal(queue.isIdle(), false);
  const idle = queue.idle();
  queue.release(key ?? "");
  await idle;
  await advance(1001);
  assert.equal(queue.isIdle(), false);
});

test("a taken key reports how long it was ready, not how long it was delayed", async () => {
  const clock = new VirtualClock();
  const waited: number[] = [];
  const queue = new WorkQueue({ clock, entropy: new SeededEntropy(1), onTaken: (ms) => waited.push(ms) });
  queue.addAfter("a", 1000);
  clock.advance(1000);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(250);
  queue.add("a");
  await queue.take();
  assert.deepEqual(waited, [250]);
});

test("closing resolves waiting takers", async () => {
  const { queue } = aQueue();
  const taking = queue.take();
  queue.close();
  assert.equal(await taking, undefined);
  queue.add("a");
  assert.equal(queue.depth, 0);
});

test("a snapshot has every key with its state, its failures and the time until it is due", async () => {
  const { queue, advance } = aQueue();
  assert.deepEqual(queue.snapshot(), []);
  for (const key of ["running", "failed", "ready"]) queue.add(key);
  assert.deepEqual([await queue.take(), await queue.take()], ["running", "failed"]);
  queue.retry("failed");
  queue.release("failed");
  const held = new Map(queue.snapshot().map(({ key, ...rest }) => [key, rest]));
  assert.deepEqual([...held.keys()], ["running", "ready", "failed"]);
  assert.deepEqual(held.get("running"), { state: "running", failures: 0 });
  assert.deepEqual(held.get("ready"), { state: "ready", failures: 0 });
  const { dueInMs = 0, ...failed } = held.get("failed") ?? { state: "", failures: 0 };
  assert.deepEqual(failed, { state: "waiting", failures: 1 });
  assert.ok(dueInMs > 1, String(dueInMs));
  await advance(1);
  assert.equal(queue.snapshot().find(({ key }) => key === "failed")?.dueInMs, dueInMs - 1);
});
