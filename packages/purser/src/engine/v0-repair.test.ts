import assert from "node:assert/strict";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  events,
  clusterRoleBindings,
  deployments,
  roleBindings,
  roles,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import {
  catalogSources,
  clusterCatalogs,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const csv = "logbook-db.v1.2.0";
const succeeds = (namespace: string, name = csv): Promise<unknown> =>
  world.reaches(
    clusterServiceVersions,
    { namespace, name },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );

async function installed(namespace: string): Promise<void> {
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", { startingCSV: csv });
  await succeeds(namespace);
  await world.settled();
}

test("a second OperatorGroup fails every CSV of the namespace; they succeed again when it is deleted", async () => {
  const namespace = "two-groups";
  await installed(namespace);
  await world.group(namespace, "second", { targetNamespaces: [namespace] });
  const failed = await world.reaches(
    clusterServiceVersions,
    { namespace, name: csv },
    "Failed",
    ({ status }) => status?.phase === "Failed",
  );
  assert.equal(failed.status?.reason, "TooManyOperatorGroups");
  const group = await world.reaches(
    operatorGroups,
    { namespace, name: "group" },
    "saying so",
    ({ status }) => status?.conditions?.some(({ type }) => type === "MultipleOperatorGroup") === true,
  );
  assert.equal(group.status?.conditions?.[0]?.message, "Multiple OperatorGroup found in the same namespace");
  await world.remove(operatorGroups, { namespace, name: "second" });
  await succeeds(namespace);
  await world.reaches(
    operatorGroups,
    { namespace, name: "group" },
    "no longer saying so",
    ({ status }) => findCondition(status?.conditions, "Ready")?.status === "True",
  );
});

test("deleted objects of an operator are created again, and its CSV is Succeeded again", async () => {
  const namespace = "deleted";
  await installed(namespace);
  const account = "logbook-db-controller";
  const [role] = await world.client.list(roles, { namespace, labelSelector: `olm.owner=${csv}` });
  const [binding] = await world.client.list(roleBindings, { namespace, labelSelector: `olm.owner=${csv}` });
  const victims: readonly (readonly [ResourceType, string])[] = [
    [deployments, account],
    [serviceAccounts, account],
    [roles, role?.metadata.name ?? ""],
    [roleBindings, binding?.metadata.name ?? ""],
  ];
  for (const [type, name] of victims) {
    const before = await world.client.get(type, { namespace, name });
    assert.ok(before !== undefined, `${type.kind} ${name} was never there`);
    await world.remove(type, { namespace, name });
    await world.reaches(
      type as ResourceType<KubeObject>,
      { namespace, name },
      "made again",
      ({ metadata }) => metadata.uid !== before.metadata.uid,
    );
    await succeeds(namespace);
  }
});

test("a missing bundle is reported with the place where it was searched, and is installed when it appears", async () => {
  const namespace = "missing-bundle";
  const directory = join(world.bundlesDirectory, "semaphore-gateway", "1.1.0");
  await rename(directory, `${directory}-away`);
  await world.tenant(namespace);
  await world.subscribe(namespace, "semaphore-gateway", { startingCSV: "semaphore-gateway.v1.1.0" });
  const waiting = await world.reaches(
    subscriptions,
    { namespace, name: "semaphore-gateway" },
    "telling that its bundle is missing",
    ({ status }) => status?.conditions?.some(({ type }) => type === "BundleUnpackFailed") === true,
  );
  const condition = waiting.status?.conditions?.find(({ type }) => type === "BundleUnpackFailed");
  assert.match(condition?.message ?? "", /BundleUnavailable: semaphore-gateway\.v1\.1\.0/);
  const event = await world.until("an event", async () =>
    (await world.client.list(events, { namespace })).find(({ reason }) => reason === "BundleUnpackFailed"),
  );
  assert.deepEqual(
    [event.type, event.involvedObject.kind, event.involvedObject.name],
    ["Warning", "Subscription", "semaphore-gateway"],
  );
  assert.equal((await world.client.list(installPlans, { namespace })).length, 0);
  await rename(`${directory}-away`, directory);
  await succeeds(namespace, "semaphore-gateway.v1.1.0");
});

test("a catalog that becomes invalid is reported with its file and serves its last valid content until it is fixed", async () => {
  const namespace = "broken-catalog";
  const file = join(world.catalogDirectory, "ballast-cache", "catalog.yaml");
  const good = await readFile(file, "utf8");
  const source = { namespace: "olm", name: "demo" };
  await writeFile(file, `${good}\n---\nschema: [unclosed\n`);
  const broken = await world.reaches(
    catalogSources,
    source,
    "Stalled",
    ({ status }) =>
      status?.conditions?.some(({ type, status: said }) => type === "Stalled" && said === "True") === true,
  );
  const stalled = broken.status?.conditions?.find(({ type }) => type === "Stalled");
  assert.match(stalled?.message ?? "", /ballast-cache[/]catalog\.yaml:\d+/);
  assert.equal(broken.status?.conditions?.find(({ type }) => type === "Ready")?.reason, "ServingLastGood");
  await world.reaches(
    clusterCatalogs,
    { name: "demo" },
    "telling the same",
    ({ status }) =>
      status?.conditions?.some(({ type, message }) => type === "Progressing" && message.includes("catalog.yaml")) ===
        true && status.conditions.some(({ type, status: said }) => type === "Serving" && said === "True"),
  );
  await installed(namespace);
  await writeFile(file, good);
  await world.reaches(
    catalogSources,
    source,
    "whole",
    ({ status }) => status?.conditions?.find(({ type }) => type === "Stalled")?.status === "False",
  );
});

test("an attenuated account without permissions blocks the InstallPlan until they are granted", async () => {
  const namespace = "bounded";
  await world.tenant(namespace, { targetNamespaces: [namespace], serviceAccountName: "installer" });
  await world.subscribe(namespace, "logbook-db", { startingCSV: csv });
  await world.reaches(
    operatorGroups,
    { namespace, name: "group" },
    "missing its account",
    ({ status }) => status?.conditions?.some(({ reason }) => reason === "ServiceAccountNotFound") === true,
  );
  const [waiting] = await world.until("a plan that waits for the account", async () => {
    const plans = await world.client.list(installPlans, { namespace });
    return plans.some(({ status }) => status?.conditions?.[0]?.reason === "InstallCheckFailed") ? plans : undefined;
  });
  assert.match(
    waiting?.status?.conditions?.[0]?.message ?? "",
    /please make sure the service account exists\. sa=installer/,
  );
  await world.create(serviceAccounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace, name: "installer" },
  });
  const key = { namespace, name: waiting?.metadata.name ?? "" };
  const refused = await world.reaches(
    installPlans,
    key,
    "refused",
    ({ status }) => status?.message?.includes("forbidden") === true,
  );
  assert.equal(refused.status?.phase, "Installing");
  assert.match(refused.status.message ?? "", /system:serviceaccount:bounded:installer/);
  await world.create(clusterRoleBindings, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "installer" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", namespace, name: "installer" }],
  });
  await world.reaches(installPlans, key, "Complete", ({ status }) => status?.phase === "Complete");
  await succeeds(namespace);
});
