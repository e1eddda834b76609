import { test } from "node:test";
import assert from "node:assert/strict";
import type { ConfigMap } from "../apis/core.ts";
import type { KubeObject, ObjectKey } from "../apis/object.ts";
import { configMaps, secrets } from "../apis/resources.ts";
import { SeededEntropy } from "../entropy.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { createClient, type KubeClient } from "./client.ts";
import { createInformerCache, type InformerCache, type ObjectChange, type Reduction } from "./informer-cache.ts";
import { MemoryApi } from "./testing/memory-api.ts";
import { settle } from "./testing/settle.ts";

const { signal } = new AbortController();

interface World {
  readonly api: MemoryApi;
  readonly client: KubeClient;
  readonly cache: InformerCache;
  readonly clock: VirtualClock;
  readonly create: (name: string, metadata?: KubeObject["metadata"]) => Promise<KubeObject>;
  readonly remove: (name: string) => Promise<void>;
}

async function aWorld(run: (world: World) => Promise<void>, served = ["/api/v1/configmaps"]): Promise<void> {
  const api = new MemoryApi(served);
  const clock = new VirtualClock();
  const client = createClient(api.transport);
  const cache = createInformerCache({ client, clock, entropy: new SeededEntropy(1) });
  try {
    await run({
      api,
      client,
      cache,
      clock,
      async create(name, metadata = {}) {
        const object: ConfigMap = {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { namespace: "demo", name, ...metadata },
        };
        const result = await client.write({ verb: "create", type: configMaps, object }, signal);
        assert.ok(result.ok && result.value.object !== undefined);
        return result.value.object;
      },
      async remove(name) {
        const result = await client.write(
          { verb: "delete", type: configMaps, key: { namespace: "demo", name } },
          signal,
        );
        assert.ok(result.ok);
      },
    });
  } finally {
    await cache.stop();
  }
}

const names = (objects: readonly KubeObject[]): readonly (string | undefined)[] =>
  objects.map(({ metadata: { name } }) => name);
const recorder = (): { readonly log: string[]; readonly note: (change: ObjectChange) => void } => {
  const log: string[] = [];
  const note = ({ before, after }: ObjectChange): void => {
    const kind = before === undefined ? "+" : after === undefined ? "-" : "~";
    log.push(`${kind}${(after ?? before)?.metadata.name}`);
  };
  return { log, note };
};

test("a cache has all existing objects and follows changes", () =>
  aWorld(async ({ cache, create, remove }) => {
    await create("a");
    const { log, note } = recorder();
    await cache.acquire({ type: configMaps }, note).synced;
    await create("b");
    await remove("a");
    await settle();
    assert.deepEqual(log, ["+a", "+b", "-a"]);
    assert.deepEqual(names(await cache.list(configMaps)), ["b"]);
  }));

test("reads that an informer covers send no request", () =>
  aWorld(async ({ api, cache, create }) => {
    await create("a", { labels: { app: "x" } });
    await cache.acquire({ type: configMaps }).synced;
    await settle();
    const before = api.requests.length;
    assert.ok(await cache.get(configMaps, { namespace: "demo", name: "a" }));
    assert.equal(await cache.get(configMaps, { namespace: "demo", name: "none" }), undefined);
    assert.deepEqual(names(await cache.list(configMaps, { namespace: "demo", labelSelector: "app in (x,y)" })), ["a"]);
    assert.deepEqual(await cache.list(configMaps, { namespace: "other" }), []);
    assert.equal(api.requests.length, before);
  }));

test("reads that no informer covers go to the server", () =>
  aWorld(async ({ api, cache, create }) => {
    await create("a", { labels: { app: "x" } });
    await create("b");
    await cache.acquire({ type: configMaps, scope: { labelSelector: "app=x" } }).synced;
    await settle();
    const before = api.requests.length;
    assert.ok(await cache.get(configMaps, { namespace: "demo", name: "a" }));
    assert.deepEqual(names(await cache.list(configMaps, { labelSelector: "app=x" })), ["a"]);
    assert.equal(api.requests.length, before);
    assert.ok(await cache.get(configMaps, { namespace: "demo", name: "b" }));
    assert.deepEqual(names(await cache.list(configMaps)), ["a", "b"]);
    assert.equal(api.requests.length, before + 2);
  }));

test("an informer with a selector serves lists with narrower selectors only", () =>
  aWorld(async ({ api, cache, create }) => {
    await create("a", { labels: { app: "x", tier: "1" } });
    await create("b", { labels: { app: "x" } });
    await create("c", { labels: { tier: "1" } });
    await cache.acquire({ type: configMaps, scope: { labelSelector: "app=x" } }).synced;
    await settle();
    const before = api.requests.length;
    assert.deepEqual(names(await cache.list(configMaps, { labelSelector: "tier=1,app=x" })), ["a"]);
    assert.equal(api.requests.length, before);
    assert.deepEqual(names(await cache.list(configMaps, { labelSelector: "tier=1" })), ["a", "c"]);
    assert.deepEqual(names(await cache.list(configMaps, { labelSelector: "tier=1,app!=x" })), ["c"]);
    assert.deepEqual(names(await cache.list(configMaps, { labelSelector: "tier,app in (x,y)" })), ["a"]);
    assert.equal(api.requests.length, before + 3);
  }));

test("informers of one type and scope are shared, and the last release stops them", () =>
  aWorld(async ({ api, cache }) => {
    const first = cache.acquire({ type: configMaps });
    const second = cache.acquire({ type: configMaps });
    await second.synced;
    await settle();
    assert.equal(api.watches, 1);
    first.release();
    first.release();
    await settle();
    assert.equal(api.watches, 1);
    second.release();
    await settle();
    assert.equal(api.watches, 0);
  }));

test("a long list is read in pages", () =>
  aWorld(async ({ api, cache, create }) => {
    for (let number = 0; number < 1200; number++) await create(`m-${number}`);
    api.requests.length = 0;
    await cache.acquire({ type: configMaps }).synced;
    assert.equal((await cache.list(configMaps)).length, 1200);
    assert.deepEqual(api.requests.filter((request) => !request.endsWith("?watch")).length, 3);
  }));

test("managed fields are dropped unless the projection is whole", () =>
  aWorld(async ({ cache, create }) => {
    await create("a", { managedFields: [{ manager: "m" }] });
    await cache.acquire({ type: configMaps }).synced;
    const held = await cache.get(configMaps, { namespace: "demo", name: "a" });
    assert.ok(held);
    assert.ok(!Object.hasOwn(held.metadata, "managedFields"));
  }));

test("only an informer that keeps metadata asks the server for metadata alone", () =>
  aWorld(async ({ api, cache }) => {
    const asked = new Set<string>();
    api.refuse = ({ headers }) => void asked.add(headers?.["accept"] ?? "");
    await cache.acquire({ type: configMaps }).synced;
    await settle();
    assert.deepEqual([...asked], ["application/json"]);
    asked.clear();
    await cache.acquire({ type: configMaps, projection: "metadata" }).synced;
    await settle();
    assert.deepEqual(
      [...asked].map((accept) => /as=(\w+)/.exec(accept)?.[1]),
      ["PartialObjectMetadataList", "PartialObjectMetadata"],
    );
  }));

test("cached() never answers from an informer that only wakes, whose objects are metadata", () =>
  aWorld(async ({ cache, create }) => {
    await create("a");
    const key = { namespace: "demo", name: "a" };
    await cache.acquire({ type: configMaps, projection: "metadata", onlyWakes: true }).synced;
    assert.equal(cache.cached(configMaps, key), undefined);
    assert.equal(cache.lastSeen(configMaps, key), undefined);
    const whole = cache.acquire({ type: configMaps, projection: "whole", onlyWakes: true });
    await whole.synced;
    assert.equal(cache.cached(configMaps, key), undefined);
    assert.equal(cache.lastSeen(configMaps, key)?.metadata.name, "a");
    whole.release();
    await cache.acquire({ type: configMaps }).synced;
    assert.equal(cache.cached(configMaps, key)?.metadata.name, "a");
  }));

test("reduced() answers from an informer with that reduction while something reads from it, and nothing else does", () =>
  aWorld(async ({ cache, create }) => {
    await create("a", { labels: { shown: "yes" } });
    await create("b");
    const named = (name: string): Reduction => ({
      name,
      reduce: ({ data: _data, ...object }: KubeObject & { data?: unknown }) => object,
    });
    const keyOf = (name: string): ObjectKey => ({ namespace: "demo", name });
    const scope = { labelSelector: "shown=yes" };
    const waking = cache.acquire({ type: configMaps, scope, projection: named("one"), onlyWakes: true });
    await waking.synced;
    assert.equal(cache.reduced(configMaps, keyOf("a"), named("one")), undefined);
    await cache.acquire({ type: configMaps, scope, projection: named("one") }).synced;
    assert.equal(cache.reduced(configMaps, keyOf("a"), named("one"))?.metadata.name, "a");
    assert.equal(cache.reduced(configMaps, keyOf("a"), named("other")), undefined);
    assert.equal(cache.reduced(configMaps, keyOf("b"), named("one")), undefined);
  }));

test("changeSince() compares with what any informer shows, and one that is behind shows no change", () =>
  aWorld(async ({ cache, client, create, remove }) => {
    await create("a");
    const key = { namespace: "demo", name: "a" };
    const { uid = "", resourceVersion = "" } = (await client.get(configMaps, key))?.metadata ?? {};
    const since = (version: { readonly uid: string; readonly resourceVersion: string }): string =>
      cache.changeSince(configMaps, key, version);
    assert.equal(since({ uid, resourceVersion }), "unseen", "no informer follows the type");
    const lease = cache.acquire({ type: configMaps, projection: "metadata", onlyWakes: true });
    await lease.synced;
    assert.equal(since({ uid, resourceVersion }), "none");
    assert.equal(
      since({ uid, resourceVersion: String(Number(resourceVersion) + 5) }),
      "none",
      "its write is not shown yet",
    );
    assert.equal(since({ uid, resourceVersion: String(Number(resourceVersion) - 1) }), "changed");
    assert.equal(since({ uid: "another", resourceVersion }), "changed", "it was created again");
    await remove("a");
    await settle();
    assert.equal(since({ uid, resourceVersion }), "unseen");
    await cache.acquire({ type: configMaps, scope: { namespace: "other" } }).synced;
    await create("a");
    lease.release();
    assert.equal(since({ uid, resourceVersion }), "unseen", "the informer follows another namespace");
  }));

test("indexes find objects by value and follow changes and deletions", () =>
  aWorld(async ({ client, cache, create, remove }) => {
    const byColour = (object: ConfigMap): readonly string[] => [object.metadata.annotations?.["colour"] ?? "none"];
    await create("a", { annotations: { colour: "red" } });
    await create("b", { annotations: { colour: "red" } });
    await cache.acquire({ type: configMaps, indexes: { colour: byColour } }).synced;
    assert.deepEqual(names(cache.byIndex(configMaps, "colour", "red")), ["a", "b"]);
    const patch = { metadata: { annotations: { colour: "blue" } } };
    const key = { namespace: "demo", name: "a" };
    await client.write({ verb: "patch", type: configMaps, key, patch, patchType: "merge" }, signal);
    await remove("b");
    await settle();
    assert.deepEqual(names(cache.byIndex(configMaps, "colour", "red")), []);
    assert.deepEqual(names(cache.byIndex(configMaps, "colour", "blue")), ["a"]);
  }));

test("a reduction keeps what it returns, is indexed and never answers a read", () =>
  aWorld(async ({ cache, create }) => {
    await create("a", { annotations: { colour: "red" } });
    const reduce = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => {
      const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
      return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion }, status: "reduced" };
    };
    const projection = { name: "test", reduce };
    await cache.acquire({ type: configMaps, projection, indexes: { all: () => ["yes"] } }).synced;
    const key = { namespace: "demo", name: "a" };
    const held: KubeObject | undefined = cache.cached(configMaps, key);
    assert.deepEqual([held?.status, held?.metadata.annotations], ["reduced", undefined]);
    assert.equal(cache.indexSize(configMaps, "all", "yes"), 1);
    assert.equal(cache.indexSize(configMaps, "all", "no"), 0);
    assert.equal((await cache.get(configMaps, key))?.metadata.annotations?.["colour"], "red");
    assert.equal((await cache.list(configMaps))[0]?.metadata.annotations?.["colour"], "red");
  }));

test("a selector on an indexed label reads only objects with that label", () =>
  aWorld(async ({ cache, create }) => {
    await create("a", { labels: { owner: "x", tier: "1" } });
    await create("b", { labels: { owner: "x" } });
    await create("c", { labels: { owner: "constructor" } });
    await cache.acquire({ type: configMaps, indexedLabels: ["owner"] }).synced;
    assert.deepEqual(names(await cache.list(configMaps, { labelSelector: "owner=x,tier" })), ["a"]);
    assert.deepEqual(names(await cache.list(configMaps, { namespace: "demo", labelSelector: "owner=constructor" })), [
      "c",
    ]);
    assert.deepEqual(names(await cache.list(configMaps, { namespace: "other", labelSelector: "owner=x" })), []);
  }));

test("a lost connection resumes without missing or repeating a change", () =>
  aWorld(async ({ api, cache, clock, create, remove }) => {
    await create("a");
    const { log, note } = recorder();
    await cache.acquire({ type: configMaps }, note).synced;
    await settle();
    await create("b");
    await settle();
    let down = true;
    api.refuse = () => {
      if (down) throw new Error("connection refused");
      return undefined;
    };
    api.dropWatches();
    await settle();
    down = false;
    await create("c");
    await remove("a");
    down = true;
    clock.advance(1000);
    await settle();
    down = false;
    assert.deepEqual(log, ["+a", "+b"]);
    clock.advance(60_000);
    await settle();
    assert.deepEqual(log, ["+a", "+b", "+c", "-a"]);
    assert.equal(api.requests.filter((request) => request === "GET /api/v1/configmaps").length, 1);
  }));

test("an expired resource version causes a relist that reports only the differences", () =>
  aWorld(async ({ api, cache, clock, create, remove }) => {
    for (const name of ["a", "b", "c"]) await create(name);
    const { log, note } = recorder();
    await cache.acquire({ type: configMaps }, note).synced;
    await settle();
    api.dropWatches();
    await remove("a");
    await remove("b");
    await create("b");
    await create("d");
    api.compact();
    clock.advance(1000);
    await settle();
    assert.deepEqual(log.slice(0, 3), ["+a", "+b", "+c"]);
    assert.deepEqual(log.slice(3).toSorted(), ["+d", "-a", "~b"]);
  }));

test("a server that ends every watch immediately is not queried in a tight loop", () =>
  aWorld(async ({ api, cache, clock }) => {
    await cache.acquire({ type: configMaps }).synced;
    await settle();
    const before = api.requests.length;
    for (let second = 0; second < 60; second++) {
      api.dropWatches();
      await settle();
      clock.advance(1000);
      await settle();
    }
    assert.ok(api.requests.length - before < 70, `${api.requests.length - before} requests`);
    api.requests.length = 0;
  }));

test("a type that is not served is an empty list, and is listed once it is served", () =>
  aWorld(
    async ({ cache, clock }) => {
      const { log, note } = recorder();
      const lease = cache.acquire({ type: secrets }, note);
      await lease.synced;
      assert.deepEqual(await cache.list(secrets), []);
      clock.advance(60_000);
      await settle();
      assert.deepEqual(log, []);
    },
    ["/api/v1/configmaps"],
  ));

test("the objects of a type that is not served any more are removed, and come back with it", () =>
  aWorld(async ({ api, cache, clock, create }) => {
    await create("a");
    const { log, note } = recorder();
    await cache.acquire({ type: configMaps }, note).synced;
    await settle();
    const message = "the server could not find the requested resource";
    api.refuse = () => ({ code: 404, reason: "NotFound", message });
    api.dropWatches();
    for (let second = 0; second < 60; second++) {
      clock.advance(1000);
      await settle();
    }
    assert.deepEqual(log, ["+a", "-a"]);
    assert.deepEqual(await cache.list(configMaps), []);
    api.refuse = () => undefined;
    clock.advance(600_000);
    await settle();
    assert.deepEqual(log, ["+a", "-a", "+a"]);
  }));

test("a type that may be listed and not watched is followed by lists, and is named until its watch brings a change", () =>
  aWorld(async ({ api, cache, clock, create }) => {
    await create("a");
    const message = 'configmaps is forbidden: User "u" cannot watch resource "configmaps"';
    const forbidden = { code: 403, reason: "Forbidden", message };
    api.refuse = ({ query }) => (query?.get("watch") === "true" ? forbidden : undefined);
    const { log, note } = recorder();
    const { synced } = cache.acquire({ type: configMaps }, note);
    assert.deepEqual(cache.unfollowed(), [{ resource: "configmaps" }]);
    await synced;
    await settle();
    assert.deepEqual(cache.unfollowed(), [{ resource: "configmaps", problem: message }]);
    await create("b");
    for (let second = 0; second < 60; second++) {
      clock.advance(1000);
      await settle();
    }
    assert.deepEqual(log, ["+a", "+b"]);
    const lists = api.requests.filter((request) => request === "GET /api/v1/configmaps").length;
    assert.ok(lists < 15, `${lists} lists in a minute`);
    api.refuse = () => undefined;
    clock.advance(60_000);
    await settle();
    await create("c");
    await settle();
    assert.deepEqual(log, ["+a", "+b", "+c"]);
    assert.deepEqual(cache.unfollowed(), []);
  }));

test("a list that is refused is named with its refusal until it succeeds", () =>
  aWorld(async ({ api, cache, clock }) => {
    const message = "configmaps is forbidden";
    api.refuse = () => ({ code: 403, reason: "Forbidden", message });
    cache.acquire({ type: configMaps });
    await settle();
    assert.deepEqual(cache.unfollowed(), [{ resource: "configmaps", problem: message }]);
    api.refuse = () => undefined;
    clock.advance(2000);
    await settle();
    assert.deepEqual(cache.unfollowed(), []);
  }));

test("a read before the first list waits, and rejects with the list's error", () =>
  aWorld(async ({ api, cache, clock, create }) => {
    await create("a");
    api.refuse = () => ({ code: 403, reason: "Forbidden", message: "configmaps is forbidden" });
    const { synced } = cache.acquire({ type: configMaps });
    await assert.rejects(cache.list(configMaps), { message: "configmaps is forbidden" });
    api.refuse = () => undefined;
    await settle();
    clock.advance(2000);
    await synced;
    assert.deepEqual(names(await cache.list(configMaps)), ["a"]);
  }));

test("showing() waits until the cache has the version of a write", () =>
  aWorld(async ({ api, cache, clock, create }) => {
    await cache.acquire({ type: configMaps }).synced;
    await settle();
    api.refuse = ({ query }) => {
      if (query?.has("watch") === true) throw new Error("down");
      return undefined;
    };
    api.dropWatches();
    await settle();
    const object = await create("a");
    let shown = false;
    const showing = cache.showing({ kind: "stored", type: configMaps, object }).then(() => (shown = true));
    await settle();
    assert.equal(shown, false);
    api.refuse = () => undefined;
    clock.advance(60_000);
    await showing;
    assert.ok(cache.cached(configMaps, { namespace: "demo", name: "a" }));
  }));

test("showing() does not wait for objects outside an informer's selector", () =>
  aWorld(async ({ cache, create }) => {
    await cache.acquire({ type: configMaps, scope: { labelSelector: "app=x" } }).synced;
    const object = await create("a", { labels: { app: "y" } });
    await cache.showing({ kind: "stored", type: configMaps, object });
  }));

test("caughtUp() is true only for a cache with the server's current state", () =>
  aWorld(async ({ cache, create, remove }) => {
    await create("a");
    await cache.acquire({ type: configMaps }).synced;
    assert.equal(await cache.caughtUp(signal), true);
    await Promise.all([create("b"), remove("a")]);
    while (!(await cache.caughtUp(signal)));
    assert.deepEqual(names(await cache.list(configMaps)), ["b"]);
  }));

test("caughtUp() does not wait for the deletion of an object that was created after its list was read", () =>
  aWorld(async ({ client, clock, create }) => {
    const overtaken: KubeClient = {
      ...client,
      async page(type, scope, options, ending) {
        const read = await client.page(type, scope, options, ending);
        if (options.metadataOnly === true && read.items.length === 0) {
          await create("late");
          await settle();
        }
        return read;
      },
    };
    const cache = createInformerCache({ client: overtaken, clock, entropy: new SeededEntropy(1) });
    try {
      await cache.acquire({ type: configMaps }).synced;
      assert.equal(await Promise.race([cache.caughtUp(signal), settle(50)]), false);
      assert.equal(await cache.caughtUp(signal), true);
    } finally {
      await cache.stop();
    }
  }));

test("versions are known of what informers show whole, also as metadata, and of nothing else", () =>
  aWorld(async ({ cache, create, remove }) => {
    const key = { namespace: "demo", name: "a" };
    const scope = { namespace: "demo" };
    const seen = (): readonly unknown[] => [cache.versionOf(configMaps, key), cache.versionsIn(configMaps, scope)];
    assert.deepEqual(seen(), [undefined, undefined]);
    const labelled = cache.acquire({ type: configMaps, scope: { labelSelector: "a=b" } });
    await labelled.synced;
    assert.deepEqual(seen(), [undefined, undefined]);
    const metadata = cache.acquire({ type: configMaps, projection: "metadata" });
    await metadata.synced;
    assert.deepEqual(seen(), ["absent", ""]);
    const first = await create("a");
    await cache.showing({ kind: "stored", type: configMaps, object: first });
    const version = `${first.metadata.uid} ${first.metadata.resourceVersion}`;
    assert.deepEqual(seen(), [version, version]);
    await remove("a");
    await cache.showing({ kind: "gone", type: configMaps, key, uid: first.metadata.uid });
    assert.deepEqual(seen(), ["absent", ""]);
    const chosen = await create("a", { labels: { a: "b" } });
    await cache.showing({ kind: "stored", type: configMaps, object: chosen });
    assert.equal(cache.versionOf(configMaps, key), "held");
    assert.equal(cache.versionsIn(configMaps, { ...scope, labelSelector: "a=b" }), "held");
    assert.notEqual(cache.versionsIn(configMaps, scope), "held");
    const whole = cache.acquire({ type: configMaps });
    await whole.synced;
    assert.deepEqual(seen(), ["held", "held"]);
    for (const lease of [labelled, metadata, whole]) lease.release();
  }));
