import { test } from "node:test";
import assert from "node:assert/strict";
import type { ConfigMap, Event } from "../../apis/core.ts";
import type { ObjectWrite } from "../../apis/object-write.ts";
import {
  configMaps,
  events,
  leases,
  namespaces,
  pods,
  roleBindings,
  roles,
  serviceAccounts,
} from "../../apis/resources.ts";
import type { Role, RoleBinding } from "../../apis/rbac.ts";
import type { ResourceType } from "../../apis/resource-type.ts";
import { systemClock } from "../../system/system-clock.ts";
import { systemEntropy } from "../../system/system-entropy.ts";
import type { KubeObject } from "../../apis/object.ts";
import { createClient, type KubeClient } from "../client.ts";
import { defineController, type Controller } from "../controller/controller.ts";
import { createDiscovery } from "../discovery.ts";
import { createInformerCache } from "../informer-cache.ts";
import { startManager, type ManagerOptions } from "../controller/manager.ts";
import type { Identities } from "../object-writer.ts";
import { isRefused, written } from "../refusal.ts";
import type { Transport } from "../transport.ts";

export interface ServerUnderTest {
  /** Requests as an administrator. */
  readonly transport: Transport;
  readonly identities: (client: KubeClient) => Identities;
  stop(): Promise<void>;
}

const { signal } = new AbortController();
/** Five minutes of turns of 50 ms: longer than any wait on a busy machine. */
const patientTurns = 6000;

function aMap(namespace: string, name: string, more: Partial<ConfigMap> = {}): ConfigMap {
  const { metadata, ...rest } = more;
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name, ...metadata }, ...rest };
}

/** Tests of what our client expects of an API server, in a namespace of their own that is deleted at the end. */
export function serverContract(name: string, start: () => Promise<ServerUnderTest>): void {
  test(`${name}: client, informers and managers work`, async (suite) => {
    const server = await start();
    const client = createClient(server.transport, { userAgent: "purser-test/1" });
    const namespace = `purser-test-${systemEntropy.suffix(6)}`;
    await must(client, {
      verb: "create",
      type: namespaces,
      object: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    });
    const map = (called: string, more: Partial<ConfigMap> = {}): ConfigMap => aMap(namespace, called, more);
    try {
      await suite.test("refusals are values of the right kind", () => refusals(client, map));
      await suite.test("an object with a finalizer exists until the finalizer is removed", () =>
        finalizers(client, map),
      );
      await suite.test("discovery finds what is served", () => discovers(client));
      await suite.test("an informer follows through cut connections", () => follows(server.transport, map, namespace));
      await suite.test("an old resource version is expired", () => forgets(client));
      await suite.test("a manager settles", () => settles(client, server.identities(client), map, namespace));
      await suite.test("two managers: one leads", () => elects(client, server.identities(client), map, namespace));
      await suite.test("a service account writes with its own permissions", () =>
        acts(client, server.identities(client), map, namespace),
      );
      await suite.test("an impersonated user is refused by name", () => impersonates(client, map));
      await suite.test("events are stored and counted", () =>
        records(client, server.identities(client), map, namespace),
      );
    } finally {
      await client.write({ verb: "delete", type: namespaces, key: { name: namespace } }, signal);
      await server.stop();
    }
  });
}

type MapMaker = (name: string, more?: Partial<ConfigMap>) => ConfigMap;

async function must(client: KubeClient, write: ObjectWrite): Promise<KubeObject> {
  const { object } = written(await client.write(write, signal));
  assert.ok(object);
  return object;
}

async function refusals(client: KubeClient, map: MapMaker): Promise<void> {
  const object = await must(client, { verb: "create", type: configMaps, object: map("a", { data: { k: "1" } }) });
  const kindOf = async (write: ObjectWrite): Promise<string> => {
    const result = await client.write(write, signal);
    return result.ok ? "done" : result.problem.kind;
  };
  assert.equal(await kindOf({ verb: "create", type: configMaps, object: map("a") }), "alreadyExists");
  assert.equal(await kindOf({ verb: "create", type: configMaps, object: map("A_B") }), "invalid");
  assert.equal(await kindOf({ verb: "replace", type: configMaps, object: map("none") }), "notFound");
  const apply = { verb: "apply", type: configMaps, object: map("a", { data: { k: "2" } }), fieldManager: "m" } as const;
  const conflict = await client.write({ ...apply, force: false }, signal);
  assert.ok(!conflict.ok && conflict.problem.kind === "conflict");
  assert.equal(conflict.problem.status.details?.causes?.[0]?.reason, "FieldManagerConflict");
  assert.equal(await kindOf({ ...apply, force: true }), "done");
  assert.equal(await kindOf({ verb: "replace", type: configMaps, object }), "conflict");
  const key = { namespace: object.metadata.namespace ?? "", name: "a" };
  assert.equal((await client.get(configMaps, key))?.data?.["k"], "2");
  const warned = await client.write(
    { verb: "create", type: configMaps, object: { ...map("w"), bogus: 1 } as unknown as KubeObject },
    signal,
  );
  assert.ok(warned.ok);
  assert.deepEqual(warned.value.warnings, ['unknown field "bogus"']);
  const patch = [{ op: "add", path: "/data/j", value: "x" }];
  assert.equal(await kindOf({ verb: "patch", type: configMaps, key, patch, patchType: "json" }), "done");
  assert.equal(await kindOf({ verb: "delete", type: configMaps, key, preconditions: { uid: "another" } }), "conflict");
  assert.equal(await kindOf({ verb: "delete", type: configMaps, key }), "done");
  assert.equal(await kindOf({ verb: "delete", type: configMaps, key }), "notFound");
}

async function finalizers(client: KubeClient, map: MapMaker): Promise<void> {
  const object = map("held", {
    metadata: { namespace: map("x").metadata.namespace ?? "", name: "held", finalizers: ["purser.dev/test"] },
  });
  const { metadata } = await must(client, { verb: "create", type: configMaps, object });
  const key = { namespace: metadata.namespace ?? "", name: "held" };
  const left = written(await client.write({ verb: "delete", type: configMaps, key }, signal));
  assert.ok(left.object?.metadata.deletionTimestamp);
  const patch = { metadata: { finalizers: null } };
  written(await client.write({ verb: "patch", type: configMaps, key, patch, patchType: "merge" }, signal));
  assert.equal(await client.get(configMaps, key), undefined);
}

async function discovers(client: KubeClient): Promise<void> {
  assert.match((await client.version(signal)).gitVersion, /^v1\.\d+/);
  const discovery = createDiscovery(client);
  const deployment = await discovery.typeOf({ group: "apps", version: "v1", kind: "Deployment" });
  assert.deepEqual(
    { ...deployment },
    { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", namespaced: true },
  );
  assert.equal((await discovery.preferred({ group: "", kind: "Namespace" }))?.namespaced, false);
  assert.equal(await discovery.typeOf({ group: "nowhere.example", version: "v1", kind: "X" }), undefined);
  assert.equal(await discovery.serves("rbac.authorization.k8s.io/v1"), true);
  const all = await discovery.all();
  for (const type of [pods, leases, roles] as readonly ResourceType[])
    assert.ok(
      all.some(({ group, plural }) => group === type.group && plural === type.plural),
      type.plural,
    );
}

/** Ends every watch after two events, in the middle of a line when it is sent as bytes. */
function cutting(transport: Transport): { readonly transport: Transport; cuts: number } {
  const counted = {
    cuts: 0,
    transport: (async (request, aborting) => {
      const answer = await transport(request, aborting);
      if (request.query?.has("watch") !== true || answer.body === undefined) return answer;
      const two = async function* <Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
        let left = 2;
        for await (const item of items) {
          yield item;
          if (--left === 0) break;
        }
        counted.cuts++;
      };
      const { body } = answer;
      if (body.kind === "events") return { ...answer, body: { kind: "events", events: two(body.events) } };
      if (body.kind === "stream") return { ...answer, body: { kind: "stream", chunks: two(body.chunks) } };
      return answer;
    }) satisfies Transport as Transport,
  };
  return counted;
}

async function follows(transport: Transport, map: MapMaker, namespace: string): Promise<void> {
  const straight = createClient(transport);
  const cut = cutting(transport);
  const client = createClient(cut.transport, { pageSize: 10 });
  for (let number = 0; number < 30; number++)
    await must(straight, { verb: "create", type: configMaps, object: map(`p-${number}`) });
  const cache = createInformerCache({ client, clock: systemClock, entropy: systemEntropy });
  try {
    const log: string[] = [];
    const scope = { namespace };
    const lease = cache.acquire({ type: configMaps, scope }, ({ before, after }) => {
      log.push(`${before === undefined ? "+" : after === undefined ? "-" : "~"}${(after ?? before)?.metadata.name}`);
    });
    const slim = cache.acquire({ type: configMaps, scope, projection: "metadata", indexes: { any: () => ["x"] } });
    await Promise.all([lease.synced, slim.synced]);
    log.length = 0;
    for (let number = 0; number < 12; number++) {
      const key = { namespace, name: `p-${number}` };
      const patch = { data: { n: String(number) } };
      await must(straight, { verb: "patch", type: configMaps, key, patch, patchType: "merge" });
      if (number % 2 === 0) written(await straight.write({ verb: "delete", type: configMaps, key }, signal));
    }
    while (!(await cache.caughtUp(signal)));
    const wanted = Array.from({ length: 12 }, (_none, number) => [
      `~p-${number}`,
      ...(number % 2 === 0 ? [`-p-${number}`] : []),
    ]).flat();
    assert.deepEqual(
      log.filter((entry) => entry.includes("p-")),
      wanted,
    );
    assert.ok(cut.cuts >= 8, `${cut.cuts} cuts`);
    const [first] = cache.byIndex(configMaps, "any", "x");
    assert.ok(first !== undefined && first.kind === "ConfigMap" && !Object.hasOwn(first, "data"));
  } finally {
    await cache.stop();
  }
}

async function forgets(client: KubeClient): Promise<void> {
  const short = AbortSignal.timeout(300_000);
  const ended = Array.fromAsync(client.watch(configMaps, {}, { resourceVersion: "1", timeoutSeconds: 1 }, short));
  // A server that has started recently may still have its whole history: then the watch just ends.
  await ended.catch((error: unknown) => {
    if (!isRefused(error, "gone")) throw error;
  });
}

/** Counts up to five, one write per pass. */
function counter(namespace: string, identity = "one"): Controller {
  return defineController({
    name: "counter",
    watches: [{ type: configMaps, scope: { namespace, labelSelector: "count" }, indexedLabels: ["count"] }],
    steps: {
      observe: (key, { reader }) => reader.get(configMaps, key),
      plan(world) {
        const count = Number(world?.data?.["count"] ?? 0);
        return { actions: world === undefined || count >= 5 ? [] : [count + 1] };
      },
      async apply(key, count, { writer, signal: passing }) {
        const patch = { data: { count: String(count), by: identity } };
        written(await writer.write({ verb: "patch", type: configMaps, key, patch, patchType: "merge" }, passing));
      },
    },
  });
}

function options(client: KubeClient, identities: Identities): Omit<ManagerOptions, "controllers"> {
  return { name: "purser-test", client, identities, clock: systemClock, entropy: systemEntropy };
}

async function settles(client: KubeClient, identities: Identities, map: MapMaker, namespace: string): Promise<void> {
  const counted = { metadata: { namespace, labels: { count: "yes" } } };
  const make = (name: string): Promise<KubeObject> =>
    must(client, {
      verb: "create",
      type: configMaps,
      object: { ...map(name), metadata: { ...counted.metadata, name } },
    });
  for (const name of ["c-1", "c-2", "c-3"]) await make(name);
  const manager = startManager({ ...options(client, identities), controllers: [counter(namespace)] });
  try {
    await manager.settled();
    await make("c-4");
    await manager.settled();
    const found = await client.list(configMaps, { namespace, labelSelector: "count=yes" });
    assert.deepEqual(
      found.map(({ data }) => data?.["count"]),
      ["5", "5", "5", "5"],
    );
    assert.equal(manager.metrics.value("reconciles_total", { controller: "counter", result: "conflict" }), 0);
    assert.equal(manager.metrics.value("cache_live_reads_total", { resource: "configmaps", verb: "get" }), 0);
  } finally {
    await manager.stop();
  }
}

async function elects(client: KubeClient, identities: Identities, map: MapMaker, namespace: string): Promise<void> {
  const start = (identity: string): ReturnType<typeof startManager> =>
    startManager({
      ...options(client, identities),
      controllers: [counter(namespace, identity)],
      leaderElection: {
        namespace,
        name: "purser",
        identity,
        // A leader that stops releases the lease, so nothing waits for its end: on a busy machine it must not expire before.
        leaseDurationMs: 60_000,
        renewDeadlineMs: 50_000,
        retryPeriodMs: 200,
      },
    });
  const [first, second] = [start("first"), start("second")];
  try {
    const until = async (done: () => boolean): Promise<void> => {
      for (let turn = 0; turn < patientTurns && !done(); turn++) await systemClock.sleep(50, signal);
      assert.ok(done());
    };
    await until(() => first.leading() || second.leading());
    assert.notEqual(first.leading(), second.leading());
    const [leader, follower] = first.leading() ? [first, second] : [second, first];
    await leader.stop();
    await until(() => follower.leading());
    const object = { ...map("late"), metadata: { namespace, name: "late", labels: { count: "no" } } };
    await must(client, { verb: "create", type: configMaps, object });
    await follower.settled();
    const by = (await client.get(configMaps, { namespace, name: "late" }))?.data?.["by"];
    assert.equal(by, leader === first ? "second" : "first");
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
}

async function acts(client: KubeClient, identities: Identities, map: MapMaker, namespace: string): Promise<void> {
  const account = { namespace, name: "installer" };
  const writer = identities.serviceAccount(account);
  const write = (name: string): ReturnType<typeof writer.write> =>
    writer.write({ verb: "create", type: configMaps, object: map(name) }, signal);
  await assert.rejects(write("by-account"), {
    message: `creating service account token from TokenRequest API for sa=${namespace}/installer; serviceaccounts "installer" not found`,
  });
  const metadata = { namespace, name: "installer" };
  await must(client, {
    verb: "create",
    type: serviceAccounts,
    object: { apiVersion: "v1", kind: "ServiceAccount", metadata },
  });
  const refused = await write("by-account");
  assert.ok(!refused.ok && refused.problem.kind === "forbidden");
  assert.match(
    refused.problem.status.message,
    new RegExp(`User "system:serviceaccount:${namespace}:installer" cannot create resource "configmaps"`),
  );
  const role: Role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata,
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create"] }],
  };
  const binding: RoleBinding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "installer" },
    subjects: [{ kind: "ServiceAccount", name: "installer", namespace }],
  };
  await must(client, { verb: "create", type: roles, object: role });
  await must(client, { verb: "create", type: roleBindings, object: binding });
  // The server's authorizer watches roles asynchronously.
  for (let turn = 0; turn < patientTurns; turn++) {
    const result = await write("by-account");
    if (result.ok) return;
    await systemClock.sleep(50, signal);
  }
  assert.fail("the service account was never allowed");
}

async function impersonates(client: KubeClient, map: MapMaker): Promise<void> {
  const ann = client.asUser({ name: "ann", groups: ["team-a", "team-b"], extra: { "example.org/why": ["a", "b"] } });
  const review = await ann.requestJson(
    {
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      headers: { "content-type": "application/json" },
      body: { kind: "object", value: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" } },
    },
    signal,
  );
  const { status } = review as { readonly status: { readonly userInfo: Record<string, unknown> } };
  assert.equal(status.userInfo["username"], "ann");
  assert.deepEqual(status.userInfo["groups"], ["team-a", "team-b", "system:authenticated"]);
  assert.deepEqual(status.userInfo["extra"], { "example.org/why": ["a", "b"] });
  const refused = await ann.write({ verb: "create", type: configMaps, object: map("by-ann") }, signal);
  assert.ok(!refused.ok && refused.problem.kind === "forbidden");
  assert.match(refused.problem.status.message, /User "ann" cannot create resource "configmaps"/);
}

async function records(client: KubeClient, identities: Identities, map: MapMaker, namespace: string): Promise<void> {
  const about = await must(client, { verb: "create", type: configMaps, object: map("about") });
  const manager = startManager({ ...options(client, identities), controllers: [] });
  for (let round = 0; round < 3; round++) manager.events.record(about, "Normal", "Tested", "it works");
  await manager.stop();
  const fieldSelector = `involvedObject.uid=${about.metadata.uid}`;
  const found: readonly Event[] = await client.list(events, { namespace, fieldSelector });
  assert.deepEqual(
    found.map(({ reason, message, count, source, type }) => ({ reason, message, count, source, type })),
    [{ reason: "Tested", message: "it works", count: 3, source: { component: "purser-test" }, type: "Normal" }],
  );
}
