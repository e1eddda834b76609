// Objects that others manage: revisions that OLM v1 left, and operators of the other API family.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { customResourceDefinitions, deployments } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, clusterObjectSets, clusterServiceVersions, subscriptions } from "../apis/olm-resources.ts";
import { bundleDigestAnnotation } from "../apis/v1/labels.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world?.stop());

test("a revision that OLM v1 rolled out is taken over as it is: no other revision, no write of its objects", async () => {
  const name = "logbook-db";
  const deployment = { namespace: name, name: "logbook-db-controller" };
  const isDone = async (): Promise<unknown> =>
    world.reaches(clusterExtensions, { name }, "installed", ({ status }) =>
      (status?.conditions ?? []).some(({ type, reason }) => type === "Progressing" && reason === "Succeeded"),
    );
  await world.extend(name, "1.0.0");
  await isDone();
  await world.settled();
  const revision = await world.client.get(clusterObjectSets, { name: `${name}-1` });
  const version = (await world.client.get(deployments, deployment))?.metadata.resourceVersion;
  const own = (revision?.status?.conditions ?? []).filter(
    ({ type }) => !["Ready", "Reconciling", "Stalled"].includes(type),
  );
  await world.restartEngine(async () => {
    // What OLM v1 does not write.
    const annotations = { [bundleDigestAnnotation]: null };
    await world.merge(clusterObjectSets, { name: `${name}-1` }, { metadata: { annotations } });
    await world.mergeStatus(clusterObjectSets, { name: `${name}-1` }, { conditions: own as never });
  });
  await world.reaches(
    clusterObjectSets,
    { name: `${name}-1` },
    "pinned",
    ({ metadata }) => metadata.annotations?.[bundleDigestAnnotation] !== undefined,
  );
  await isDone();
  await world.settled();
  const labelSelector = `olm.operatorframework.io/owner-name=${name}`;
  assert.equal((await world.client.list(clusterObjectSets, { labelSelector })).length, 1);
  assert.equal((await world.client.get(deployments, deployment))?.metadata.resourceVersion, version);
});

test("an extension whose objects an operator of OLM v0 has is refused with that operator, which stays as it was", async () => {
  const namespace = "legacy";
  await world.tenant(namespace);
  await world.subscribe(namespace, "ballast-cache", { startingCSV: "ballast-cache.v0.4.1" });
  await world.reaches(
    clusterServiceVersions,
    { namespace, name: "ballast-cache.v0.4.1" },
    "succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );
  await world.settled();
  const crd = { name: "caches.ballast.demo.purser.dev" };
  const before = await world.client.get(customResourceDefinitions, crd);
  await world.extend("ballast-cache", "0.4.1");
  const refused = await world.reaches(clusterExtensions, { name: "ballast-cache" }, "refused", ({ status }) =>
    (findCondition(status?.conditions, "Progressing")?.message ?? "").includes("ObjectOwnedElsewhere"),
  );
  assert.equal(
    findCondition(refused.status?.conditions, "Progressing")?.message.split("\n")[0],
    'ObjectOwnedElsewhere: CustomResourceDefinition "caches.ballast.demo.purser.dev" exists already and belongs to ClusterServiceVersion "legacy/ballast-cache.v0.4.1". Delete ClusterExtension "ballast-cache"; the objects stay with their owner: kubectl delete clusterextensions.olm.operatorframework.io ballast-cache',
  );
  assert.equal(refused.status?.install, undefined);
  await world.settled();
  assert.deepEqual(await world.client.get(customResourceDefinitions, crd), before);
  assert.equal((await world.client.list(subscriptions, { namespace })).length, 1);
});

test("an extension keeps its objects, and is upgraded, while a Subscription to its package is refused and deleted", async () => {
  const name = "logbook-db";
  const namespace = "second";
  const crd = { name: "ledgers.logbook.demo.purser.dev" };
  const deployment = { namespace: name, name: "logbook-db-controller" };
  const owners = async (): Promise<readonly (string | undefined)[]> =>
    [await world.client.get(customResourceDefinitions, crd), await world.client.get(deployments, deployment)].map(
      (object) => object?.metadata.ownerReferences?.map((owner) => `${owner.kind} ${owner.name}`).join(),
    );
  const before = await owners();
  assert.deepEqual(before, [`ClusterObjectSet ${name}-1`, `ClusterObjectSet ${name}-1`]);
  await world.tenant(namespace);
  await world.subscribe(namespace, name, { startingCSV: "logbook-db.v1.0.0" });
  const refused = await world.reaches(subscriptions, { namespace, name }, "refused", ({ status }) =>
    (findCondition(status?.conditions, "InstallPlanPending")?.message ?? "").includes("ObjectOwnedElsewhere"),
  );
  assert.match(
    findCondition(refused.status?.conditions, "InstallPlanPending")?.message ?? "",
    /CustomResourceDefinition "ledgers\.logbook\.demo\.purser\.dev" of logbook-db\.v1\.0\.0 belongs to ClusterExtension "logbook-db"/,
  );
  await world.settled();
  assert.deepEqual(await owners(), before);
  assert.deepEqual(await world.client.list(clusterServiceVersions, { namespace }), []);
  const catalog = { packageName: name, version: "1.1.0" };
  await world.merge(clusterExtensions, { name }, { spec: { source: { catalog } } });
  await world.reaches(
    clusterExtensions,
    { name },
    "upgraded",
    ({ status }) => status?.install?.bundle.version === "1.1.0",
  );
  await world.remove(subscriptions, { namespace, name });
  await world.vanishes(subscriptions, { namespace, name });
  await world.settled();
  assert.deepEqual(await owners(), [`ClusterObjectSet ${name}-2`, `ClusterObjectSet ${name}-2`]);
  const labels = (await world.client.get(customResourceDefinitions, crd))?.metadata.labels ?? {};
  assert.deepEqual(
    Object.keys(labels).filter((label) => label.startsWith("operators.coreos.com/") || label.startsWith("olm.owner")),
    [],
    "no label of the other family either",
  );
});
