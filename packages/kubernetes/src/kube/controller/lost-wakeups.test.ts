// Watches and lists fail at random while objects are deleted, made again and relabelled: at the end every key has run with the last state of its object.
import { test } from "node:test";
import assert from "node:assert/strict";
import type { ConfigMap } from "../../apis/core.ts";
import type { ObjectWrite } from "../../apis/object-write.ts";
import { configMaps } from "../../apis/resources.ts";
import { SeededEntropy } from "../../entropy.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { createClient } from "../client.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { settle } from "../testing/settle.ts";
import type { ApiRequest, Transport } from "../transport.ts";
import { defineController } from "./controller.ts";
import { startManager } from "./manager.ts";

const { signal } = new AbortController();
const namespace = "demo";
const names = ["a", "b", "c"];
const labels = [undefined, "x", "y"];

/** Answers and events that are late by random turns, and watches and lists that fail now and then while `isStormy`. */
class Weather {
  isStormy = true;
  readonly #random: (below: number) => number;
  readonly #api: MemoryApi;

  constructor(api: MemoryApi, random: (below: number) => number) {
    this.#api = api;
    this.#random = random;
    api.refuse = (request) => this.#refusal(request);
  }

  readonly transport: Transport = async (request, aborting) => {
    await settle(this.#random(4));
    const answer = await this.#api.transport(request, aborting);
    await settle(this.#random(4));
    if (answer.body?.kind !== "events") return answer;
    const { events } = answer.body;
    const late = async function* (random: (below: number) => number) {
      for await (const event of events) {
        await settle(random(6));
        yield event;
      }
    };
    return { ...answer, body: { kind: "events", events: late(this.#random) } };
  };

  strike(): void {
    const lot = this.#random(12);
    if (lot === 0) this.#api.dropWatches();
    if (lot === 1) {
      this.#api.compact();
      this.#api.dropWatches();
    }
  }

  #refusal({ method, query }: ApiRequest): { readonly code: number; readonly reason: string } | undefined {
    if (!this.isStormy || method !== "GET" || this.#random(8) > 0) return undefined;
    const busy = { code: 429, reason: "TooManyRequests", message: "storage is (re)initializing" };
    return query?.get("watch") === "true" && this.#random(2) === 0 ? { code: 410, reason: "Expired" } : busy;
  }
}

async function stormy(seed: number): Promise<void> {
  const entropy = new SeededEntropy(seed);
  const random = (below: number): number => Math.floor(entropy.fraction() * below);
  const one = <Value>(of: readonly Value[]): Value => of[random(of.length)] as Value;
  const api = new MemoryApi(["/api/v1/configmaps", "/api/v1/events"]);
  const weather = new Weather(api, random);
  const clock = new VirtualClock();
  const client = createClient(weather.transport);
  const calm = createClient(api.transport);
  const anObject = (name: string): ConfigMap => {
    const label = one(labels);
    const metadata = { namespace, name, ...(label === undefined ? {} : { labels: { app: label } }) };
    return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { at: String(random(1_000_000)) } };
  };
  const aWrite = (name: string): ObjectWrite => {
    const [type, key] = [configMaps, { namespace, name }];
    const object = anObject(name);
    const patch = { metadata: { labels: { app: one(labels) ?? null } }, data: object.data ?? {} };
    return one<ObjectWrite>([
      { verb: "create", type, object },
      { verb: "delete", type, key },
      { verb: "patch", type, key, patch, patchType: "merge" },
    ]);
  };
  /** What each pass saw of its object last. */
  const seen = new Map<string, string | undefined>();
  const controller = defineController<ConfigMap | undefined, ObjectWrite, readonly [ConfigMap, ConfigMap]>({
    name: "stormy",
    // The second one makes keys wait until what leaves its selection has left it.
    watches: [
      { type: configMaps, scope: { labelSelector: "app" } },
      { type: configMaps, scope: { labelSelector: "app=x" } },
    ],
    steps: {
      async observe(key, { reader }) {
        const [found] = (await reader.list(configMaps, { namespace, labelSelector: "app" })).filter(
          ({ metadata }) => metadata.name === key.name,
        );
        seen.set(key.name, found?.metadata.resourceVersion);
        return found;
      },
      plan: () => ({
        actions:
          weather.isStormy && random(2) === 0 ? Array.from({ length: 1 + random(3) }, () => aWrite(one(names))) : [],
      }),
      async apply(_key, write, { writer, signal: passing }) {
        await writer.write(write, passing);
        await settle(random(8));
      },
    },
  });
  const manager = startManager({
    name: "test",
    client,
    clock,
    entropy: new SeededEntropy(seed),
    controllers: [controller],
    identities: { own: () => client, serviceAccount: () => client },
  });
  try {
    for (let turn = 0; turn < 60; turn++) {
      if (random(2) === 0) await calm.write(aWrite(one(names)), signal);
      weather.strike();
      clock.advance(random(400));
      await settle(random(10));
    }
    weather.isStormy = false;
    for (const name of names) await calm.write({ verb: "create", type: configMaps, object: anObject(name) }, signal);
    for (const name of names) {
      const patch = { metadata: { labels: { app: "x" } }, data: { at: "end" } };
      const key = { namespace, name };
      await calm.write({ verb: "patch", type: configMaps, key, patch, patchType: "merge" }, signal);
    }
    for (let turn = 0; turn < 150; turn++) {
      clock.advance(1000);
      await settle(2);
    }
    const labelled = await calm.list(configMaps, { labelSelector: "app" });
    const stored = new Map(labelled.map(({ metadata }) => [metadata.name, metadata]));
    assert.deepEqual(
      Object.fromEntries(names.map((name) => [name, seen.get(name)])),
      Object.fromEntries(names.map((name) => [name, stored.get(name)?.resourceVersion])),
      `storm ${seed}: ${JSON.stringify(manager.queues())}`,
    );
  } finally {
    api.refuse = () => undefined;
    const stopping = manager.stop();
    let isStopped = false;
    void stopping.then(() => (isStopped = true));
    while (!isStopped) {
      clock.advance(1000);
      await settle(1);
    }
  }
}

const storms = Number(process.env["PURSER_TEST_STORMS"] ?? "100");

test("no key misses the last change of its object in a hundred storms", async () => {
  for (let seed = 1; seed <= storms; seed++) await stormy(seed);
});
