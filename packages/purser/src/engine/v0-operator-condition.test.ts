import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deployments, roleBindings, roles } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorConditions } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const first = "logbook-db.v1.0.0";
const second = "logbook-db.v1.1.0";
const namespace = "conditions";
const succeeds = (name: string): Promise<unknown> =>
  world.reaches(
    clusterServiceVersions,
    { namespace, name },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );
const report = { type: "Upgradeable", reason: "Migrating", message: "a migration runs" };

test("an operator that reports Upgradeable=False is not upgraded until it reports True", async () => {
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", { startingCSV: first, installPlanApproval: "Manual" });
  await world.approve(namespace, first);
  await succeeds(first);
  const key = { namespace, name: first };
  for (const type of [roles, roleBindings]) assert.ok((await world.client.get(type, key)) !== undefined, type.kind);
  const [deployment] = await world.client.list(deployments, { namespace });
  assert.deepEqual(
    deployment?.spec?.template.spec?.containers.map(({ env }) => env?.find(({ name }) => name.startsWith("OPERATOR_"))),
    [{ name: "OPERATOR_CONDITION_NAME", value: first }],
  );
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  await world.merge(operatorConditions, key, {
    spec: { conditions: [{ ...report, status: "False", lastTransitionTime }] },
  });
  const seen = await world.reaches(
    operatorConditions,
    key,
    "with what the operator reported in its status",
    ({ status }) => status?.conditions?.some(({ type }) => type === "Upgradeable") === true,
  );
  assert.equal(seen.status?.conditions?.[0]?.observedGeneration, seen.metadata.generation);
  await world.approve(namespace, second);
  const held = await world.reaches(
    clusterServiceVersions,
    { namespace, name: second },
    "waiting for its predecessor",
    ({ status }) => status?.reason === "OperatorConditionNotUpgradeable",
  );
  assert.equal(held.status?.message, "operator is not upgradeable: the operator is not upgradeable: a migration runs");
  await world.merge(operatorConditions, key, {
    spec: { conditions: [{ ...report, status: "True", lastTransitionTime }] },
  });
  await succeeds(second);
});

test("a deleted OperatorCondition is created again, and it is deleted with its CSV", async () => {
  const key = { namespace, name: second };
  const before = await world.client.get(operatorConditions, key);
  await world.remove(operatorConditions, key);
  await world.reaches(operatorConditions, key, "made again", ({ metadata }) => metadata.uid !== before?.metadata.uid);
  await world.vanishes(operatorConditions, { namespace, name: first });
  for (const type of [roles, roleBindings]) await world.vanishes(type, { namespace, name: first });
});

test("the Role and the RoleBinding of an OperatorCondition get the label of managed objects back", async () => {
  const key = { namespace, name: second };
  const condition = await world.client.get(operatorConditions, key);
  for (const type of [roles, roleBindings]) {
    // Those of the condition that was deleted are collected with it.
    await world.reaches(
      type,
      key,
      "owned by the condition",
      ({ metadata }) => metadata.ownerReferences?.[0]?.uid === condition?.metadata.uid,
    );
    await world.merge(type, key, { metadata: { labels: { "olm.managed": null } } });
    await world.until(`a labelled ${type.kind}`, async () => {
      const found = await world.client.get(type, key);
      return found?.metadata.labels?.["olm.managed"] === "true" ? found : undefined;
    });
  }
});
