import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterRoleBindings, deployments, events } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, subscriptions } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

const ledgers: ResourceType = {
  group: "logbook.demo.purser.dev",
  version: "v1",
  kind: "Ledger",
  plural: "ledgers",
  namespaced: true,
};
const key = { namespace: "books", name: "logbook-db.v1.2.0" };
const own = { namespace: "books", name: "own" };

/** An operator with `spec.cleanup` and a custom resource with a finalizer in its namespace, and one elsewhere. */
async function installed(world: World): Promise<void> {
  await mayDelete(world);
  await world.tenant("books");
  await world.namespace("elsewhere");
  await world.subscribe("books", "logbook-db", { startingCSV: key.name });
  await world.reaches(clusterServiceVersions, key, "Succeeded", ({ status }) => status?.phase === "Succeeded");
  await world.merge(clusterServiceVersions, key, { spec: { cleanup: { enabled: true } } });
  for (const namespace of ["books", "elsewhere"])
    await world.create(ledgers, {
      apiVersion: "logbook.demo.purser.dev/v1",
      kind: "Ledger",
      metadata: { namespace, name: "own", ...(namespace === "books" ? { finalizers: ["logbook.demo/f"] } : {}) },
    });
  await world.remove(subscriptions, { namespace: "books", name: "logbook-db" });
  await world.settled();
}

/** The bundle's account has no right to delete its custom resources. */
async function mayDelete({ bundlesDirectory }: World): Promise<void> {
  const directory = join(bundlesDirectory, "logbook-db", "1.2.0", "manifests");
  const name = (await readdir(directory)).find((file) => file.includes("clusterserviceversion")) ?? "";
  const text = await readFile(join(directory, name), "utf8");
  const changed = text.replace(/(- ledgers\/status\s+verbs:)(\s+)/, "$1$2- delete$2");
  assert.notEqual(changed, text);
  await writeFile(join(directory, name), changed);
}

test("without --compat=csv-cleanup an operator with spec.cleanup goes after its custom resources, while it runs", async () => {
  const clock = new VirtualClock(Date.now());
  const world = await World.open({ clock });
  try {
    await installed(world);
    await world.remove(clusterServiceVersions, key);
    await world.settled();
    const { status } = (await world.client.get(clusterServiceVersions, key)) ?? {};
    assert.deepEqual(status?.cleanup?.pendingDeletion, [
      { group: ledgers.group, kind: "Ledger", instances: [{ name: "own", namespace: "books" }] },
    ]);
    assert.notEqual((await world.client.get(ledgers, own))?.metadata.deletionTimestamp, undefined);
    assert.equal((await world.client.list(deployments, { namespace: "books" })).length, 1);
    await world.merge(ledgers, own, { metadata: { finalizers: null } });
    clock.advance(5_000);
    await world.settled();
    assert.equal(await world.client.get(clusterServiceVersions, key), undefined);
    assert.notEqual(await world.client.get(ledgers, { namespace: "elsewhere", name: "own" }), undefined);
  } finally {
    await world.stop();
  }
});

test("custom resources are deleted with the rights of the operator, and a refusal keeps it", async () => {
  const world = await World.open();
  try {
    await installed(world);
    const labelSelector = "olm.owner.namespace=books";
    for (const { metadata } of await world.client.list(clusterRoleBindings, { labelSelector }))
      await world.remove(clusterRoleBindings, { name: metadata.name ?? "" });
    await world.remove(clusterServiceVersions, key);
    const refused = await world.until("the refusal", async () =>
      (await world.client.list(events, { namespace: "books" })).find(({ reason }) => reason === "CleanupFailed"),
    );
    assert.equal(
      refused.message,
      'ledgers.logbook.demo.purser.dev "own" is forbidden: User "system:serviceaccount:books:logbook-db-controller" cannot delete resource "ledgers" in API group "logbook.demo.purser.dev" in the namespace "books"',
    );
    assert.notEqual(await world.client.get(clusterServiceVersions, key), undefined);
    await world.merge(clusterServiceVersions, key, { spec: { cleanup: { enabled: false } } });
    await world.vanishes(clusterServiceVersions, key);
    assert.equal((await world.client.get(ledgers, own))?.metadata.deletionTimestamp, undefined);
  } finally {
    await world.stop();
  }
});

test("with --compat=csv-cleanup an operator with spec.cleanup goes without its custom resources", async () => {
  const world = await World.open({ compat: { keepsUpstream: (name) => name === "csv-cleanup" } });
  try {
    await installed(world);
    await world.remove(clusterServiceVersions, key);
    await world.vanishes(clusterServiceVersions, key);
    assert.equal((await world.client.get(ledgers, own))?.metadata.deletionTimestamp, undefined);
  } finally {
    await world.stop();
  }
});
