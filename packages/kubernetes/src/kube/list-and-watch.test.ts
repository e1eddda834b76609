import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceType } from "../apis/resource-type.ts";
import { configMaps, events } from "../apis/resources.ts";
import type { Clock } from "../clock.ts";
import { SeededEntropy } from "../entropy.ts";
import type { KubeClient, WatchOptions } from "./client.ts";
import { listAndWatch } from "./list-and-watch.ts";
import type { WatchEvent } from "./transport.ts";

const bookmark: WatchEvent = {
  type: "BOOKMARK",
  object: { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion: "8" } },
};

/** Each watch brings its events, then breaks, or ends, after so many ms; the feed ends with the last one. */
async function followed(
  watches: readonly (readonly [events: readonly WatchEvent[], lastsMs: number, end?: "ends"])[],
  type: ResourceType = configMaps,
): Promise<{ readonly feed: readonly string[]; readonly isPatient: readonly boolean[] }> {
  const ending = new AbortController();
  const isPatient: boolean[] = [];
  let now = 0;
  const client = {
    page: () => Promise.resolve({ items: [], resourceVersion: "7" }),
    async *watch(_type: unknown, _scope: unknown, { idleTimeoutMs, timeoutSeconds = 0 }: WatchOptions) {
      const [events, lastsMs, end] = watches[isPatient.length] ?? [[], 0];
      isPatient.push(idleTimeoutMs !== undefined && idleTimeoutMs > timeoutSeconds * 1000);
      yield* events;
      now += lastsMs;
      if (isPatient.length === watches.length) ending.abort();
      await Promise.resolve();
      if (end === undefined) throw new Error("no byte came");
    },
  } as unknown as KubeClient;
  const clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() } as Clock;
  const options = { clock, entropy: new SeededEntropy(1) };
  const feed: string[] = [];
  for await (const event of listAndWatch(client, type, {}, options, ending.signal))
    feed.push(event.kind === "interrupted" && String(event.error).includes("ended") ? "ended at once" : event.kind);
  return { feed, isPatient };
}

test("a server without bookmarks is no fault: its silent watch goes on from the same version, and is waited for longer", async () => {
  const { feed, isPatient } = await followed([
    [[], 150_000],
    [[], 400_000],
    [[], 1],
  ]);
  assert.deepEqual(feed, ["page", "listed", "interrupted"], "one that breaks after its longer time is a fault");
  assert.deepEqual(isPatient, [false, true, true]);
});

test("a watch that breaks soon, or after a bookmark, is a fault, and bookmarks shorten the wait again", async () => {
  const { feed, isPatient } = await followed([
    [[], 100_000],
    [[bookmark], 150_000],
    [[], 150_000],
    [[bookmark], 150_000],
    [[], 1],
  ]);
  assert.deepEqual(feed, ["page", "listed", "interrupted", "progress", "interrupted", "progress", "interrupted"]);
  assert.deepEqual(isPatient, [false, false, false, true, false]);
});

test("silence after a change is no fault either", async () => {
  const change: WatchEvent = { ...bookmark, type: "MODIFIED" };
  const { feed, isPatient } = await followed([
    [[change], 150_000],
    [[], 1],
  ]);
  assert.deepEqual(feed, ["page", "listed", "stored"]);
  assert.deepEqual(isPatient, [false, true]);
});

test("only a watch that ends within a second and without an event is a fault", async () => {
  const { feed } = await followed([
    [[], 999, "ends"],
    [[], 1000, "ends"],
    [[{ ...bookmark, type: "ADDED" }], 0, "ends"],
    [[bookmark], 0, "ends"],
    [[], 0, "ends"],
    [[{ ...bookmark, type: "DELETED" }], 0, "ends"],
  ]);
  assert.deepEqual(feed, ["page", "listed", "ended at once", "stored", "progress", "ended at once", "removed"]);
});

test("events, for which kube-apiserver sends no bookmarks, are waited for longer from the first watch on", async () => {
  const eventsOfGroup = { ...events, group: "events.k8s.io" };
  for (const type of [events, eventsOfGroup]) assert.deepEqual((await followed([[[], 1]], type)).isPatient, [true]);
});
