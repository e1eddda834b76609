// Two instances on one cluster with many namespaces: when the leader dies in the middle of its work, the other one ends it, and nothing is made twice.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import { deployments } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import type { Transport } from "@purser/kubernetes/kube/transport";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { clusterServiceVersions, installPlans, operatorGroups, subscriptions } from "../apis/olm-resources.ts";
import { globalNamespace } from "../apis/own-namespaces.ts";
import { improved } from "../compat.ts";
import { ensureNamespace } from "./catalog-objects.ts";
import { type Lifecycle, startLifecycle } from "./lifecycle.ts";
import { packageDirectory } from "./package-directory.ts";

/** By hand with more: `PURSER_TEST_NAMESPACES=1000`. */
const count = Number(process.env["PURSER_TEST_NAMESPACES"] ?? "6");
/** How many of them have their operator before the leader begins with those in whose middle it dies. */
const installed = Number(process.env["PURSER_TEST_INSTALLED"] ?? "0");
const namespaceNames = Array.from({ length: count }, (_, index) => `tenant-${index}`);
const names = new Set(namespaceNames);
/** An installation takes more than twice as many, so that the leader has begun everything when it dies, and ended nothing or little. */
const writesBeforeDeath = (count - installed) * 8;
/** Both instances and the server share a thread: with many namespaces a short lease is lost because nobody gets to renew it. */
const lease =
  count > 100
    ? { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 3_000 }
    : { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 500 };
const { signal } = new AbortController();
let directory: string;
let server: ApiServer;
let client: KubeClient;
const instances: Instance[] = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "purser-killed-"));
  server = await createApiServer();
  client = createClient(server.transport());
});
after(async () => {
  await Promise.all(instances.map((instance) => instance.stop()));
  await server?.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Instance extends Lifecycle {
  /** But for those of its Lease. */
  writes(): number;
  /** After so many more writes no request of it arrives, and no answer; what a killed process can no longer do ends with it. */
  dieAfter(writes: number): void;
  isDead(): boolean;
}

async function start(identity: string): Promise<Instance> {
  let [isDead, writes, lastWrite] = [false, 0, Infinity];
  const over =
    (transport: Transport): Transport =>
    async (request, aborting) => {
      if (isDead) throw new Error("the process was killed");
      if (request.method !== "GET" && !request.path.includes("/leases") && ++writes === lastWrite) {
        isDead = true;
        void instance.stop();
      }
      const response = await transport(request, aborting);
      if (isDead) throw new Error("the process was killed");
      return response;
    };
  const own = createClient(over(server.transport()));
  const demo = join(packageDirectory(), "demo", "default");
  const started = await startLifecycle(
    {
      client: own,
      identities: userIdentities({ client: own, asUser: (user) => over(server.transport(user)) }),
      catalogs: [{ namespace: globalNamespace, name: "demo", path: join(demo, "catalog") }],
      bundleDirectories: [join(demo, "bundles")],
      cacheDirectory: join(directory, identity),
      families: ["v0"],
      compat: improved,
      webhookCertificates: "own",
      clock: systemClock,
      entropy: systemEntropy,
      log: () => {},
      leaderElection: {
        namespace: "kube-system",
        name: "purser",
        identity,
        ...lease,
      },
    },
    "apply",
    signal,
  );
  assert.ok(started.ok);
  const { stop } = started.value;
  let ending: Promise<void> | undefined;
  const instance: Instance = {
    ...started.value,
    stop: () => (ending ??= stop()),
    writes: () => writes,
    dieAfter: (more) => (lastWrite = writes + more),
    isDead: () => isDead,
  };
  instances.push(instance);
  return instance;
}

const isTenant = ({ metadata }: { readonly metadata: { readonly namespace?: string } }): boolean =>
  names.has(metadata.namespace ?? "");

async function succeeded(): Promise<number> {
  const csvs = (await client.list(clusterServiceVersions)).filter(isTenant);
  return csvs.filter(({ status }) => status?.phase === "Succeeded").length;
}

/** Looks less often where a look costs more. */
async function until(what: string, isReached: () => Promise<boolean>): Promise<void> {
  const deadline = systemClock.monotonic() + 300_000 + count * 1_000;
  while (!(await isReached())) {
    assert.ok(systemClock.monotonic() < deadline, `${what}; ${await succeeded()} of ${count} have succeeded`);
    await systemClock.sleep(20 + count, signal);
  }
}

async function subscribe(namespace: string): Promise<void> {
  await ensureNamespace(client, namespace, signal);
  const group = {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { namespace, name: "group" },
  };
  const spec = { targetNamespaces: [namespace] };
  written(await client.write({ verb: "create", type: operatorGroups, object: { ...group, spec } }, signal));
  const wanted = { name: "logbook-db", source: "demo", sourceNamespace: globalNamespace, channel: "stable" };
  const apiVersion = "operators.coreos.com/v1alpha1";
  const object = { apiVersion, kind: "Subscription", metadata: { namespace, name: "logbook-db" }, spec: wanted };
  written(await client.write({ verb: "create", type: subscriptions, object }, signal));
}

test("the second of two instances ends what the first one began before it died", async (context) => {
  const first = await start("first");
  await until("the first leads", async () => first.engine.leading());
  const second = await start("second");
  await second.engine.synced();
  const before = second.writes();
  await Promise.all(namespaceNames.slice(0, installed).map(subscribe));
  await until("those before have succeeded", async () => (await succeeded()) === installed);
  await first.engine.idle();
  first.dieAfter(writesBeforeDeath);
  const subscribed = Promise.all(namespaceNames.slice(installed).map(subscribe));
  await until("the first is dead", async () => first.isDead());
  assert.ok(second.engine.leading() || second.writes() === before, "an instance that does not lead wrote");
  const diedAt = systemClock.monotonic();
  const atDeath = await succeeded();
  assert.ok(atDeath < count, "the leader had ended everything before it died");
  await subscribed;
  await until("the second leads", async () => second.engine.leading());
  const ledAt = systemClock.monotonic();
  await until("all have succeeded", async () => (await succeeded()) === count);
  const seconds = (ms: number): string => `${((ms - diedAt) / 1000).toFixed(1)} s`;
  context.diagnostic(
    `${atDeath} of ${count} when the leader died; led again after ${seconds(ledAt)}, all after ${seconds(systemClock.monotonic())}`,
  );
  const types: readonly ResourceType[] = [installPlans, clusterServiceVersions, deployments];
  for (const type of types) {
    const found = (await client.list(type)).filter(isTenant).map(({ metadata }) => metadata.namespace);
    assert.deepEqual([found.length, new Set(found).size], [count, count], type.plural);
  }
});
