import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import type { Clock } from "@purser/kubernetes/clock";
import { countedBody, watchProgress } from "./counted-body.ts";

test("a transfer is stalled after one period without progress, not while it goes on", async () => {
  let [periods, count] = [0, 0];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: (durationMs) => {
      assert.equal(durationMs, 60);
      periods++;
      if (periods < 5) count++;
      return periods > 9 ? Promise.reject(new Error("not noticed")) : Promise.resolve();
    },
  };
  let stalledAfter = 0;
  watchProgress(
    clock,
    60,
    () => count,
    () => (stalledAfter = periods),
  );
  await new Promise((resolve) => void setImmediate(resolve));
  assert.equal(stalledAfter, 5);
});

test("the bytes of a body are counted as they are taken", async () => {
  const { body, taken } = countedBody(Readable.from([Buffer.from("abc"), Buffer.from("de")]));
  assert.equal(taken(), 0);
  assert.deepEqual(await buffer(body), Buffer.from("abcde"));
  assert.equal(taken(), 5);
});

test("a body that nobody has read is ended with the one that counts it, and a failure of the body is one of both", async () => {
  const unread = new Readable({ read: () => undefined });
  const { body } = countedBody(unread);
  body.destroy();
  await once(body, "close");
  assert.ok(unread.destroyed);
  const broken = new Readable({ read: () => void broken.destroy(new Error("the disk is broken")) });
  await assert.rejects(buffer(countedBody(broken).body), /the disk is broken/);
});
