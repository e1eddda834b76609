import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { FormerStates } from "./former-states.ts";
import { memoryStorage } from "./object-store.ts";
import type { Storage } from "./storage.ts";

const table = "things.example.org";

function thing(name: string, text: string): KubeObject {
  return { apiVersion: "v1", kind: "Thing", metadata: { namespace: "demo", name }, text } as KubeObject;
}

/** Creates and deletes `count` objects of 2,000 characters. */
async function cycles(storage: Storage, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    storage.put(table, `demo/${number}`, thing(String(number), "x".repeat(2000)));
    storage.remove(table, `demo/${number}`);
  }
  await storage.durable();
}

/** Characters of the former states that a watch could still request. */
function kept(storage: Storage): number {
  let size = 0;
  const feed = storage.feed(table, storage.oldest(table), ({ versionBefore, versionAfter, versionShown }) => {
    size += (versionBefore?.size ?? 0) + (versionAfter === undefined ? versionShown.size : 0);
  });
  if (feed.ok) feed.value.close();
  return size;
}

/**
 * Calls `forgetOld` every three seconds.
 * @returns how much it dropped
 */
function pass(former: FormerStates, clock: VirtualClock, ms: number): number {
  let forgotten = 0;
  for (let at = 0; at < ms; at += 3000) {
    clock.advance(3000);
    forgotten += former.forgetOld();
  }
  return forgotten;
}

test("former states of a load are kept for five minutes, and less than half a minute longer", async () => {
  const storage = memoryStorage();
  const clock = new VirtualClock();
  const former = new FormerStates(storage, clock);
  const start = kept(storage);
  await cycles(storage, 1000);
  const loaded = kept(storage);
  assert.ok(loaded > 3_000_000, `${loaded} characters`);
  assert.equal(pass(former, clock, 300_000), 0);
  assert.equal(kept(storage), loaded);
  const forgotten = pass(former, clock, 30_000);
  assert.equal(kept(storage), start);
  assert.ok(forgotten >= loaded, `${forgotten} of ${loaded} characters`);
  await storage.close();
});

test("a watch that has seen the last change can resume there, and newer changes are kept", async () => {
  const storage = memoryStorage();
  const clock = new VirtualClock();
  const former = new FormerStates(storage, clock);
  await cycles(storage, 1000);
  const seen = storage.tableRevision(table);
  storage.put("others.example.org", "demo/a", thing("a", ""));
  await storage.durable();
  pass(former, clock, 200_000);
  await cycles(storage, 500);
  const read = storage.published();
  pass(former, clock, 130_000);
  let changes = 0;
  const feed = storage.feed(table, seen, () => changes++);
  assert.ok(feed.ok);
  assert.equal(changes, 1000);
  assert.ok(storage.list(table, { at: read }).ok);
  assert.equal(storage.feed(table, seen - 1, () => undefined).ok, false);
  await storage.close();
});

test("a small history is kept completely however old it is", async () => {
  const storage = memoryStorage();
  const clock = new VirtualClock();
  const former = new FormerStates(storage, clock);
  await cycles(storage, 100);
  assert.equal(pass(former, clock, 3_600_000), 0);
  assert.ok(storage.feed(table, 0, () => undefined).ok);
  await storage.close();
});
