import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { objectIn, textIn } from "./kinds/decoding/json-parts.ts";
import { createApiServer } from "./server.ts";
import { openSqliteStorage } from "./storage/sqlite-storage.ts";
import { askServer, items, testServer, withNamespace, type TestServer } from "./testing/server.ts";

const path = "/api/v1/namespaces/demo/events";
const minute = 60_000;

function event(name: string, more: JsonObject = {}): JsonObject {
  return { metadata: { name, ...more }, involvedObject: { namespace: "demo", kind: "Pod", name: "p" }, reason: "R" };
}

async function names(server: TestServer): Promise<readonly string[]> {
  return (await items(server, path)).map((held) => textIn(objectIn(held, "metadata"), "name"));
}

/** Advances the clock and waits until what became due is durable. */
async function pass(server: TestServer, ms: number): Promise<void> {
  server.clock.advance(ms);
  await new Promise((resolve) => setImmediate(resolve));
  await server.storage.durable();
}

test("an event is deleted an hour after its last write, despite finalizers, and watchers see DELETED", async () => {
  const server = await testServer();
  await withNamespace(server, "demo");
  await server.ask({ method: "POST", path, body: event("first", { finalizers: ["ex.io/held"] }) });
  await pass(server, 20 * minute);
  await server.ask({ method: "POST", path, body: event("second") });
  const headers = { "content-type": "application/merge-patch+json" };
  await server.ask({ method: "PATCH", path: `${path}/first`, headers, body: { count: 2 } });
  await server.ask({ method: "POST", path, body: event("third") });
  await server.ask({ method: "DELETE", path: `${path}/third` });
  await pass(server, 60 * minute - 1);
  assert.deepEqual(await names(server), ["first", "second"]);
  const watch = await server.watch(`${path}?watch=true&resourceVersion=${server.storage.revision()}`);
  await pass(server, 1);
  assert.deepEqual(await names(server), []);
  const deletions = [await watch.next(), await watch.next()].map(
    (one) => `${one?.type ?? ""} ${one?.object.metadata.name ?? ""}`,
  );
  assert.deepEqual(deletions, ["DELETED second", "DELETED first"]);
  watch.stop();
  await server.server.stop();
});

test("a server that starts again forgets events when the one before would have done so", async () => {
  const directory = mkdtempSync(join(tmpdir(), "purser-events-"));
  const clock = new VirtualClock();
  const start = async (): Promise<TestServer> => {
    const opened = await openSqliteStorage(join(directory, "data.db"));
    assert.ok(opened.ok);
    const storage = opened.value;
    const server = await createApiServer({ clock, storage, entropy: new SeededEntropy(7), controllers: false });
    const ask: TestServer["ask"] = (request) => askServer(server, request);
    return { server, storage, clock, ask, watch: () => Promise.reject(new Error("nobody watches")) };
  };
  try {
    const before = await start();
    await withNamespace(before, "demo");
    for (const name of ["old", "renewed"])
      await before.ask({ method: "POST", path, body: { ...event(name), count: 1 } });
    await pass(before, 30 * minute);
    await before.ask({ method: "POST", path, body: { ...event("young"), lastTimestamp: "2099-01-01T00:00:00Z" } });
    const headers = { "content-type": "application/merge-patch+json" };
    await before.ask({ method: "PATCH", path: `${path}/renewed`, headers, body: { count: 2 } });
    await before.server.stop();
    clock.advance(20 * minute);
    const after = await start();
    assert.deepEqual(await names(after), ["old", "renewed", "young"]);
    await pass(after, 10 * minute);
    assert.deepEqual(await names(after), ["renewed", "young"]);
    await pass(after, 30 * minute);
    assert.deepEqual(await names(after), []);
    await after.server.stop();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
