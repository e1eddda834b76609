// Objects that others manage: revisions that OLM v1 left, and operators of the other API family.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { kindOf } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions, deployments, secrets } from "@purser/kubernetes/apis/resources";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { clusterExtensions, clusterObjectSets, clusterServiceVersions, subscriptions } from "../apis/olm-resources.ts";
import { bundleDigestAnnotation } from "../apis/v1/labels.ts";
import { asBoxcutterReads } from "./testing/boxcutter-form.ts";
import { World } from "./testing/world.ts";

const never = new AbortController().signal;
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

test("what was installed here is what OLM v1 reads, and its own write of the newest revision is no roll-out", async () => {
  const name = "logbook-db";
  const olm = "olm.operatorframework.io";
  const extension = await world.client.get(clusterExtensions, { name });
  const revision = await world.client.get(clusterObjectSets, { name: `${name}-2` });
  assert.ok(extension !== undefined && revision !== undefined);
  assert.deepEqual(extension.metadata.finalizers, [
    `${olm}/cleanup-unpack-cache`,
    `${olm}/cleanup-contentmanager-cache`,
  ]);
  const { metadata, spec, status } = revision;
  assert.deepEqual(metadata.finalizers, [`${olm}/teardown`]);
  const labels = { [`${olm}/owner-kind`]: "ClusterExtension", [`${olm}/owner-name`]: name };
  assert.deepEqual(metadata.labels, labels);
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.startsWith("purser.dev/"));
  assert.deepEqual(Object.fromEntries(annotations), {
    [`${olm}/bundle-name`]: "logbook-db.v1.1.0",
    [`${olm}/bundle-reference`]: "local.purser.dev/demo/logbook-db:1.1.0",
    [`${olm}/bundle-version`]: "1.1.0",
    [`${olm}/package-name`]: name,
  });
  const owner = { apiVersion: `${olm}/v1`, controller: true, blockOwnerDeletion: true };
  assert.deepEqual(metadata.ownerReferences, [
    { ...owner, kind: "ClusterExtension", name, uid: extension.metadata.uid },
  ]);
  assert.deepEqual([spec?.lifecycleState, spec?.collisionProtection, spec?.revision], ["Active", "Prevent", 2]);
  const read = asBoxcutterReads(revision, await world.client.list(secrets, { namespace: "olmv1-system" }));
  assert.deepEqual(read.secrets, [
    `named by its content, immutable true, ${olm}/object-data, ${olm}/owner-name=${name} ${olm}/revision-name=${name}-2, ClusterObjectSet/${name}-2/true`,
  ]);
  assert.deepEqual(status?.observedPhases, read.observed);
  assert.equal(findCondition(status?.conditions, "Succeeded")?.status, "True");
  assert.ok(read.objects.length > 3);
  const discovery = createDiscovery(world.client);
  for (const object of read.objects) {
    const { namespace, name: own = "" } = object.metadata;
    for (const [label, value] of Object.entries(labels)) assert.equal(object.metadata.labels?.[label], value);
    assert.equal(object.metadata.annotations?.[`${olm}/bundle-version`], "1.1.0");
    assert.equal(object.metadata.annotations?.[`${olm}/package-name`], name);
    assert.deepEqual(
      Object.keys(object.metadata).filter((key) => !["name", "namespace", "labels", "annotations"].includes(key)),
      [],
    );
    const type = await discovery.typeOf(kindOf(object));
    assert.ok(type !== undefined);
    const live = await world.client.get(type, { ...(namespace === undefined ? {} : { namespace }), name: own });
    assert.deepEqual(live?.metadata.ownerReferences, [
      { ...owner, kind: "ClusterObjectSet", name: `${name}-2`, uid: metadata.uid },
    ]);
    assert.equal(live?.metadata.annotations?.[`${olm}/revision`], "2");
    assert.equal(live?.metadata.labels?.["app.kubernetes.io/managed-by"], olm);
    assert.equal(live?.metadata.labels?.[`${olm}/owner-name`], name);
    assert.deepEqual(
      (live?.metadata.finalizers ?? []).filter((finalizer) => finalizer.includes("purser")),
      [],
    );
    const managers = (live?.metadata.managedFields ?? []).filter(({ subresource }) => subresource === undefined);
    assert.deepEqual([...new Set(managers.map(({ manager }) => manager))], [olm]);
  }
  const versions = async (): Promise<readonly unknown[]> => {
    const shown = await world.client.get(deployments, { namespace: name, name: `${name}-controller` });
    const held = await world.client.get(clusterObjectSets, { name: `${name}-2` });
    return [shown?.metadata.resourceVersion, held?.metadata.generation];
  };
  const before = await versions();
  await world.restartEngine(async () => {
    // What OLM v1 applies in each of its passes; equal phases are no new revision.
    const { apiVersion, kind } = revision;
    const { ownerReferences = [] } = metadata;
    const object = {
      apiVersion,
      kind,
      metadata: { name: `${name}-2`, labels, annotations: Object.fromEntries(annotations), ownerReferences },
      ...(spec === undefined ? {} : { spec }),
    };
    const write = { verb: "apply", type: clusterObjectSets, object, force: true } as const;
    const applied = await world.client.write({ ...write, fieldManager: `${olm}/clusterextension-controller` }, never);
    assert.ok(applied.ok, "OLM v1 may apply it");
    const held = await world.client.get(clusterObjectSets, { name: `${name}-2` });
    assert.deepEqual(
      held?.metadata.annotations,
      Object.fromEntries(annotations),
      "OLM v1 removes what it does not know",
    );
    assert.deepEqual(await versions(), before);
  });
  await world.reaches(
    clusterObjectSets,
    { name: `${name}-2` },
    "pinned again",
    (one) => one.metadata.annotations?.[bundleDigestAnnotation] !== undefined,
  );
  await world.settled();
  assert.deepEqual(await versions(), before);
});
