import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deployments } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, installPlans, operators, subscriptions } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const key = { name: "logbook-db.ops" };
const component = `operators.coreos.com/${key.name}`;

async function refs(): Promise<readonly string[]> {
  const operator = await world.client.get(operators, key);
  return (operator?.status?.components?.refs ?? []).map(
    ({ kind, name }) => `${kind} ${name?.replace(/-[^-]{30,}$/, "")}`,
  );
}

test("an Operator lists everything that its Subscription brought, with conditions", async () => {
  await world.tenant("ops");
  await world.subscribe("ops", "logbook-db", { startingCSV: "logbook-db.v1.2.0" });
  await world.reaches(
    clusterServiceVersions,
    { namespace: "ops", name: "logbook-db.v1.2.0" },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );
  await world.settled();
  const [plan] = await world.client.list(installPlans, { namespace: "ops" });
  const found = await refs();
  for (const wanted of [
    "ClusterServiceVersion logbook-db.v1.2.0",
    "CustomResourceDefinition ledgers.logbook.demo.purser.dev",
    "Deployment logbook-db-controller",
    `InstallPlan ${plan?.metadata.name}`,
    "OperatorCondition logbook-db.v1.2.0",
    "Subscription logbook-db",
  ])
    assert.ok(found.includes(wanted), `${wanted} is among ${found.join(", ")}`);
  const operator = await world.client.get(operators, key);
  const csv = operator?.status?.components?.refs?.find(({ kind }) => kind === "ClusterServiceVersion");
  assert.deepEqual(
    csv?.conditions?.map(({ type, status }) => [type, status]),
    [["Succeeded", "True"]],
  );
  assert.deepEqual(operator?.status?.components?.labelSelector, {
    matchExpressions: [{ key: component, operator: "Exists" }],
  });
});

test("a label that was removed is restored, and an Operator that was deleted is created again", async () => {
  const deployment = { namespace: "ops", name: "logbook-db-controller" };
  await world.merge(deployments, deployment, { metadata: { labels: { [component]: null } } });
  await world.reaches(deployments, deployment, "with its label", ({ metadata }) => metadata.labels?.[component] === "");
  await world.settled();
  const before = await refs();
  await world.remove(operators, key);
  await world.until("the Operator again", async () => (await refs()).length === before.length);
});

test("an unchanged pass over an Operator and its components reads and writes nothing", async () => {
  await world.settled();
  const [reads, writes, passes] = [world.engineReads.length, world.engineWrites.length, world.passes()];
  await world.merge(
    subscriptions,
    { namespace: "ops", name: "logbook-db" },
    { metadata: { labels: { touched: "yes" } } },
  );
  await world.until("a pass", async () => (world.passes()["operator"] ?? 0) > (passes["operator"] ?? 0));
  await world.settled();
  assert.deepEqual([world.engineReads.slice(reads), world.engineWrites.slice(writes)], [[], []]);
});
