import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { defaultRegistryLimits } from "./registry-limits.ts";
import { StallWatch } from "./stall-watch.ts";

const { blobWindowMs, blobWindowBytes } = defaultRegistryLimits;

/** Whether the transfer ends in one period that is spent waiting, or with the reader busy, and that brings so many bytes. */
async function isEnded(bytes: number, isWaiting: boolean): Promise<boolean> {
  const clock = new VirtualClock();
  let ended = false;
  const watch = new StallWatch(clock, defaultRegistryLimits, () => {
    ended = true;
  });
  if (isWaiting) void watch.during(() => new Promise(() => undefined));
  watch.received(bytes);
  clock.advance(blobWindowMs);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(watch.isStalled, ended);
  watch.stop();
  return ended;
}

test("a transfer that brings too little while it is waited for ends", async () => {
  assert.equal(await isEnded(blobWindowBytes - 1, true), true);
});

test("a transfer that brings enough goes on", async () => {
  assert.equal(await isEnded(blobWindowBytes, true), false);
});

test("a busy reader is no slow registry", async () => {
  assert.equal(await isEnded(0, false), false);
});
