import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigMap, Secret } from "../../apis/core.ts";
import type { KubeObject } from "../../apis/object.ts";
import { configMaps, secrets } from "../../apis/resources.ts";
import { SeededEntropy } from "../../entropy.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { createClient } from "../client.ts";
import type { Plan } from "../plan.ts";
import { written } from "../refusal.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { settle } from "../testing/settle.ts";
import { defineController, type ApplyContext, type Controller } from "./controller.ts";
import { startManager } from "./manager.ts";

const { signal } = new AbortController();

test("outcomes of apply lead to further actions, the earliest recheck and all retry reasons", async () => {
  const applied: string[] = [];
  const plans: Readonly<Record<string, Plan<string>>> = {
    refused: { actions: ["status"], recheckAfterMs: 9_000, retry: "refused", watches: [secrets] },
    late: { actions: [], recheckAfterMs: 20_000, retry: "late", watches: [configMaps] },
  };
  const controller = defineController<string, string, KubeObject[], string>({
    name: "outcomes",
    watches: [],
    steps: {
      observe: async () => "the world",
      plan: () => ({ actions: ["write refused", "write late"], recheckAfterMs: 30_000 }),
      async apply(_key, action) {
        applied.push(action);
        return action.startsWith("write ") ? action.slice(6) : undefined;
      },
      afterApply(world, outcome) {
        assert.equal(world, "the world");
        return plans[outcome] ?? { actions: [] };
      },
    },
  });
  const end = await controller.reconcile({ name: "a" }, { now: 0 } as ApplyContext);
  assert.deepEqual(applied, ["write refused", "status", "write late"]);
  assert.deepEqual(end, { recheckAfterMs: 9_000, retry: "refused\nlate", watches: [secrets, configMaps] });
});

interface Running {
  readonly api: MemoryApi;
  readonly clock: VirtualClock;
  /** Creates a Secret owned by the ConfigMap `owner`. */
  readonly bring: (owner: string) => Promise<void>;
  readonly change: (data: Record<string, string>) => Promise<void>;
  readonly settled: () => Promise<void>;
}

/** Runs a manager with one controller of ConfigMaps, with one ConfigMap `a`. */
async function withManager(controller: Controller, run: (running: Running) => Promise<void>): Promise<void> {
  const api = new MemoryApi(["/api/v1/configmaps", "/api/v1/secrets", "/api/v1/events"]);
  const clock = new VirtualClock();
  const client = createClient(api.transport);
  const map: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "demo", name: "a" }, data: {} };
  written(await client.write({ verb: "create", type: configMaps, object: map }, signal));
  const identities = { own: () => client, serviceAccount: () => client };
  const entropy = new SeededEntropy(1);
  const manager = startManager({ name: "test", client, clock, entropy, identities, controllers: [controller] });
  let secret = 0;
  try {
    await run({
      api,
      clock,
      async bring(owner) {
        const metadata = { namespace: "demo", name: `s${secret++}`, labels: { owner } };
        const object: Secret = { apiVersion: "v1", kind: "Secret", metadata };
        written(await client.write({ verb: "create", type: secrets, object }, signal));
        await settle();
      },
      async change(data) {
        const key = { namespace: "demo", name: "a" };
        const patch = { data };
        written(await client.write({ verb: "patch", type: configMaps, key, patch, patchType: "merge" }, signal));
      },
      settled: () => manager.settled(),
    });
  } finally {
    api.refuse = () => undefined;
    const stopping = manager.stop();
    let stopped = false;
    void stopping.then(() => (stopped = true));
    while (!stopped) {
      clock.advance(1_000);
      await settle(1);
    }
  }
}

/** Requests a watch on Secrets while its data says so. */
function secretMinder(passes: string[], write?: (context: ApplyContext) => Promise<unknown>): Controller {
  return defineController<ConfigMap | undefined, "act", KubeObject[]>({
    name: "minder",
    watches: [{ type: configMaps }] as never,
    wakingWatch: () => ({
      map: ({ metadata }) => [{ namespace: metadata.namespace ?? "", name: metadata.labels?.["owner"] ?? "" }],
    }),
    steps: {
      observe: (key, { reader }) => reader.get(configMaps, key),
      plan: (world) => ({ actions: ["act"], watches: world?.data?.["minds"] === "yes" ? [secrets] : [] }),
      async apply(key, _action, context) {
        passes.push(key.name);
        await write?.(context);
      },
    },
  });
}

test("objects of a type that a pass watches requeue its key, until a pass no longer watches it", async () => {
  const passes: string[] = [];
  await withManager(secretMinder(passes), async ({ bring, change, settled }) => {
    await settled();
    await bring("a");
    await settled();
    assert.deepEqual(passes, ["a"], "nobody asked for Secrets yet");
    await change({ minds: "yes" });
    await settled();
    passes.length = 0;
    await bring("a");
    await settled();
    await bring("b");
    await settled();
    assert.deepEqual(passes, ["a", "b"]);
    await change({ minds: "no" });
    await settled();
    passes.length = 0;
    await bring("a");
    await settled();
    assert.deepEqual(passes, []);
  });
});

test("a watched type whose server does not respond delays neither the key nor the start", async () => {
  const passes: string[] = [];
  let tries = 0;
  const writing = async ({ writer, signal: passing }: ApplyContext): Promise<void> => {
    const metadata = { namespace: "demo", name: `made-${tries++}` };
    const object: Secret = { apiVersion: "v1", kind: "Secret", metadata };
    written(await writer.write({ verb: "create", type: secrets, object }, passing));
  };
  await withManager(secretMinder(passes, writing), async ({ api, change, settled }) => {
    const message = "service unavailable";
    api.refuse = ({ method, path }) =>
      method === "GET" && path.startsWith("/api/v1/secrets")
        ? { kind: "Status", code: 503, reason: "ServiceUnavailable", message }
        : undefined;
    await settled();
    await change({ minds: "yes" });
    await settled();
    await change({ minds: "yes", again: "1" });
    await settled();
    assert.deepEqual(passes, ["a", "a", "a"]);
  });
});

test("a pass with a retry runs again after its backoff, or earlier after recheckAfterMs", async () => {
  const clockTimes: number[] = [];
  let clock: VirtualClock | undefined;
  const controller = defineController<ConfigMap | undefined, "act", KubeObject[], "refused">({
    name: "retrying",
    watches: [{ type: configMaps }] as never,
    steps: {
      observe: (key, { reader }) => reader.get(configMaps, key),
      plan: () => ({ actions: ["act"] }),
      async apply() {
        clockTimes.push(clock?.monotonic() ?? 0);
        return "refused";
      },
      // The backoff of the ninth failure is 2.56 seconds; the recheck comes first.
      afterApply: () => ({ actions: [], retry: "refused", ...(clockTimes.length > 8 ? { recheckAfterMs: 100 } : {}) }),
    },
  });
  await withManager(controller, async (running) => {
    clock = running.clock;
    await running.settled();
    for (let step = 0; step < 400 && clockTimes.length < 12; step++) {
      running.clock.advance(20);
      await running.settled();
    }
    const gaps = clockTimes.map((time, i) => time - (clockTimes[i - 1] ?? 0));
    assert.equal(clockTimes.length, 12);
    assert.ok((gaps[8] ?? 0) > 600, "the eighth backoff doubles from ten milliseconds");
    assert.ok((gaps[10] ?? 0) <= 140, `a look was asked for after 100 ms, it came after ${gaps[10]}`);
  });
});
