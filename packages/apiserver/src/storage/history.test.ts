import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { memoryStorage } from "./object-store.ts";
import type { Storage } from "./storage.ts";

function thing(name: string, text: string): KubeObject {
  const object = { apiVersion: "v1", kind: "Thing", metadata: { namespace: "demo", name }, text };
  return object as KubeObject;
}

/** Characters of all changes that the tables keep, with 512 for each change. */
function kept(storage: Storage, tables: readonly string[]): number {
  let size = 0;
  for (const table of tables) {
    const feed = storage.feed(table, storage.oldest(table), ({ versionBefore, versionShown, versionAfter }) => {
      size += 512 + (versionBefore?.size ?? 0) + (versionAfter === undefined ? versionShown.size : 0);
    });
    if (feed.ok) feed.value.close();
  }
  return size;
}

/** Creates and deletes `count` objects in each of the tables. */
async function cycles(storage: Storage, tables: readonly string[], count: number): Promise<void> {
  const text = "x".repeat(2000);
  for (let number = 0; number < count; number++)
    for (const table of tables) {
      storage.put(table, `demo/${number}`, thing(String(number), text));
      storage.remove(table, `demo/${number}`);
    }
  await storage.durable();
}

test("created and deleted objects leave a bounded history, however many tables they were in", async () => {
  const storage = memoryStorage();
  const tables = Array.from({ length: 40 }, (_, index) => `things-${index}.example.org`);
  await cycles(storage, tables, 200);
  assert.deepEqual(storage.tables(), []);
  const after = kept(storage, tables);
  await cycles(storage, tables, 200);
  assert.ok(after <= 12 * 2 ** 20, `${after} characters`);
  assert.ok(kept(storage, tables) <= 12 * 2 ** 20, `${kept(storage, tables)} characters`);
  await storage.close();
});

test("the table with the largest history drops changes first, and a small one keeps all of its changes", async () => {
  const storage = memoryStorage();
  await cycles(storage, ["small.example.org"], 20);
  await cycles(storage, ["a.example.org", "b.example.org", "c.example.org"], 2000);
  let changes = 0;
  const feed = storage.feed("small.example.org", storage.oldest("small.example.org"), () => changes++);
  assert.ok(feed.ok);
  assert.equal(changes, 40);
  await storage.close();
});
