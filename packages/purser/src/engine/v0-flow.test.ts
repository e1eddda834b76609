import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deployments, events } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, installPlans, subscriptions } from "../apis/olm-resources.ts";
import type { SubscriptionConditionType } from "../apis/v0/subscription.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const succeeds = (namespace: string, name: string): Promise<unknown> =>
  world.reaches(
    clusterServiceVersions,
    { namespace, name },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );

const csvNames = async (namespace: string): Promise<readonly (string | undefined)[]> =>
  (await world.client.list(clusterServiceVersions, { namespace })).map(({ metadata }) => metadata.name);

test("a Manual Subscription is upgraded to the head of its channel with one approval for each step", async () => {
  const namespace = "manual";
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", {
    startingCSV: "logbook-db.v1.0.0",
    installPlanApproval: "Manual",
  });
  for (const version of ["1.0.0", "1.1.0", "1.2.0"]) {
    const name = `logbook-db.v${version}`;
    const waiting = await world.reaches(
      subscriptions,
      { namespace, name: "logbook-db" },
      `pointing at a plan for ${name}`,
      ({ status }) => status?.currentCSV === name && status.state === "UpgradePending",
    );
    assert.equal(await world.client.get(clusterServiceVersions, { namespace, name }), undefined);
    assert.ok(waiting.status?.installPlanRef?.name !== undefined);
    await world.approve(namespace, name);
    await succeeds(namespace, name);
  }
  await world.settled();
  assert.deepEqual(await csvNames(namespace), ["logbook-db.v1.2.0"]);
  const { status } = await world.reaches(
    subscriptions,
    { namespace, name: "logbook-db" },
    "at the head",
    (subscription) => subscription.status?.state === "AtLatestKnown",
  );
  assert.equal(status?.installedCSV, "logbook-db.v1.2.0");
  assert.equal((await world.client.list(installPlans, { namespace })).length, 3);
});

test("an Automatic Subscription is upgraded through every version to the head, and the old CSVs are deleted", async () => {
  const namespace = "automatic";
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", { startingCSV: "logbook-db.v1.0.0" });
  await succeeds(namespace, "logbook-db.v1.2.0");
  await world.settled();
  assert.deepEqual(await csvNames(namespace), ["logbook-db.v1.2.0"]);
  const sources = (await world.client.list(events, { namespace })).map(
    ({ involvedObject, source }) => `${involvedObject.kind} ${source?.component}`,
  );
  assert.deepEqual(
    [...new Set(sources.filter((text) => text.startsWith("ClusterServiceVersion ")))],
    ["ClusterServiceVersion operator-lifecycle-manager"],
  );
  const refusals = (await world.client.list(events))
    .filter(({ reason, involvedObject }) => reason === "ResolutionFailed" && involvedObject.name === namespace)
    .map(({ message }) => message);
  assert.deepEqual(refusals, [], "a resolution failed while an upgrade was under way");
  const plans = await world.client.list(installPlans, { namespace });
  assert.deepEqual(
    plans
      .toSorted((a, b) => (a.spec.generation ?? 0) - (b.spec.generation ?? 0))
      .map(({ spec, status }) => [spec.generation, status?.phase, ...spec.clusterServiceVersionNames]),
    [
      [1, "Complete", "logbook-db.v1.0.0"],
      [2, "Complete", "logbook-db.v1.1.0"],
      [3, "Complete", "logbook-db.v1.2.0"],
    ],
  );
});

test("a required API installs the operator that provides it, with a Subscription of its own", async () => {
  const namespace = "dependency";
  await world.tenant(namespace);
  await world.subscribe(namespace, "semaphore-gateway", { startingCSV: "semaphore-gateway.v1.0.0" });
  await succeeds(namespace, "semaphore-gateway.v1.1.0");
  await world.settled();
  const found = await world.client.list(subscriptions, { namespace });
  const brought = found.find(({ spec }) => spec.name === "ballast-cache");
  assert.ok(brought !== undefined, "no Subscription for the dependency");
  assert.equal(brought.metadata.name, "ballast-cache-stable-demo-olm");
  assert.equal(brought.spec.installPlanApproval, "Automatic");
  assert.equal(brought.status?.state, "AtLatestKnown");
  await succeeds(namespace, brought.status.installedCSV ?? "");
  for (const name of ["semaphore-gateway-controller", "ballast-cache-controller"])
    await world.reaches(
      deployments,
      { namespace, name },
      "available",
      ({ status }) => (status?.availableReplicas ?? 0) > 0,
    );
});

test("a deprecated channel is reported only on Subscriptions to it", async () => {
  const conditionsOf = async (
    namespace: string,
  ): Promise<ReadonlyMap<SubscriptionConditionType, string | undefined>> => {
    const [subscription] = await world.client.list(subscriptions, { namespace });
    return new Map(subscription?.status?.conditions?.map(({ type, message }) => [type, message]));
  };
  for (const channel of ["legacy", "stable"]) {
    await world.tenant(channel);
    await world.subscribe(channel, "ballast-cache", { channel, startingCSV: "ballast-cache.v0.3.0" });
    await succeeds(channel, channel === "legacy" ? "ballast-cache.v0.3.0" : "ballast-cache.v0.4.1");
  }
  await world.settled();
  const text = "olm.channel/legacy: Channel legacy ends with 0.3.0; use stable, which continues from there.";
  const deprecated = await conditionsOf("legacy");
  assert.equal(deprecated.get("ChannelDeprecated"), text);
  assert.equal(deprecated.get("Deprecated"), text);
  assert.equal((await conditionsOf("stable")).has("Deprecated"), false);
});

test("a package that is in no catalog is reported on the Subscription, which is resolved after its spec is corrected", async () => {
  const namespace = "unknown-package";
  await world.tenant(namespace);
  await world.subscribe(namespace, "ballast-cahce");
  const { status } = await world.reaches(
    subscriptions,
    { namespace, name: "ballast-cahce" },
    "refused",
    (subscription) => subscription.status?.conditions?.some(({ type }) => type === "ResolutionFailed") === true,
  );
  const refusal = status?.conditions?.find(({ type }) => type === "ResolutionFailed");
  assert.match(refusal?.message ?? "", /^PackageNotFound: .*ballast-cache/);
  assert.match(refusal?.message ?? "", /\nconstraints not satisfiable: no operators found in package ballast-cahce/);
  await world.merge(subscriptions, { namespace, name: "ballast-cahce" }, { spec: { name: "ballast-cache" } });
  await succeeds(namespace, "ballast-cache.v0.4.1");
  await world.settled();
  const [healed] = await world.client.list(subscriptions, { namespace });
  assert.equal(
    healed?.status?.conditions?.some(({ type }) => type === "ResolutionFailed"),
    false,
  );
});
