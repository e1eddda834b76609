import assert from "node:assert/strict";
import type { WatchEvent } from "@purser/kubernetes/kube/transport";
import type { Row } from "../row.ts";
import type { OpenWatch } from "../cluster.ts";
import type { Scene } from "../scene.ts";
import { configMap, text } from "../scene.ts";

const initial = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

async function revision(scene: Scene): Promise<string> {
  return text(await scene.ok({ path: scene.cms }), "metadata", "resourceVersion");
}

async function take(watch: OpenWatch, count: number): Promise<readonly WatchEvent[]> {
  const events: WatchEvent[] = [];
  while (events.length < count) {
    const event = await watch.next();
    if (event === undefined) break;
    // kube-root-ca.crt appears asynchronously.
    if (event.object.metadata?.name !== "kube-root-ca.crt") events.push(event);
  }
  return events;
}

const typesOf = (events: readonly WatchEvent[]): readonly string[] => events.map(({ type }) => type);

export const watchRows: readonly Row[] = [
  {
    row: 114,
    name: "a watch sends every change once and in order, and a deletion with its own revision",
    run: async (scene) => {
      const watch = await scene.watch(`${scene.cms}?watch=true&resourceVersion=${await revision(scene)}`);
      await scene.make("x");
      await scene.merge(`${scene.cms}/x`, { data: { a: "1" } });
      await scene.merge(`${scene.cms}/x`, { data: { a: "1" } });
      await scene.ok({ method: "DELETE", path: `${scene.cms}/x` });
      const events = await take(watch, 3);
      assert.deepEqual(typesOf(events), ["ADDED", "MODIFIED", "DELETED"]);
      const revisions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      assert.deepEqual(
        revisions,
        revisions.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(revisions).size, 3);
    },
  },
  {
    row: 115,
    name: "a watch without a revision starts with existing objects",
    run: async (scene) => {
      const watch = await scene.watch(`${scene.cms}?watch=true`);
      const [event] = await take(watch, 1);
      assert.equal(event?.type, "ADDED");
      assert.equal(event.object.metadata.name, "a");
    },
  },
  {
    row: 116,
    name: "an object that leaves the selection is DELETED with the old labels and the new revision; one that enters again is ADDED",
    run: async (scene) => {
      await scene.make("x", { metadata: { labels: { color: "red" } } });
      const watch = await scene.watch(`${scene.cms}?watch=true&labelSelector=color=red`);
      assert.equal((await watch.next())?.type, "ADDED");
      const changed = await scene.merge(`${scene.cms}/x`, { metadata: { labels: { color: "blue" } } });
      const left = await watch.next();
      assert.equal(left?.type, "DELETED");
      assert.equal(left.object.metadata.labels?.["color"], "red");
      assert.equal(left.object.metadata.resourceVersion, text(changed.object, "metadata", "resourceVersion"));
      await scene.merge(`${scene.cms}/x`, { metadata: { labels: { color: "red" } } });
      assert.equal((await watch.next())?.type, "ADDED");
    },
  },
  {
    row: 117,
    name: "a watch of one name sends only events of that object",
    run: async (scene) => {
      const from = await revision(scene);
      const watch = await scene.watch(`${scene.cms}?watch=true&resourceVersion=${from}&fieldSelector=metadata.name=w1`);
      await scene.make("other");
      await scene.make("w1");
      assert.equal((await watch.next())?.object.metadata.name, "w1");
    },
  },
  {
    row: 119,
    name: "a watch with initial events sends the state and its bookmark",
    run: async (scene) => {
      await scene.make("b");
      const watch = await scene.watch(`${scene.cms}?${initial}`);
      const events = await take(watch, 3);
      assert.deepEqual(typesOf(events), ["ADDED", "ADDED", "BOOKMARK"]);
      const [, , end] = events;
      assert.equal(end?.object.metadata.annotations?.["k8s.io/initial-events-end"], "true");
      for (const { object } of events)
        assert.ok(Number(object.metadata.resourceVersion) <= Number(end.object.metadata.resourceVersion));
    },
  },
  {
    row: 120,
    name: "an empty selection gets its bookmark immediately",
    run: async (scene) => {
      const watch = await scene.watch(`${scene.cms}?${initial}&labelSelector=no=thing`);
      assert.equal((await watch.next())?.type, "BOOKMARK");
    },
  },
  {
    row: 123,
    name: "a watch ends cleanly after its timeout",
    run: async (scene) => {
      const watch = await scene.watch(
        `${scene.cms}?watch=true&resourceVersion=${await revision(scene)}&timeoutSeconds=1&labelSelector=no=thing`,
      );
      const started = performance.now();
      assert.equal(await watch.next(), undefined);
      // Without `timeoutSeconds` it would last half an hour at least.
      assert.ok(performance.now() - started < 600_000);
    },
  },
  {
    row: 126,
    name: "a watch cannot be YAML",
    ask: { path: "/api/v1/namespaces/{ns}/configmaps?watch=true", headers: { accept: "application/yaml" } },
    code: 406,
  },
  {
    row: 127,
    name: "a watch that is resumed after each tenth of 200 writes misses and repeats nothing",
    run: async (scene) => {
      let from = await revision(scene);
      const names = Array.from({ length: 200 }, (_, index) => `n${String(index).padStart(3, "0")}`);
      const writing = (async () => {
        for (const name of names) await scene.make(name);
      })();
      const seen: string[] = [];
      while (seen.length < names.length) {
        const watch = await scene.watch(`${scene.cms}?watch=true&resourceVersion=${from}`);
        const events = await take(watch, Math.min(20, names.length - seen.length));
        watch.stop();
        for (const { object } of events) {
          seen.push(object.metadata.name ?? "");
          from = object.metadata.resourceVersion ?? from;
        }
      }
      await writing;
      assert.deepEqual(seen, names);
    },
  },
  {
    row: 128,
    name: "100 watchers see 200 creates in the same order",
    run: async (scene) => {
      const from = await revision(scene);
      const watches = await Promise.all(
        Array.from({ length: 100 }, () =>
          scene.watch(`${scene.cms}?watch=true&resourceVersion=${from}&labelSelector=set=one`),
        ),
      );
      const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
      const readers = watches.map((watch) => take(watch, names.length));
      for (const name of names) await scene.make(name, { metadata: { labels: { set: "one" } } });
      for (const events of await Promise.all(readers))
        assert.deepEqual(
          events.map(({ object }) => object.metadata.name),
          names,
        );
    },
  },
  {
    row: 130,
    name: "deprecated watch paths work",
    run: async (scene) => {
      const watch = await scene.watch(`/api/v1/watch/namespaces/${scene.ns}/configmaps`);
      assert.equal((await watch.next())?.type, "ADDED");
    },
  },
  {
    row: 131,
    name: "a deletion with finalizers is MODIFIED, its completion is DELETED",
    run: async (scene) => {
      await scene.make("held", { metadata: { finalizers: ["x.io/a"] } });
      const watch = await scene.watch(
        `${scene.cms}?watch=true&resourceVersion=${await revision(scene)}&fieldSelector=metadata.name=held`,
      );
      await scene.ok({ method: "DELETE", path: `${scene.cms}/held` });
      const marked = await watch.next();
      assert.equal(marked?.type, "MODIFIED");
      assert.notEqual(marked.object.metadata.deletionTimestamp, undefined);
      await scene.merge(`${scene.cms}/held`, { metadata: { finalizers: null } });
      assert.equal((await watch.next())?.type, "DELETED");
    },
  },
  {
    row: 132,
    name: "a deleted and recreated object is DELETED, then ADDED with another uid",
    run: async (scene) => {
      const watch = await scene.watch(
        `${scene.cms}?watch=true&resourceVersion=${await revision(scene)}&fieldSelector=metadata.name=a`,
      );
      await scene.ok({ method: "DELETE", path: `${scene.cms}/a` });
      await scene.ok({ method: "POST", path: scene.cms, body: configMap("a") });
      const [gone, back] = [await watch.next(), await watch.next()];
      assert.deepEqual([gone?.type, back?.type], ["DELETED", "ADDED"]);
      assert.notEqual(gone?.object.metadata.uid, back?.object.metadata.uid);
    },
  },
];
