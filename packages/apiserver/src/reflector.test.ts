import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { lineOf, Reflector } from "../conformance/reflector.ts";
import type { Notification } from "../conformance/reflector.ts";
import type { Entropy } from "@purser/kubernetes/entropy";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { parseKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import type { ApiResponse, Transport } from "@purser/kubernetes/kube/transport";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { ApiServer } from "./server.ts";
import { createApiServer } from "./server.ts";
import { memoryStorage } from "./storage/object-store.ts";
import type { Storage } from "./storage/storage.ts";
import { askServer, configMap } from "./testing/server.ts";

const cms = "/api/v1/namespaces/default/configmaps";
const pick = (entropy: Entropy, below: number): number => Math.floor(entropy.fraction() * below);

/** A server that can be started anew on what it stored, and the log of what was written to it. */
class World {
  readonly log: Notification[] = [];
  readonly #seed: number;
  #storage: Storage = memoryStorage();
  #server: ApiServer | undefined;

  constructor(seed: number) {
    this.#seed = seed;
  }

  get server(): ApiServer {
    assert.ok(this.#server !== undefined);
    return this.#server;
  }

  async start(clock: VirtualClock | typeof systemClock = new VirtualClock()): Promise<void> {
    this.#server = await createApiServer({
      clock,
      entropy: new SeededEntropy(this.#seed),
      storage: this.#storage,
      controllers: false,
    });
  }

  async restart(): Promise<void> {
    const kept = this.#storage.fork();
    await this.server.stop();
    this.#storage = kept;
    await this.start();
  }

  /** Forgets what came before. */
  compact(): void {
    this.#storage.compact(this.#storage.revision());
  }

  /** One write, whatever is possible with a name of a few. */
  async write(entropy: Entropy): Promise<void> {
    const name = `n${pick(entropy, 6)}`;
    const path = `${cms}/${name}`;
    const exists = (await askServer(this.server, { path })).code === 200;
    const deletes = exists && entropy.fraction() < 0.3;
    const body = configMap(
      name,
      { data: { v: String(this.log.length), pad: "x".repeat(pick(entropy, 400)) } },
      "default",
    );
    const answer = await askServer(
      this.server,
      deletes
        ? { method: "DELETE", path }
        : exists
          ? { method: "PUT", path, body }
          : { method: "POST", path: cms, body },
    );
    assert.ok(answer.code < 300, answer.message);
    this.log.push({
      kind: deletes ? "delete" : exists ? "update" : "add",
      name,
      revision: this.#storage.revision(),
    });
  }

  async listed(): Promise<readonly string[]> {
    const { object } = await askServer(this.server, { path: cms });
    return (object["items"] as unknown as readonly KubeObject[]).map(lineOf).toSorted();
  }
}

/** Events of a stream break off after some of them. */
function cutting(server: ApiServer, entropy: Entropy): Transport {
  return async (request, signal): Promise<ApiResponse> => {
    const answer = await server.transport()(request, signal);
    const { body } = answer;
    if (body?.kind !== "events") return answer;
    let left = 1 + pick(entropy, 12);
    const events = (async function* () {
      for await (const event of body.events) {
        yield event;
        if (--left === 0) throw new Error("the connection broke");
      }
    })();
    return { ...answer, body: { kind: "events", events } };
  };
}

/** The notifications since the full state are the writes since then, each once and in order. */
function assertComplete(
  { notifications, revision, since }: Reflector,
  log: readonly Notification[],
  what: string,
): void {
  const expected = log.filter((entry) => entry.revision > since && entry.revision <= revision);
  assert.deepEqual(notifications, expected, what);
}

async function settle(reflector: Reflector, world: World, what: string): Promise<void> {
  const end = new AbortController();
  const wanted = await world.listed();
  const running = (async () => {
    while (!end.signal.aborted) await reflector.connect(end.signal);
  })();
  for (let turn = 0; turn < 500; turn++) {
    if (JSON.stringify(reflector.held()) === JSON.stringify(wanted)) break;
    await new Promise((next) => setImmediate(next));
  }
  end.abort();
  await running;
  assert.deepEqual(reflector.held(), wanted, what);
}

test("whatever breaks, a reflector has the state of a list and receives every change once, in order", async () => {
  const seen = { initial: 0, resumed: 0, forgotten: 0, broken: 0 };
  for (let seed = 1; seed <= 30; seed++) {
    const what = `seed ${seed}`;
    const entropy = new SeededEntropy(seed);
    const world = new World(seed);
    await world.start();
    let transport = cutting(world.server, entropy);
    const reflector = new Reflector((request, signal) => transport(request, signal), cms);
    for (let round = 0; round < 8; round++) {
      for (let count = pick(entropy, 8); count > 0; count--) await world.write(entropy);
      const cut = new AbortController();
      const connection = reflector.connect(cut.signal);
      for (let count = pick(entropy, 12); count > 0; count--) await world.write(entropy);
      const happening = entropy.fraction();
      if (happening < 0.25) world.compact();
      else if (happening < 0.4) {
        await world.restart();
        transport = cutting(world.server, entropy);
      }
      cut.abort();
      await connection;
      assertComplete(reflector, world.log, what);
    }
    await settle(reflector, world, what);
    for (const name of Object.keys(seen) as (keyof typeof seen)[]) seen[name] += reflector.counts[name];
    await world.server.stop();
  }
  assert.ok(
    Object.values(seen).every((count) => count > 20),
    `every way was taken: ${JSON.stringify(seen)}`,
  );
});

/** Passes bytes on, and breaks each connection after some of them. */
async function breakingProxy(
  port: number,
  entropy: Entropy,
): Promise<{ readonly port: number; heal(): void; close(): void }> {
  let healed = false;
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    let left = healed ? Infinity : 2500 + pick(entropy, 20_000);
    for (const socket of [client, server]) {
      open.add(socket);
      const end = (): void => {
        client.destroy();
        server.destroy();
      };
      socket.on("error", end);
      socket.on("close", end);
    }
    client.pipe(server);
    server.on("data", (chunk: Buffer) => {
      client.write(chunk.subarray(0, Math.min(left, chunk.length)));
      left -= chunk.length;
      if (left > 0) return;
      // Half of a frame has left before the connection is reset.
      client.resetAndDestroy();
      server.destroy();
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port: own } = proxy.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of open) socket.destroy();
    open.clear();
  };
  return {
    port: own,
    heal: () => {
      healed = true;
      cut();
    },
    close: () => {
      cut();
      proxy.close();
    },
  };
}

test("over connections that are reset in the middle of a frame, a reflector misses nothing", async () => {
  const entropy = new SeededEntropy(11);
  const world = new World(11);
  await world.start(systemClock);
  const { port } = await world.server.listen({ host: "127.0.0.1", port: 0 });
  const proxy = await breakingProxy(port, entropy);
  const config = parseKubeconfig(world.server.adminKubeconfig(`https://127.0.0.1:${proxy.port}`), {
    directory: "/",
  });
  assert.ok(config.ok);
  const transport = httpTransport(config.value);
  const reflector = new Reflector(transport, cms);
  const end = new AbortController();
  const running = (async () => {
    while (!end.signal.aborted) await reflector.connect(end.signal);
  })();
  for (let round = 0; reflector.counts.broken < 15 || reflector.counts.resumed < 5; round++) {
    assert.ok(round < 5000, `${JSON.stringify(reflector.counts)}`);
    await world.write(entropy);
    await new Promise((next) => setImmediate(next));
  }
  proxy.heal();
  const wanted = await world.listed();
  for (let turn = 0; JSON.stringify(reflector.held()) !== JSON.stringify(wanted); turn++) {
    assert.ok(turn < 100_000, "it never catches up");
    await new Promise((next) => setImmediate(next));
  }
  assertComplete(reflector, world.log, "over sockets");
  end.abort();
  await running;
  transport.close();
  proxy.close();
  await world.server.stop();
});
