import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "./virtual-clock.ts";

test("a sleeper wakes only when its time has been reached", async () => {
  const clock = new VirtualClock();
  const woken: string[] = [];
  const never = new AbortController().signal;
  void clock.sleep(200, never).then(() => woken.push("late"));
  void clock.sleep(100, never).then(() => woken.push("early"));
  clock.advance(150);
  await Promise.resolve();
  assert.deepEqual(woken, ["early"]);
  assert.equal(clock.nextDue(), clock.now() + 50);
});

test("a sleeper whose signal aborts rejects and is removed", async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const sleeping = clock.sleep(100, stop.signal);
  stop.abort(new Error("stopped"));
  await assert.rejects(sleeping, /stopped/);
  assert.equal(clock.nextDue(), undefined);
});

test("a clock that is set back shows an earlier time, and sleepers wake as before", async () => {
  const clock = new VirtualClock(10_000);
  const never = new AbortController().signal;
  const sleeping = clock.sleep(100, never);
  clock.setBack(5_000);
  assert.equal(clock.now(), 5_000);
  assert.equal(clock.monotonic(), 0);
  assert.equal(clock.nextDue(), 5_100);
  clock.advance(100);
  await sleeping;
});
