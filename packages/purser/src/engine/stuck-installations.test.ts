// The number of requests for a blocked installation while nothing changes. Only the tests advance the clock.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { clusterRoleBindings, clusterRoles, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, clusterServiceVersions, installPlans, subscriptions } from "../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { waitOf } from "../installation/csv-wait.ts";
import { timePasses } from "./testing/passing-time.ts";
import { World } from "./testing/world.ts";

const clock = new VirtualClock(Date.now());
let world: World;
before(async () => {
  world = await World.open({ clock });
});
after(() => world?.stop());

/** Waits for a condition; content is read and pods are simulated in real time. */
function reached(what: string, look: () => Promise<boolean>): Promise<boolean> {
  return world.until(what, async () => {
    if (await look()) return true;
    await timePasses(world, clock, 100);
    return false;
  });
}

/** Requests of all controllers in ten minutes, after twenty minutes in which the retries are frequent. */
async function requestsAtRest(): Promise<readonly string[]> {
  await timePasses(world, clock, 20 * 60_000);
  const [reads, writes] = [world.engineReads.length, world.engineWrites.length];
  await timePasses(world, clock, 10 * 60_000);
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
  await rm(join(world.bundlesDirectory, "logbook-db", "1.2.0"), { recursive: true });
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

test("a ClusterServiceVersion with an unmet requirement shows it, and makes no requests at rest", async () => {
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
  const stuck = await world.client.get(clusterServiceVersions, { namespace: "requirement", name: "lacking.v1" });
  assert.deepEqual(waitOf(stuck ?? csv), {
    reason: "DependencyMissing",
    stuckSince: stuck?.status?.conditions?.[0]?.lastUpdateTime,
    blockedBy: "CustomResourceDefinition nothings.example.com is NotPresent",
    nextRetry: "when a requirement changes",
  });
  await world.remove(clusterServiceVersions, { namespace: "requirement", name: "lacking.v1" });
});

/** A CSV of its namespace whose account needs a rule that nothing grants yet. */
function needy(namespace: string): ClusterServiceVersion {
  const rules = [{ apiGroups: [""], resources: ["nodes"], verbs: ["get"] }];
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace, name: "needy.v1" },
    spec: {
      displayName: "needy",
      install: {
        strategy: "deployment",
        spec: { deployments: [], clusterPermissions: [{ serviceAccountName: "absent", rules }] },
      },
      installModes: [{ type: "OwnNamespace", supported: true }],
    },
  } as unknown as ClusterServiceVersion;
}

test("a ClusterServiceVersion without its account, and then its rights, makes no requests at rest and sees them come", async () => {
  const namespace = "lonely";
  await world.tenant(namespace);
  await world.create(clusterServiceVersions, needy(namespace));
  const key = { namespace, name: "needy.v1" };
  const messages = async (): Promise<readonly (string | undefined)[]> => {
    const found = await world.client.get(clusterServiceVersions, key);
    return (found?.status?.requirementStatus ?? []).map(({ message }) => message);
  };
  await reached("waiting for the account", async () => (await messages()).includes("Service account does not exist"));
  assert.deepEqual(await requestsAtRest(), []);
  const metadata = { namespace, name: "absent" };
  await world.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  await world.settled();
  assert.deepEqual(await messages(), ["Policy rule not satisfied for service account"]);
  assert.deepEqual(await requestsAtRest(), []);
  await world.create(clusterRoles, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "granted-later" },
    rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["*"] }],
  });
  await world.create(clusterRoleBindings, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "granted-later" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "granted-later" },
    subjects: [{ kind: "ServiceAccount", namespace, name: "absent" }],
  });
  await world.settled();
  assert.equal((await world.client.get(clusterServiceVersions, key))?.status?.phase, "Succeeded");
});

test("an installed operator whose account and rights carry no label fails as soon as they are deleted", async () => {
  const key = { namespace: "lonely", name: "needy.v1" };
  const reason = async (): Promise<string | undefined> =>
    (await world.client.get(clusterServiceVersions, key))?.status?.reason;
  assert.deepEqual(await requestsAtRest(), []);
  await world.remove(clusterRoleBindings, { name: "granted-later" });
  await world.settled();
  assert.equal(await reason(), "RequirementsNotMet");
  await world.remove(serviceAccounts, { namespace: "lonely", name: "absent" });
  await world.settled();
  const { status } = (await world.client.get(clusterServiceVersions, key)) ?? {};
  assert.deepEqual(
    status?.requirementStatus?.map(({ message }) => message),
    ["Service account does not exist"],
  );
  await world.remove(clusterServiceVersions, key);
});

test("an installation from a Subscription takes a bounded number of reads", async () => {
  await world.tenant("counted");
  await world.settled();
  const before = world.engineReads.length;
  await world.subscribe("counted", "ballast-cache", { startingCSV: "ballast-cache.v0.4.1" });
  await reached("an operator at work", async () => {
    const found = await world.client.get(clusterServiceVersions, {
      namespace: "counted",
      name: "ballast-cache.v0.4.1",
    });
    return found?.status?.phase === "Succeeded";
  });
  const reads = world.engineReads.slice(before);
  assert.ok(reads.length <= 40, `${reads.length} reads:\n${reads.join("\n")}`);
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
  // The permissions can be granted at any time, without a watch event for the plan: it is retried every two minutes, and
  // asks each time which rules its account lacks.
  assert.ok(requests.length > 0 && requests.length <= 40, requests.join("\n"));
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
  await timePasses(world, clock, 10 * 60_000);
  const attempts = world.engineWrites.filter(
    ({ method, path }) => method === "POST" && path.includes(`/namespaces/${namespace}/deployments`),
  );
  assert.ok(attempts.length >= 10 && attempts.length <= 18, `${attempts.length} attempts in ten minutes`);
});
