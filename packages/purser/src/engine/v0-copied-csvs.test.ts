import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { events, namespaces, roles } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, olmConfigs, operatorGroups } from "../apis/olm-resources.ts";
import type { OLMConfig } from "../apis/v0/olm-config.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const name = "logbook-db.v1.2.0";
const tenants = Array.from({ length: 100 }, (_, index) => `tenant-${index}`);
const copies = async (): Promise<number> =>
  (await world.client.list(clusterServiceVersions, { labelSelector: "olm.copiedFrom=ops" })).length;
const turn = (disableCopiedCSVs: boolean | null): Promise<void> =>
  world.merge(olmConfigs, { name: "cluster" }, { spec: { features: { disableCopiedCSVs } } });

/** Waits until the condition of OLMConfig has this reason and status. */
async function shows(status: string, text: RegExp): Promise<void> {
  await world.reaches(olmConfigs, { name: "cluster" }, `shows ${status} ${text}`, (config: OLMConfig) =>
    (config.status?.conditions ?? []).some((shown) => shown.status === status && text.test(shown.message)),
  );
  await world.settled();
}

async function touched(change: () => Promise<void>): Promise<void> {
  const [reads, writes] = [world.engineReads.length, world.engineWrites.length];
  const passes = world.passes()["copied-csv"] ?? 0;
  await change();
  await world.until("a pass over copies", async () => (world.passes()["copied-csv"] ?? 0) > passes);
  await world.settled();
  assert.deepEqual([world.engineReads.slice(reads), world.engineWrites.slice(writes)], [[], []]);
}

test("without a setting an operator for all namespaces is copied nowhere, and OLMConfig says so", async () => {
  for (const tenant of tenants)
    await world.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: tenant } });
  await world.create(olmConfigs, {
    apiVersion: "operators.coreos.com/v1",
    kind: "OLMConfig",
    metadata: { name: "cluster" },
  });
  await world.tenant("ops", {});
  await world.subscribe("ops", "logbook-db", { startingCSV: name });
  await world.reaches(
    clusterServiceVersions,
    { namespace: "ops", name },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );
  await shows("True", /are disabled and no unexpected/);
  assert.equal(await copies(), 0);
});

test("copies that are turned on take two requests each and at most 250 for 106 namespaces", async () => {
  const expected = (await world.client.list(namespaces)).length - 1;
  const before = world.engineReads.length + world.engineWrites.length;
  await turn(false);
  await shows("False", /are enabled and present/);
  assert.equal(await copies(), expected);
  const taken = world.engineReads.length + world.engineWrites.length - before;
  assert.ok(taken <= 250 && taken >= 2 * expected, `${taken} requests for ${expected} copies`);
});

test("an unchanged pass over copies reads and writes nothing", async () => {
  await touched(() =>
    world.merge(operatorGroups, { namespace: "ops", name: "group" }, { metadata: { labels: { touched: "yes" } } }),
  );
});

test("a new process writes nothing to copies that are as they should be", async () => {
  const writes = world.engineWrites.length;
  await world.restartEngine();
  await world.until("a look at all copies", async () => (world.passes()["copied-csv"] ?? 0) >= tenants.length);
  await world.settled();
  assert.deepEqual(world.engineWrites.slice(writes), []);
});

const copy = { namespace: "tenant-7", name };
test("a copy that was changed, mislabelled or deleted becomes what it was", async () => {
  const original = await world.client.get(clusterServiceVersions, copy);
  const same = async (): Promise<boolean> => {
    const now = await world.client.get(clusterServiceVersions, copy);
    const part = (csv: typeof now): string =>
      JSON.stringify([csv?.metadata.labels, csv?.metadata.annotations, csv?.spec, csv?.status]);
    return part(now) === part(original);
  };
  await world.merge(clusterServiceVersions, copy, { spec: { displayName: "other" }, metadata: { labels: { a: "b" } } });
  await world.until("the copy as it was", same);
  await world.merge(clusterServiceVersions, copy, {
    metadata: { annotations: { "olm.operatorNamespace": "elsewhere" } },
  });
  await world.until("the copy as it was", same);
  await world.remove(clusterServiceVersions, copy);
  await world.until("the copy as it was", same);
  assert.equal(original?.status?.reason, "Copied");
  assert.equal(original.metadata.annotations?.["olm.targetNamespaces"], undefined);
});

test("a new namespace gets a copy", async () => {
  await world.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "late" } });
  await world.until(
    "a copy",
    async () => (await world.client.get(clusterServiceVersions, { namespace: "late", name })) !== undefined,
  );
});

/** More events than one object may have in a short time. */
async function manyEvents(): Promise<void> {
  const key = { namespace: "ops", name };
  for (let round = 0; round < 10; round++) {
    await world.mergeStatus(clusterServiceVersions, key, { phase: "Pending", reason: "RequirementsUnknown" });
    await world.reaches(clusterServiceVersions, key, "Succeeded", ({ status }) => status?.phase === "Succeeded");
  }
}

test("`disableCopiedCSVs: true` deletes the copies and warns once on the CSV, `false` brings them back", async () => {
  await manyEvents();
  const notices = async (): Promise<readonly (string | undefined)[]> =>
    (await world.client.list(events, { namespace: "ops" }))
      .filter(({ reason }) => reason === "DisabledCopiedCSVs")
      .map(({ type, message, involvedObject }) => `${type} ${involvedObject.name} ${message}`);
  await turn(true);
  await shows("True", /are disabled and no unexpected/);
  assert.equal(await copies(), 0);
  await world.until("the notice", async () => (await notices()).length > 0);
  await world.settled();
  assert.deepEqual(await notices(), [`Warning ${name} CSV copying disabled for ops/${name}`]);
  await turn(false);
  await shows("False", /are enabled and present/);
  await world.until("no notice", async () => (await notices()).length === 0);
});

test("a group that shrinks to a target keeps the copy there, which owns the permissions of the operator", async () => {
  await world.merge(
    operatorGroups,
    { namespace: "ops", name: "group" },
    { spec: { targetNamespaces: ["ops", "tenant-1"] } },
  );
  await world.until("one copy", async () => (await copies()) === 1);
  const kept = await world.client.get(clusterServiceVersions, { namespace: "tenant-1", name });
  await world.until("roles of the copy", async () => {
    const found = await world.client.list(roles, { namespace: "tenant-1" });
    return found.length > 0 && found.every(({ metadata }) => metadata.ownerReferences?.[0]?.uid === kept?.metadata.uid);
  });
});

test("the copies of a deleted CSV are deleted", async () => {
  await world.remove(clusterServiceVersions, { namespace: "ops", name });
  await world.until("no copies", async () => (await copies()) === 0);
});
