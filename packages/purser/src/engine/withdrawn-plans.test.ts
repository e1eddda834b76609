// InstallPlans that wait for approval while an update policy comes to hold back what they bring.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { installPlans, subscriptions, updatePolicies } from "../apis/olm-resources.ts";
import type { InstallPlan } from "../apis/v0/install-plan.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const namespace = "logs";
const key = { namespace, name: "logbook-db" };
const reason = "logbook-db.v1.1.0 is held back by UpdatePolicy logs/freeze: no upgrades (audit)";

const planFor = async (csv: string): Promise<InstallPlan> => {
  const plans = await world.client.list(installPlans, { namespace });
  const found = plans.filter(({ spec }) => spec.clusterServiceVersionNames.includes(csv));
  assert.equal(found.length, 1, `${found.length} InstallPlans for ${csv}`);
  return found[0] ?? assert.fail();
};
const installedOf = ({ status }: InstallPlan) => status?.conditions?.find(({ type }) => type === "Installed");

async function hold(spec: object): Promise<void> {
  const object = { apiVersion: "purser.dev/v1alpha1", kind: "UpdatePolicy", metadata: { namespace, name: "freeze" } };
  await world.create(updatePolicies, { ...object, spec } as never);
}

test("an InstallPlan that waits is withdrawn by a policy: its approval installs nothing until the policy is deleted", async () => {
  await world.tenant(namespace);
  const spec = { startingCSV: "logbook-db.v1.0.0", installPlanApproval: "Manual" } as const;
  await world.subscribe(namespace, "logbook-db", spec);
  await world.approve(namespace, "logbook-db.v1.0.0");
  await world.reaches(
    subscriptions,
    key,
    "offers 1.1.0",
    ({ status }) => status?.currentCSV === "logbook-db.v1.1.0" && status.installPlanRef !== undefined,
  );
  const first = await planFor("logbook-db.v1.0.0");
  const offered = await planFor("logbook-db.v1.1.0");

  await hold({ level: "none", reason: "audit" });
  const held = await world.reaches(subscriptions, key, "held", ({ status }) =>
    (status?.conditions ?? []).some(({ type }) => type === "UpdateHeld"),
  );
  await world.settled();
  const { status } = (await world.client.get(subscriptions, key)) ?? held;
  assert.deepEqual(
    [status?.state, status?.currentCSV, status?.installedCSV, status?.installPlanRef?.name],
    ["AtLatestKnown", "logbook-db.v1.0.0", "logbook-db.v1.0.0", first.metadata.name],
  );
  assert.deepEqual(
    status?.conditions?.filter(({ type }) => type === "InstallPlanPending"),
    [],
  );
  const condition = installedOf(await planFor("logbook-db.v1.1.0"));
  assert.deepEqual(
    [condition?.status, condition?.reason, condition?.message],
    [
      "False",
      "VersionHeld",
      `${reason}. see which policy decides, and change it: purser policy effective sub/logs/logbook-db`,
    ],
  );

  const name = offered.metadata.name ?? "";
  await world.merge(updatePolicies, { namespace, name: "freeze" }, { spec: { reason: "second audit" } });
  await world.reaches(
    installPlans,
    { namespace, name },
    "shows the new reason",
    (plan) => installedOf(plan)?.message?.includes("(second audit)") === true,
  );
  await world.merge(installPlans, { namespace, name }, { spec: { approved: true } });
  await world.settled();
  const approved = await planFor("logbook-db.v1.1.0");
  assert.deepEqual([approved.status?.phase, installedOf(approved)?.reason], ["RequiresApproval", "VersionHeld"]);
  world.engineWrites.length = 0;
  world.engineReads.length = 0;
  await world.merge(installPlans, { namespace, name }, { metadata: { labels: { touched: "true" } } });
  await world.settled();
  assert.deepEqual([world.engineWrites, world.engineReads], [[], []]);

  await world.remove(updatePolicies, { namespace, name: "freeze" });
  await world.reaches(subscriptions, key, "at 1.1.0", ({ status: now }) => now?.installedCSV === "logbook-db.v1.1.0");
  const carriedOut = await world.reaches(
    installPlans,
    { namespace, name },
    "is complete",
    ({ status: now }) => now?.phase === "Complete",
  );
  assert.deepEqual([carriedOut.metadata.uid, installedOf(carriedOut)?.status], [offered.metadata.uid, "True"]);
  await planFor("logbook-db.v1.1.0");
});

test("a withdrawn InstallPlan is carried out only when a Subscription asks for it again, with its history", async () => {
  await world.reaches(subscriptions, key, "offers 1.2.0", ({ status }) => status?.currentCSV === "logbook-db.v1.2.0");
  const offered = await planFor("logbook-db.v1.2.0");
  const name = offered.metadata.name ?? "";
  await hold({ versions: { denied: ["1.2.0"] } });
  await world.reaches(subscriptions, key, "held", ({ status }) => status?.currentCSV === "logbook-db.v1.1.0");
  await world.settled();
  await world.merge(subscriptions, key, { spec: { channel: "elsewhere" } });
  await world.merge(installPlans, { namespace, name }, { spec: { approved: true } });
  await world.remove(updatePolicies, { namespace, name: "freeze" });
  await world.settled();
  assert.equal((await planFor("logbook-db.v1.2.0")).status?.phase, "RequiresApproval");
  await world.merge(subscriptions, key, { spec: { channel: "stable" } });
  const moved = await world.reaches(
    subscriptions,
    key,
    "at 1.2.0",
    ({ status }) => status?.installedCSV === "logbook-db.v1.2.0",
  );
  assert.equal(moved.status?.installPlanRef?.uid, offered.metadata.uid);
  await planFor("logbook-db.v1.2.0");
});

test("a withdrawn InstallPlan that nobody approved is offered again without its condition", async () => {
  const other = { namespace, name: "ballast-cache" };
  const spec = { startingCSV: "ballast-cache.v0.4.0", installPlanApproval: "Manual" } as const;
  await world.subscribe(namespace, "ballast-cache", spec);
  await world.approve(namespace, "ballast-cache.v0.4.0");
  await world.reaches(
    subscriptions,
    other,
    "offers 0.4.1",
    ({ status }) => status?.currentCSV === "ballast-cache.v0.4.1",
  );
  const offered = await planFor("ballast-cache.v0.4.1");
  await hold({ selector: { names: ["ballast-cache"] }, level: "none" });
  await world.reaches(subscriptions, other, "held", ({ status }) => status?.currentCSV === "ballast-cache.v0.4.0");
  await world.reaches(
    installPlans,
    { namespace, name: offered.metadata.name ?? "" },
    "shows that it is held",
    (plan) => installedOf(plan)?.reason === "VersionHeld",
  );
  await world.remove(updatePolicies, { namespace, name: "freeze" });
  await world.reaches(
    subscriptions,
    other,
    "offers 0.4.1 again",
    ({ status }) => status?.installPlanRef?.uid === offered.metadata.uid,
  );
  await world.settled();
  const plan = await planFor("ballast-cache.v0.4.1");
  assert.deepEqual([plan.status?.phase, installedOf(plan)?.reason], ["RequiresApproval", "Unknown"]);
});
