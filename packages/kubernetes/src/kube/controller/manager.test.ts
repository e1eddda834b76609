import { test } from "node:test";
import assert from "node:assert/strict";
import type { ConfigMap, Event } from "../../apis/core.ts";
import type { ObjectKey } from "../../apis/object.ts";
import { configMaps, customResourceDefinitions, events, leases } from "../../apis/resources.ts";
import { SeededEntropy } from "../../entropy.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { createClient, type KubeClient } from "../client.ts";
import { defineController, type Controller, type ReconcileSteps } from "./controller.ts";
import type { Identities } from "../object-writer.ts";
import { startManager, type Manager, type ManagerOptions } from "./manager.ts";
import { UnfinishedPassError, written } from "../refusal.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { settle } from "../testing/settle.ts";
import type { Transport } from "../transport.ts";

const { signal } = new AbortController();
const served = [
  "/api/v1/configmaps",
  "/api/v1/events",
  "/apis/coordination.k8s.io/v1/leases",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
];
const aMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "demo", name },
  data,
});
const ownOnly = (client: KubeClient): Identities => ({ own: () => client, serviceAccount: () => client });

interface World {
  readonly api: MemoryApi;
  readonly client: KubeClient;
  readonly clock: VirtualClock;
  readonly start: (options: Partial<ManagerOptions> & { readonly transport?: Transport }) => Manager;
}

async function aWorld(run: (world: World) => Promise<void>): Promise<void> {
  const api = new MemoryApi(served);
  const clock = new VirtualClock();
  const client = createClient(api.transport);
  const managers: Manager[] = [];
  try {
    await run({
      api,
      client,
      clock,
      start({ transport, ...options }) {
        const own = transport === undefined ? client : createClient(transport);
        const manager = startManager({
          name: "test",
          client: own,
          clock,
          entropy: new SeededEntropy(managers.length + 1),
          controllers: [],
          identities: ownOnly(own),
          ...options,
        });
        managers.push(manager);
        return manager;
      },
    });
  } finally {
    api.refuse = () => undefined;
    const stopping = Promise.all(managers.map((manager) => manager.stop()));
    let stopped = false;
    void stopping.then(() => (stopped = true));
    while (!stopped) {
      clock.advance(1000);
      await settle(1);
    }
  }
}

function aController(
  steps: Partial<ReconcileSteps<ConfigMap | undefined, "act">> &
    Pick<ReconcileSteps<ConfigMap | undefined, "act">, "apply">,
  options: { readonly concurrency?: number; readonly passTimeoutMs?: number; readonly name?: string } = {},
): Controller {
  return defineController({
    name: "maps",
    watches: [{ type: configMaps }],
    steps: {
      observe: (key, { reader }) => reader.get(configMaps, key),
      plan: (world) => ({ actions: world === undefined ? [] : ["act" as const] }),
      ...steps,
    },
    ...options,
  });
}

/** Counts up to five, one write per pass. */
const counting: ReconcileSteps<ConfigMap | undefined, number> = {
  observe: (key, { reader }) => reader.get(configMaps, key),
  plan(world) {
    const count = Number(world?.data?.["count"] ?? 0);
    return { actions: world === undefined || count >= 5 ? [] : [count + 1] };
  },
  async apply(key, count, { writer, signal: passing }) {
    const patch = { data: { count: String(count) } };
    written(await writer.write({ verb: "patch", type: configMaps, key, patch, patchType: "merge" }, passing));
  },
};

const create = (client: KubeClient, object: ConfigMap): Promise<unknown> =>
  client.write({ verb: "create", type: configMaps, object }, signal);
const read = (client: KubeClient, name: string): Promise<ConfigMap | undefined> =>
  client.get(configMaps, { namespace: "demo", name });

test("settled() waits until a chain of passes has ended", () =>
  aWorld(async ({ client, start }) => {
    for (const name of ["a", "b", "c"]) await create(client, aMap(name));
    const manager = start({
      controllers: [defineController({ name: "c", watches: [{ type: configMaps }], steps: counting })],
    });
    await manager.settled();
    for (const name of ["a", "b", "c"]) assert.equal((await read(client, name))?.data?.["count"], "5");
    await create(client, aMap("d"));
    await manager.settled();
    assert.equal((await read(client, "d"))?.data?.["count"], "5");
  }));

/** A controller in the background that notes what it sees of the object, beside one that counts it up to five. */
const noting = (seen: (string | undefined)[], concurrency = 4): Controller =>
  defineController<ConfigMap | undefined, string | undefined, ConfigMap[]>({
    name: "background",
    concurrency,
    backgroundMs: 3000,
    watches: [{ type: configMaps }],
    steps: {
      observe: (key, { reader }) => reader.get(configMaps, key),
      plan: (world) => ({ actions: [world?.data?.["count"]] }),
      apply: async (_key, action) => void seen.push(action),
    },
  });

test("a controller in the background sees the last of the changes that the passes of another one make", () =>
  aWorld(async ({ client, start }) => {
    const seen: (string | undefined)[] = [];
    const foreground = defineController({ name: "c", watches: [{ type: configMaps }], steps: counting });
    await create(client, aMap("a"));
    const manager = start({ controllers: [noting(seen), foreground] });
    await manager.settled();
    assert.deepEqual(seen, ["5"]);
  }));

test("a key of a controller in the background waits for a limited time for others that do not come to rest", () =>
  aWorld(async ({ client, start, clock }) => {
    const seen: (string | undefined)[] = [];
    const busy = aController({ apply: () => new Promise(() => {}) });
    await create(client, aMap("a"));
    start({ controllers: [noting(seen), busy] });
    await settle(20);
    clock.advance(2999);
    await settle(20);
    assert.deepEqual(seen, []);
    clock.advance(1);
    await settle(20);
    assert.deepEqual(seen, [undefined]);
  }));

test("keys that wait for the one worker of a controller in the background wait together, not one after the other", () =>
  aWorld(async ({ client, start, clock }) => {
    const seen: (string | undefined)[] = [];
    const busy = aController({ apply: () => new Promise(() => {}) });
    for (const name of ["a", "b", "c"]) await create(client, aMap(name));
    start({ controllers: [noting(seen, 1), busy] });
    await settle(20);
    clock.advance(3000);
    await settle(60);
    assert.equal(seen.length, 3);
  }));

test("a key runs again only on a cache that shows its previous writes, however late the watch is", () =>
  aWorld(async ({ api, client, start, clock }) => {
    // Delays every event, as over a slow connection.
    const slow: Transport = async (request, aborting) => {
      const answer = await api.transport(request, aborting);
      if (answer.body?.kind !== "events") return answer;
      const { events: feed } = answer.body;
      const late = (async function* () {
        for await (const event of feed) {
          await settle(3);
          yield event;
        }
      })();
      return { ...answer, body: { kind: "events", events: late } };
    };
    const observed: (string | undefined)[] = [];
    const controller = defineController({
      name: "c",
      watches: [{ type: configMaps }],
      steps: {
        ...counting,
        async observe(key: ObjectKey, context: Parameters<typeof counting.observe>[1]) {
          const found = await counting.observe(key, context);
          observed.push(found?.data?.["count"]);
          return found;
        },
      },
    });
    await create(client, aMap("a"));
    const manager = start({ controllers: [controller], transport: slow });
    for (let turn = 0; turn < 100; turn++) {
      clock.advance(10);
      await settle(1);
    }
    await manager.settled();
    const distinct = observed.filter((count, index) => index === 0 || count !== observed[index - 1]);
    assert.deepEqual(distinct, [undefined, "1", "2", "3", "4", "5"]);
    assert.ok(observed.length <= 12, `${observed.length} passes`);
  }));

test("a failing key is retried with backoff while the others continue", () =>
  aWorld(async ({ client, start, clock }) => {
    const runs = new Map<string, number>();
    const controller = aController(
      {
        async apply(key) {
          runs.set(key.name, (runs.get(key.name) ?? 0) + 1);
          if (key.name === "poisoned") throw new Error("no");
        },
      },
      { concurrency: 1 },
    );
    for (const name of ["poisoned", "a", "b"]) await create(client, aMap(name));
    const manager = start({ controllers: [controller] });
    await manager.settled();
    assert.deepEqual([runs.get("a"), runs.get("b"), runs.get("poisoned")], [1, 1, 1]);
    for (let second = 0; second < 60; second++) {
      clock.advance(1000);
      await manager.settled();
    }
    assert.deepEqual([runs.get("a"), runs.get("b")], [1, 1]);
    const tries = runs.get("poisoned") ?? 0;
    assert.ok(tries > 8 && tries < 16, `${tries} tries in a minute`);
    assert.equal(manager.metrics.value("reconciles_total", { controller: "maps", result: "error" }), tries);
  }));

test("a conflict is retried on the state of the other writer", () =>
  aWorld(async ({ client, start, clock }) => {
    let raced = false;
    const controller = aController({
      plan: (world) => ({ actions: world === undefined || world.data?.["mine"] === "yes" ? [] : ["act"] }),
      async apply(key, _action, { reader, writer, signal: passing }) {
        const held = await reader.get(configMaps, key);
        assert.ok(held);
        if (!raced) {
          raced = true;
          const patch = { data: { theirs: "yes" } };
          await client.write({ verb: "patch", type: configMaps, key, patch, patchType: "merge" }, passing);
        }
        const object = { ...held, data: { ...held.data, mine: "yes" } };
        written(await writer.write({ verb: "replace", type: configMaps, object }, passing));
      },
    });
    await create(client, aMap("a"));
    const manager = start({ controllers: [controller] });
    await manager.settled();
    clock.advance(1000);
    await manager.settled();
    assert.deepEqual((await read(client, "a"))?.data, { theirs: "yes", mine: "yes" });
    assert.equal(manager.metrics.value("reconciles_total", { controller: "maps", result: "conflict" }), 1);
  }));

test("a repeated refusal is logged once and without a stack; a bug is logged with its stack", () =>
  aWorld(async ({ client, start, clock }) => {
    let reason = "the account is missing";
    const controller = aController({
      apply: (key) =>
        Promise.reject(key.name === "bug" ? new Error("undefined is no function") : new UnfinishedPassError(reason)),
    });
    const lines: string[] = [];
    await create(client, aMap("refused"));
    await create(client, aMap("bug"));
    const manager = start({
      controllers: [controller],
      log: (level, _message, facts) => {
        const text = String(facts?.["error"]);
        if (level !== "debug")
          lines.push(`${level} ${text.split("\n")[0]}${text.includes("\n") ? " with its stack" : ""}`);
      },
    });
    await manager.settled();
    const pass = async (): Promise<void> => {
      clock.advance(60_000);
      await manager.settled();
    };
    await pass();
    const refusals = (): readonly string[] => lines.filter((line) => !line.startsWith("error"));
    assert.deepEqual(refusals(), ["warn the account is missing"]);
    assert.equal(
      lines.find((line) => line.startsWith("error")),
      "error Error: undefined is no function with its stack",
    );
    reason = "the account may not do it";
    await pass();
    assert.deepEqual(refusals(), ["warn the account is missing", "warn the account may not do it"]);
  }));

test("a plan with recheckAfterMs is run again, and settled() does not wait for it", () =>
  aWorld(async ({ client, start, clock }) => {
    let runs = 0;
    const controller = aController({
      plan: () => ({ actions: ["act"], recheckAfterMs: 60_000 }),
      apply: async () => {
        runs++;
      },
    });
    await create(client, aMap("a"));
    const manager = start({ controllers: [controller] });
    await manager.settled();
    assert.equal(runs, 1);
    clock.advance(59_000);
    await manager.settled();
    assert.equal(runs, 1);
    clock.advance(2000);
    await manager.settled();
    assert.equal(runs, 2);
  }));

test("one key never runs twice at once", () =>
  aWorld(async ({ client, start }) => {
    const running = new Set<string>();
    let together = 0;
    const controller = aController(
      {
        async apply(key, _action, { writer, signal: passing }) {
          assert.ok(!running.has(key.name));
          running.add(key.name);
          together = Math.max(together, running.size);
          const patch = { data: { [`n${runs++}`]: "x" } };
          await settle(2);
          await writer.write({ verb: "patch", type: configMaps, key, patch, patchType: "merge" }, passing);
          running.delete(key.name);
        },
        plan: (world) => ({ actions: world === undefined || Object.keys(world.data ?? {}).length > 3 ? [] : ["act"] }),
      },
      { concurrency: 3 },
    );
    let runs = 0;
    for (const name of ["a", "b", "c", "d", "e"]) await create(client, aMap(name));
    await start({ controllers: [controller] }).settled();
    assert.equal(together, 3);
  }));

test("a pass that never ends is aborted and cannot write any more", () =>
  aWorld(async ({ client, start, clock }) => {
    const late: unknown[] = [];
    let runs = 0;
    const controller = aController(
      {
        async apply(key, _action, { writer }) {
          if (runs++ > 0) return;
          await clock.sleep(20_000, signal);
          await writer
            .write({ verb: "delete", type: configMaps, key }, signal)
            .catch((error: unknown) => late.push(error));
        },
      },
      { concurrency: 1, passTimeoutMs: 5000 },
    );
    await create(client, aMap("a"));
    const manager = start({ controllers: [controller] });
    for (let second = 0; second < 40; second++) {
      await settle();
      clock.advance(1000);
    }
    await manager.settled();
    assert.equal(runs, 2);
    assert.equal(late.length, 1);
    assert.ok(await read(client, "a"));
  }));

test("a step that still runs when its pass has ended cannot write any more", () =>
  aWorld(async ({ client, start, clock }) => {
    const late: string[] = [];
    let runs = 0;
    const controller = aController({
      async apply(key, _action, { writer }) {
        if (runs++ > 0) return;
        void clock.sleep(1000, signal).then(async () => {
          await writer
            .write({ verb: "delete", type: configMaps, key }, signal)
            .catch((error: unknown) => late.push(String(error)));
        });
      },
    });
    await create(client, aMap("a"));
    const manager = start({ controllers: [controller] });
    await manager.settled();
    clock.advance(1000);
    await settle();
    assert.deepEqual(late, ["PassTimeoutError: The pass is over"]);
    assert.ok(await read(client, "a"));
  }));

test("a change is mapped to the keys of its old and its new content", () =>
  aWorld(async ({ client, start }) => {
    const ran: string[] = [];
    const controller = defineController({
      name: "owners",
      watches: [{ type: configMaps, map: (map) => [{ name: map.data?.["owner"] ?? "nobody" }] }],
      steps: {
        observe: async (key) => key.name,
        plan: (name) => ({ actions: [name] }),
        async apply(_key, name) {
          ran.push(name);
        },
      },
    });
    await create(client, aMap("a", { owner: "ann" }));
    const manager = start({ controllers: [controller] });
    await manager.settled();
    const patch = { data: { owner: "bob" } };
    const key = { namespace: "demo", name: "a" };
    await client.write({ verb: "patch", type: configMaps, key, patch, patchType: "merge" }, signal);
    await manager.settled();
    assert.deepEqual(ran, ["ann", "ann", "bob"]);
  }));

test("keys from outside Kubernetes requeue in a controller", () =>
  aWorld(async ({ start }) => {
    const ran: string[] = [];
    const controller = defineController({
      name: "content",
      watches: [],
      wakes: [
        async function* () {
          yield { name: "blob" };
        },
      ],
      steps: {
        observe: async (key) => key.name,
        plan: (name) => ({ actions: [name] }),
        async apply(_key, name) {
          ran.push(name);
        },
      },
    });
    const manager = start({ controllers: [controller] });
    await settle();
    await manager.settled();
    assert.deepEqual(ran, ["blob"]);
  }));

for (const [name, message, shown] of [
  [
    "a missing right is an event beside the object of the pass, once",
    'secrets is forbidden: User "u" cannot create resource "secrets" in API group "" in the namespace "demo"',
    [
      'secrets is forbidden: User "u" cannot create resource "secrets" in API group "" in the namespace "demo". Grant this right; the request is retried',
    ],
  ],
  ["a refusal by admission is no missing right", 'configmaps "b" is forbidden: exceeded quota: small', []],
] as const)
  test(name, () =>
    aWorld(async ({ api, client, start, clock }) => {
      await create(client, aMap("a"));
      api.refuse = ({ method, path }) =>
        method === "POST" && path.endsWith("/configmaps") ? { code: 403, reason: "Forbidden", message } : undefined;
      const apply: ReconcileSteps<ObjectKey, string>["apply"] = async (_key, _action, { writer }) => {
        written(await writer.write({ verb: "create", type: configMaps, object: aMap("b") }, signal));
      };
      const manager = start({ controllers: [aController({ apply })] });
      for (let pass = 0; pass < 3; pass++) {
        await manager.settled();
        clock.advance(60_000);
      }
      await manager.settled();
      const held = await client.list(events, { namespace: "demo" });
      assert.deepEqual(
        held.map((event) => event.message),
        shown,
      );
      for (const { reason, type, involvedObject, count } of held)
        assert.deepEqual([reason, type, involvedObject.name, count], ["PermissionDenied", "Warning", "a", 1]);
    }),
  );

test("equal events are counted, many different ones of one reason are combined, a flood is rate-limited", () =>
  aWorld(async ({ client, start, clock }) => {
    const manager = start({});
    const about = { ...aMap("a"), metadata: { namespace: "demo", name: "a", uid: "u" } };
    for (let round = 0; round < 3; round++) manager.events.record(about, "Normal", "Installed", "done");
    await manager.events.flushed();
    const list = (): Promise<readonly Event[]> => client.list(events, { namespace: "demo" });
    assert.deepEqual(
      (await list()).map(({ count, message, source, involvedObject }) => ({
        count,
        message,
        component: source?.component,
        uid: involvedObject.uid,
      })),
      [{ count: 3, message: "done", component: "test", uid: "u" }],
    );
    for (let round = 0; round < 40; round++) manager.events.record(about, "Warning", "Failed", `try ${round}`);
    await manager.events.flushed();
    const failed = (await list()).filter(({ reason }) => reason === "Failed");
    assert.equal(failed.length, 10);
    assert.equal(
      failed.reduce((sum, { count = 0 }) => sum + count, 0),
      10,
    );
    assert.equal(failed.filter(({ message = "" }) => message.startsWith("(combined from similar events): ")).length, 1);
    clock.advance(300_000);
    manager.events.record(about, "Warning", "Failed", "again");
    await manager.events.flushed();
    assert.equal(
      (await list()).some(({ message, count }) => message === "(combined from similar events): again" && count === 2),
      true,
    );
  }));

test("a key whose pass deleted its object runs again only when the cache shows the deletion", () =>
  aWorld(async ({ api, client, start }) => {
    const slow: Transport = async (request, aborting) => {
      const answer = await api.transport(request, aborting);
      if (answer.body?.kind !== "events") return answer;
      const { events: feed } = answer.body;
      const late = (async function* () {
        for await (const event of feed) {
          await settle(10);
          yield event;
        }
      })();
      return { ...answer, body: { kind: "events", events: late } };
    };
    const seen: boolean[] = [];
    const controller = aController({
      async observe(key, { reader }) {
        const found = await reader.get(configMaps, key);
        seen.push(found !== undefined);
        return found;
      },
      async apply(key, _action, { writer, signal: passing }) {
        written(await writer.write({ verb: "delete", type: configMaps, key }, passing));
        // The key is requeued before the cache shows the deletion.
        await client.write({ verb: "create", type: configMaps, object: aMap("other") }, passing);
      },
      plan: (world) => ({ actions: world === undefined || world.metadata.name === "other" ? [] : ["act"] }),
    });
    await create(client, aMap("a"));
    const manager = start({ controllers: [controller], transport: slow });
    await manager.settled();
    // Both keys are seen once with their object; "a" is then seen once more without it.
    assert.deepEqual(seen.filter((held) => !held).length, 1);
    assert.deepEqual(seen.filter((held) => held).length, 2);
  }));

test("discovery drops a group when its definition changes", () =>
  aWorld(async ({ client, start, api }) => {
    const forgotten: (string | undefined)[] = [];
    const unknown = async (): Promise<never> => assert.fail("not asked");
    const discovery = {
      typeOf: unknown,
      typeOfLately: unknown,
      lookUp: unknown,
      preferred: unknown,
      serves: unknown,
      all: unknown,
      invalidate: (group?: string) => void forgotten.push(group),
    };
    const manager = start({ discovery });
    await manager.synced();
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "etcds.db.example" },
    };
    await client.write({ verb: "create", type: customResourceDefinitions, object: definition }, signal);
    await manager.settled();
    assert.deepEqual(forgotten, ["db.example"]);
    assert.ok(api.watches > 0);
  }));

const election = (identity: string): NonNullable<ManagerOptions["leaderElection"]> => ({
  namespace: "demo",
  name: "purser",
  identity,
});

/** Each pass writes its identity. */
const signing = (identity: string): Controller =>
  aController({
    plan: (world) => ({ actions: world === undefined || world.data?.["by"] === identity ? [] : ["act"] }),
    async apply(key, _action, { writer, signal: passing }) {
      const patch = { data: { by: identity } };
      written(await writer.write({ verb: "patch", type: configMaps, key, patch, patchType: "merge" }, passing));
    },
  });

test("writes of a pass after the lease was lost are not sent", () =>
  aWorld(async ({ api, client, start, clock }) => {
    let cut = false;
    const flaky: Transport = async (request, aborting) => {
      // Only renewals fail: all other requests would reach the server.
      if (cut && request.path.includes("/leases/")) throw new Error("network down");
      return api.transport(request, aborting);
    };
    let go: () => void = () => {};
    const refused: unknown[] = [];
    const controller = aController({
      async apply(key, _action, { writer }) {
        await new Promise<void>((resolve) => (go = resolve));
        await writer
          .write({ verb: "delete", type: configMaps, key }, signal)
          .catch((error: unknown) => refused.push(error));
      },
    });
    await create(client, aMap("a"));
    const manager = start({ controllers: [controller], leaderElection: election("first"), transport: flaky });
    await pass(clock, 2);
    assert.equal(manager.leading(), true);
    cut = true;
    await pass(clock, 15);
    assert.equal(manager.leading(), false);
    go();
    await settle();
    assert.equal(refused.length, 1);
    assert.ok(await read(client, "a"));
    cut = false;
  }));

async function pass(clock: VirtualClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1000);
    await settle();
  }
}

test("of two managers one leads, and the other takes over immediately when the first stops", () =>
  aWorld(async ({ client, start, clock }) => {
    await create(client, aMap("a"));
    const first = start({ controllers: [signing("first")], leaderElection: election("first") });
    await pass(clock, 1);
    const second = start({ controllers: [signing("second")], leaderElection: election("second") });
    await pass(clock, 60);
    assert.deepEqual([first.leading(), second.leading()], [true, false]);
    assert.equal((await read(client, "a"))?.data?.["by"], "first");
    await first.stop();
    await pass(clock, 5);
    assert.equal(second.leading(), true);
    assert.equal((await read(client, "a"))?.data?.["by"], "second");
    assert.equal((await client.get(leases, { namespace: "demo", name: "purser" }))?.spec?.leaseTransitions, 1);
  }));

test("a leader that cannot renew stops before the other starts, and never writes again", () =>
  aWorld(async ({ api, client, start, clock }) => {
    let cut = false;
    const flaky: Transport = async (request, aborting) => {
      if (cut) throw new Error("network down");
      return api.transport(request, aborting);
    };
    await create(client, aMap("a"));
    const first = start({ controllers: [signing("first")], leaderElection: election("first"), transport: flaky });
    await pass(clock, 1);
    const second = start({ controllers: [signing("second")], leaderElection: election("second") });
    await pass(clock, 10);
    assert.equal(first.leading(), true);
    cut = true;
    let both = 0;
    let neither = 0;
    for (let second_ = 0; second_ < 40; second_++) {
      await pass(clock, 1);
      if (first.leading() && second.leading()) both++;
      if (!first.leading() && !second.leading()) neither++;
    }
    assert.equal(both, 0);
    assert.ok(neither > 0);
    assert.deepEqual([first.leading(), second.leading()], [false, true]);
    cut = false;
    await pass(clock, 60);
    assert.deepEqual([first.leading(), second.leading()], [false, true]);
    assert.equal((await read(client, "a"))?.data?.["by"], "second");
  }));

test("of the passes that one change makes due, only some begin in each turn of the event loop", () =>
  aWorld(async ({ client, start }) => {
    for (let index = 0; index < 24; index++) await create(client, aMap(`m${index}`));
    let [turn, open] = [0, true];
    const counting = (): void => {
      turn++;
      if (open) setImmediate(counting);
    };
    counting();
    const begun = new Map<number, number>();
    const manager = start({
      controllers: ["a", "b", "c"].map((name) =>
        aController(
          {
            observe(key, { reader }) {
              begun.set(turn, (begun.get(turn) ?? 0) + 1);
              return reader.get(configMaps, key);
            },
            apply: () => Promise.resolve(),
          },
          { concurrency: 24, name },
        ),
      ),
    });
    await manager.settled();
    open = false;
    assert.equal(
      [...begun.values()].reduce((sum, count) => sum + count, 0),
      72,
    );
    // Two of them may end within what this test counts as one.
    assert.ok(Math.max(...begun.values()) <= 8, [...begun.values()].join(" "));
  }));
