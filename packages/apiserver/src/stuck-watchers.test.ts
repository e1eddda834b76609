import assert from "node:assert/strict";
import { test } from "node:test";
import type { WatchEvent } from "@purser/kubernetes/kube/transport";
import { WatchBacklog } from "./resource/watches/watch-backlog.ts";
import { WatchQueue } from "./resource/watches/watch-queue.ts";
import { memoryStorage } from "./storage/object-store.ts";
import type { TestServer } from "./testing/server.ts";
import { testServer, withNamespace } from "./testing/server.ts";

/** Writes one object again and again. */
async function write(api: TestServer, path: string, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number++)
    assert.equal(
      (
        await api.ask({
          method: "PATCH",
          path: `${path}/busy`,
          body: { data: { n: String(number) } },
          headers: { "content-type": "application/merge-patch+json" },
        })
      ).code,
      200,
    );
}

const revisionOf = ({ object }: WatchEvent): number => Number(object.metadata.resourceVersion);

test("a watcher that never reads is disconnected and keeps no memory, and one that reconnects in time misses no event", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  const made = await api.ask({
    method: "POST",
    path,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "busy" } },
  });
  assert.equal(made.code, 201);
  const start = (made.object["metadata"] as { readonly resourceVersion: string }).resourceVersion;
  const query = (from: string): string => `watch=1&resourceVersion=${from}&fieldSelector=metadata.name%3Dbusy`;
  const stuck = await api.watch(`${path}?${query(start)}`);
  const awake = await api.watch(`${path}?${query(start)}`);
  const heard: number[] = [];
  for (let round = 0; round < 83; round++) {
    await write(api, path, round * 100, (round + 1) * 100);
    for (let count = 0; count < 100; count++) heard.push(revisionOf((await awake.next()) as WatchEvent));
  }
  assert.equal(await stuck.next(), undefined, "it ends, and none of what waited for it is kept");
  // As far back as a table remembers for certain: all of it is handed over at once.
  const missed = heard.slice(-2000);
  const again = await api.watch(`${path}?${query(String(heard.at(-2001)))}`);
  const caughtUp: number[] = [];
  for (let count = 0; count < missed.length; count++) caughtUp.push(revisionOf((await again.next()) as WatchEvent));
  assert.deepEqual(caughtUp, missed);
  const forgotten = await api.watch(`${path}?${query(start)}`);
  assert.equal((await forgotten.next())?.type, "ERROR");
  awake.stop();
  again.stop();
  await api.server.stop();
});

test("watchers that never read hold no more than there is room for, and the slowest of them end first", async () => {
  const unreadLimit = 100_000;
  const api = await testServer({ unreadLimit });
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  const text = "x".repeat(10_000);
  const create = async (name: string): Promise<void> => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text } };
    assert.equal((await api.ask({ method: "POST", path, body })).code, 201);
  };
  const watch = `${path}?watch=1&resourceVersion=${api.storage.revision()}`;
  const stuck = await Promise.all(Array.from({ length: 100 }, () => api.watch(watch)));
  for (let number = 0; number < 5; number++) await create(`first-${number}`);
  const late = await api.watch(`${path}?watch=1&resourceVersion=${api.storage.revision()}`);
  // All of them wait for the same changes, which count once.
  assert.equal((await stuck[0]?.next())?.object.metadata.name, "first-0");
  for (let number = 0; number < 5; number++) await create(`second-${number}`);
  assert.equal(await stuck[99]?.next(), undefined, "it has never read");
  assert.equal((await late.next())?.object.metadata.name, "second-0");
  assert.equal((await stuck[0]?.next())?.object.metadata.name, "first-1", "it has read meanwhile");
  await api.server.stop();
});

test("events that a watcher has received are not kept for it", async () => {
  const backlog = new WatchBacklog(1_000_000);
  const queue = new WatchQueue(new AbortController().signal, backlog);
  const storage = memoryStorage();
  const feed = storage.feed("configmaps", storage.revision(), (change) => queue.push({ kind: "change", change }));
  assert.ok(feed.ok);
  for (let number = 0; number < 40; number++)
    storage.put("configmaps", `demo/${number}`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "demo", name: String(number) },
    });
  await storage.durable();
  const full = backlog.size;
  for (let number = 0; number < 20; number++) await queue.next();
  assert.ok(backlog.size > 0 && backlog.size < full * 0.55, `${backlog.size} of ${full} characters`);
  for (let number = 0; number < 20; number++) await queue.next();
  assert.equal(backlog.size, 0);
  queue.close();
});
