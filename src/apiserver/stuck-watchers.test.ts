import assert from "node:assert/strict";
import { test } from "node:test";
import type { WatchEvent } from "../kube/transport.ts";
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

test("a watcher that never reads is cut off, holds nothing then, and one that comes again in time misses nothing", async () => {
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
