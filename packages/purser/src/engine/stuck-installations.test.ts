// The number of requests for a blocked installation while nothing changes. Only the tests advance the clock.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { serviceAccounts } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, clusterServiceVersions, installPlans, subscriptions } from "../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { World } from "./testing/world.ts";

const clock = new VirtualClock(Date.now());
let world: World;
before(async () => {
  world = await World.open({ clock });
});
after(() => world?.stop());

/** Advances the engine's clock and waits until the engine is idle. */
async function timePasses(durationMs: number): Promise<void> {
  const end = clock.now() + durationMs;
  while (clock.now() < end) {
    await world.settled();
    const due = Math.min(clock.nextDue() ?? end, end);
    clock.advance(Math.max(1, due - clock.now()));
  }
  await world.settled();
}

/** Waits for a condition; content is read and pods are simulated in real time. */
function reached(what: string, look: () => Promise<boolean>): Promise<boolean> {
  return world.until(what, async () => {
    if (await look()) return true;
    await timePasses(100);
    return false;
  });
}

/** Requests of all controllers in ten minutes, after twenty minutes in which the retries are frequent. */
async function requestsAtRest(): Promise<readonly string[]> {
  await timePasses(20 * 60_000);
  const [reads, writes] = [world.engineReads.length, world.engineWrites.length];
  await timePasses(10 * 60_000);
  return [
    ...world.engineReads.slice(reads),
    ...world.engineWrites.slice(writes).map(({ method, path, status }) => `${method} ${path} ${status}`),
  ];
}

test("a Subscription to a channel that does not exist makes no requests at rest", async () => {
  await world.tenant("channel");
  await world.subscribe("channel", "logbook-db", { channel: "none" });
  await reached("a refusal", async () => {
    const found = await world.client.get(subscriptions, { namespace: "channel", name: "logbook-db" });
    return (
      found?.status?.conditions?.some(({ type, status }) => type === "ResolutionFailed" && status === "True") === true
    );
  });
  assert.deepEqual(await requestsAtRest(), []);
  await world.remove(subscriptions, { namespace: "channel", name: "logbook-db" });
});

test("a Subscription whose bundle is missing makes no requests at rest", async () => {
  await rm(join(world.bundlesFolder, "logbook-db", "1.2.0"), { recursive: true });
  await world.tenant("bundle");
  await world.subscribe("bundle", "logbook-db", { startingCSV: "logbook-db.v1.2.0" });
  await reached("a failed unpacking", async () => {
    const found = await world.client.get(subscriptions, { namespace: "bundle", name: "logbook-db" });
    return (
      found?.status?.conditions?.some(({ type, status }) => type.startsWith("Bundle") && status === "True") === true
    );
  });
  assert.deepEqual(await requestsAtRest(), []);
  await world.remove(subscriptions, { namespace: "bundle", name: "logbook-db" });
});

test("a ClusterExtension whose bundle is missing makes no requests at rest", async () => {
  await world.extend("logbook-db", "1.2.0");
  await reached("a retry", async () => {
    const found = await world.client.get(clusterExtensions, { name: "logbook-db" });
    return (
      found?.status?.conditions?.some(({ type, reason }) => type === "Progressing" && reason === "Retrying") === true
    );
  });
  assert.deepEqual(await requestsAtRest(), []);
  await world.remove(clusterExtensions, { name: "logbook-db" });
});

test("a ClusterServiceVersion with an unmet requirement makes no requests at rest", async () => {
  await world.tenant("requirement");
  const required = [{ name: "nothings.example.com", version: "v1", kind: "Nothing" }];
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "requirement", name: "lacking.v1" },
    spec: {
      displayName: "lacking",
      install: { strategy: "deployment", spec: { deployments: [] } },
      installModes: [{ type: "OwnNamespace", supported: true }],
      customresourcedefinitions: { required },
    },
  } as unknown as ClusterServiceVersion;
  await world.create(clusterServiceVersions, csv);
  await reached("waiting for the requirement", async () => {
    const found = await world.client.get(clusterServiceVersions, { namespace: "requirement", name: "lacking.v1" });
    return found?.status?.reason === "RequirementsNotMet";
  });
  assert.deepEqual(await requestsAtRest(), []);
  await world.remove(clusterServiceVersions, { namespace: "requirement", name: "lacking.v1" });
});

test("a ClusterServiceVersion without its ServiceAccount is reconciled with increasing delays", async () => {
  await world.tenant("lonely");
  const permissions = [{ serviceAccountName: "absent", rules: [] }];
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "lonely", name: "lonely.v1" },
    spec: {
      displayName: "lonely",
      install: { strategy: "deployment", spec: { deployments: [], permissions } },
      installModes: [{ type: "OwnNamespace", supported: true }],
    },
  } as unknown as ClusterServiceVersion;
  await world.create(clusterServiceVersions, csv);
  const key = { namespace: "lonely", name: "lonely.v1" };
  await reached("waiting for the account", async () => {
    return (await world.client.get(clusterServiceVersions, key))?.status?.reason === "RequirementsNotMet";
  });
  const requests = await requestsAtRest();
  assert.ok(requests.length > 0 && requests.length <= 24, requests.join("\n"));
  await world.create(serviceAccounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "lonely", name: "absent" },
  });
  await timePasses(5 * 60_000);
  assert.notEqual((await world.client.get(clusterServiceVersions, key))?.status?.reason, "RequirementsNotMet");
  await world.remove(clusterServiceVersions, key);
});

test("an InstallPlan whose account lacks permissions makes few requests at rest", async () => {
  await world.tenant("account", { targetNamespaces: ["account"], serviceAccountName: "poor" });
  const metadata = { namespace: "account", name: "poor" };
  await world.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  await world.subscribe("account", "ballast-cache");
  await reached("a refused step", async () => {
    const plans = await world.client.list(installPlans, { namespace: "account" });
    return plans.some(({ status }) => status?.message?.includes("forbidden") === true);
  });
  const requests = await requestsAtRest();
  // The permissions can be granted at any time, without a watch event for the plan: it is retried every two minutes.
  assert.ok(requests.length > 0 && requests.length <= 25, requests.join("\n"));
});

test("an operator whose Deployment is invalid is attempted with growing pauses", async () => {
  const namespace = "invalid-deployment";
  await world.tenant(namespace);
  const template = { metadata: { labels: { app: "other" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const deployment = { name: "invalid", spec: { replicas: 1, selector: { matchLabels: { app: "op" } }, template } };
  await world.create(clusterServiceVersions, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace, name: "invalid.v1" },
    spec: {
      displayName: "invalid",
      version: "1.0.0",
      installModes: [{ type: "OwnNamespace", supported: true }],
      install: { strategy: "deployment", spec: { deployments: [deployment] } },
    },
  } as unknown as ClusterServiceVersion);
  const failed = await reached("a failed attempt", async () => {
    const csv = await world.client.get(clusterServiceVersions, { namespace, name: "invalid.v1" });
    return csv?.status?.phase === "Failed" && /^install strategy failed: .*selector/.test(csv.status.message ?? "");
  });
  assert.ok(failed);
  await timePasses(10 * 60_000);
  const attempts = world.engineWrites.filter(
    ({ method, path }) => method === "POST" && path.includes(`/namespaces/${namespace}/deployments`),
  );
  assert.ok(attempts.length >= 10 && attempts.length <= 18, `${attempts.length} attempts in ten minutes`);
});
