import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { customResourceDefinitions, roles, serviceAccounts } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  installPlans,
  subscriptions,
} from "../apis/olm-resources.ts";
import { parseCompat } from "../compat.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world?.stop());

const crd = { name: "caches.ballast.demo.purser.dev" };
const namespace = "taken";
const never = new AbortController().signal;

async function orphan(type: ResourceType, name: string): Promise<void> {
  const deleted = await world.client.write({ verb: "delete", type, key: { name }, propagation: "Orphan" }, never);
  assert.ok(deleted.ok, `${type.kind} ${name} is deleted`);
}

test("a dependency whose CRD a ClusterExtension owns is refused before anything is written", async () => {
  await world.extend("ballast-cache", "0.4.1");
  await world.reaches(clusterExtensions, { name: "ballast-cache" }, "installed", ({ status }) =>
    (status?.conditions ?? []).some(({ type, reason }) => type === "Progressing" && reason === "Succeeded"),
  );
  const before = await world.client.get(customResourceDefinitions, crd);
  await world.tenant(namespace);
  await world.subscribe(namespace, "semaphore-gateway", { startingCSV: "semaphore-gateway.v1.1.0" });
  const refused = await world.reaches(
    subscriptions,
    { namespace, name: "semaphore-gateway" },
    "refused",
    ({ status }) => /ObjectOwnedElsewhere/.test(findCondition(status?.conditions, "InstallPlanPending")?.message ?? ""),
  );
  await world.settled();
  assert.match(
    findCondition(refused.status?.conditions, "InstallPlanPending")?.message ?? "",
    /CustomResourceDefinition "caches.ballast.demo.purser.dev" of ballast-cache.v0.4.1 belongs to ClusterExtension "ballast-cache"/,
  );
  assert.deepEqual(await world.client.get(customResourceDefinitions, crd), before);
  assert.deepEqual(await world.client.list(clusterServiceVersions, { namespace }), []);
  assert.deepEqual(await world.client.list(roles, { namespace }), []);
  assert.deepEqual(
    (await world.client.list(serviceAccounts, { namespace })).map(({ metadata }) => metadata.name),
    ["default"],
  );
  assert.equal((await world.client.list(subscriptions, { namespace })).length, 1);
  const [plan] = await world.client.list(installPlans, { namespace });
  assert.equal(plan?.status?.phase, "Installing");
  assert.equal(plan?.status?.conditions?.find(({ type }) => type === "Installed")?.reason, "ObjectOwnedElsewhere");
});

test("the plan continues when the objects are handed over by the commands of the remedy, and the CRD is the same", async () => {
  const before = await world.client.get(customResourceDefinitions, crd);
  await orphan(clusterExtensions, "ballast-cache");
  await world.vanishes(clusterExtensions, { name: "ballast-cache" });
  const labelSelector = "olm.operatorframework.io/owner-name=ballast-cache";
  for (const { metadata } of await world.client.list(clusterObjectSets, { labelSelector }))
    await orphan(clusterObjectSets, metadata.name ?? "");
  for (const [name, csv] of [
    ["ballast-cache", "ballast-cache.v0.4.1"],
    ["semaphore-gateway", "semaphore-gateway.v1.1.0"],
  ] as const)
    await world.reaches(
      clusterServiceVersions,
      { namespace, name: csv },
      `Succeeded for ${name}`,
      ({ status }) => status?.phase === "Succeeded",
    );
  const after = await world.client.get(customResourceDefinitions, crd);
  assert.equal(after?.metadata.uid, before?.metadata.uid);
  const [{ metadata } = { metadata: { name: "" } }] = await world.client.list(installPlans, { namespace });
  // Its operators may be ready before its own status is written.
  const plan = await world.reaches(
    installPlans,
    { namespace, name: metadata.name ?? "" },
    "the plan is complete",
    ({ status }) => status?.phase === "Complete",
  );
  assert.equal(plan.status?.message, undefined);
  assert.equal(plan.status?.conditions?.find(({ type }) => type === "Installed")?.status, "True");
});

test("with --compat=crd-owners an InstallPlan overwrites the CRD of a ClusterExtension, as in OLM", async () => {
  const compat = parseCompat("crd-owners");
  assert.ok(compat.ok);
  const kept = await World.open({ compat: compat.value });
  try {
    await kept.extend("ballast-cache", "0.4.1");
    await kept.reaches(clusterExtensions, { name: "ballast-cache" }, "installed", ({ status }) =>
      (status?.conditions ?? []).some(({ type, reason }) => type === "Progressing" && reason === "Succeeded"),
    );
    await kept.tenant(namespace);
    await kept.subscribe(namespace, "semaphore-gateway", { startingCSV: "semaphore-gateway.v1.1.0" });
    const installed: (string | undefined)[] = [];
    await kept.until("an InstallPlan that is complete or refused", async () => {
      const [plan] = await kept.client.list(installPlans, { namespace });
      const reason = plan?.status?.conditions?.find(({ type }) => type === "Installed")?.reason;
      if (plan?.status?.phase !== "Complete" && reason === undefined) return false;
      installed.push(plan?.status?.phase, reason);
      return true;
    });
    assert.deepEqual(installed, ["Complete", undefined]);
  } finally {
    await kept.stop();
  }
});
