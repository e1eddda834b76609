// Upgrades of Subscriptions whose new version does not succeed go back by themselves where an update policy says `rollback: BeforeReady`.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { customResourceDefinitions, deployments, events, replicaSets } from "@purser/kubernetes/apis/resources";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { clusterServiceVersions, installPlans, subscriptions, updatePolicies } from "../apis/olm-resources.ts";
import { rolledBackOf } from "../apis/policy/rolled-back.ts";
import { timePasses } from "./testing/passing-time.ts";
import { World } from "./testing/world.ts";

const never = new AbortController().signal;
const minuteMs = 60_000;
const clock = new VirtualClock(Date.now());
let world: World;

/** The pods of these versions are never placed. */
const broken = ["logbook-db/1.1.0", "ballast-cache/0.4.0"];

before(async () => {
  world = await World.open({ clock });
  for (const version of broken) {
    const [name = ""] = version.split("/");
    const file = join(world.bundlesDirectory, version, "manifests", `${name}.clusterserviceversion.yaml`);
    const text = await readFile(file, "utf8");
    await writeFile(
      file,
      text.replace(
        /^( +)serviceAccountName: (?=.*\n +containers:)/m,
        '$1nodeSelector: {absent: "true"}\n$1serviceAccountName: ',
      ),
    );
  }
});
after(() => world.stop());

/** The API server has its own clock, so that pods become ready in real time. */
async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    if (tries >= 3000) assert.fail(`never: ${what}; ${JSON.stringify(await standing())}`);
    await timePasses(world, clock, 10);
    await systemClock.sleep(20, never);
  }
}

/** For the message of a failed wait. */
async function standing(): Promise<readonly unknown[]> {
  const csvs = await world.client.list(clusterServiceVersions);
  const subs = await world.client.list(subscriptions);
  const shown = subs.map(({ metadata: { annotations }, status }) => [
    status?.currentCSV,
    status?.conditions,
    annotations,
  ]);
  const plans = await world.client.list(installPlans);
  return [
    ...shown,
    ...[...csvs, ...plans].map(({ metadata, status }) => {
      const { conditions, phase } = status ?? {};
      return [metadata.namespace, metadata.name, phase, conditions?.at(-1)?.message];
    }),
  ];
}

async function policy(namespace: string, rollback: string): Promise<void> {
  const object = { apiVersion: "purser.dev/v1alpha1", kind: "UpdatePolicy", metadata: { namespace, name: "back" } };
  await world.create(updatePolicies, { ...object, spec: { rollback } } as never);
}

/** `NAME PHASE` of each CSV. */
async function csvsIn(namespace: string): Promise<readonly string[]> {
  const csvs = await world.client.list(clusterServiceVersions, { namespace });
  return csvs.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).sort();
}

async function subscriptionIn(namespace: string, name = "logbook-db") {
  return (await world.client.get(subscriptions, { namespace, name })) ?? assert.fail("gone");
}

async function conditionIn(namespace: string, type: string, name?: string): Promise<string | undefined> {
  const { status } = await subscriptionIn(namespace, name);
  const found = status?.conditions?.find((one) => one.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
}

/** Installs a version and approves its upgrade, which does not succeed. */
async function upgrading(namespace: string, name: string, from: string, to: string): Promise<void> {
  await world.tenant(namespace);
  await world.subscribe(namespace, name, { startingCSV: `${name}.v${from}`, installPlanApproval: "Manual" });
  await approved(namespace, `${name}.v${from}`);
  await isBack(namespace, `${name}.v${from}`);
  await approved(namespace, `${name}.v${to}`);
  await eventually(`${to} installs`, async () => (await csvsIn(namespace)).includes(`${name}.v${to} Installing`));
}

async function approved(namespace: string, csv: string): Promise<void> {
  await eventually(`${csv} is offered`, async () => {
    const plans = await world.client.list(installPlans, { namespace });
    return plans.some(
      ({ spec, status }) =>
        spec.clusterServiceVersionNames.includes(csv) && status?.phase === "RequiresApproval" && !spec.approved,
    );
  });
  await world.approve(namespace, csv);
}

const isBack = (namespace: string, csv: string): Promise<void> =>
  eventually(`${csv} succeeds alone`, async () => (await csvsIn(namespace)).join() === `${csv} Succeeded`);

/** What `purser unhold` writes. */
const unhold = (namespace: string): Promise<void> =>
  world.merge(
    subscriptions,
    { namespace, name: "logbook-db" },
    { metadata: { annotations: { "purser.dev/rolled-back": null } } },
  );

/** So that no later test sees what happens here. */
async function remove(namespace: string, name = "logbook-db"): Promise<void> {
  await world.remove(subscriptions, { namespace, name });
  for (const { metadata } of await world.client.list(clusterServiceVersions, { namespace }))
    await world.remove(clusterServiceVersions, { namespace, name: metadata.name ?? "" });
  await eventually("nothing is left", async () => (await csvsIn(namespace)).length === 0);
}

test("an upgrade that has not succeeded in ten minutes goes back, once, and is offered again by unhold alone", async () => {
  const namespace = "back";
  await world.namespace(namespace);
  await policy(namespace, "BeforeReady");
  await upgrading(namespace, "logbook-db", "1.0.0", "1.1.0");
  const key = { namespace, name: "logbook-db-controller" };
  const served = (await world.client.get(deployments, key))?.metadata.uid;
  const pods = async () =>
    (await world.client.list(replicaSets, { namespace })).map(({ status }) => status?.readyReplicas ?? 0);
  await timePasses(world, clock, 7 * minuteMs);
  assert.equal(await conditionIn(namespace, "RolledBack"), undefined);
  await timePasses(world, clock, 4 * minuteMs);
  await isBack(namespace, "logbook-db.v1.0.0");
  await eventually("it is shown", async () => (await conditionIn(namespace, "UpdateHeld")) !== undefined);
  const { metadata, status } = await subscriptionIn(namespace);
  const record = rolledBackOf(metadata) ?? assert.fail("no record");
  assert.deepEqual(
    [record.bundle, record.to, record.because],
    ["logbook-db.v1.1.0", "logbook-db.v1.0.0", "not ready within 10 minutes"],
  );
  assert.match(record.plan, /^sha256:[0-9a-f]{64}$/);
  assert.deepEqual(
    [status?.installedCSV, status?.currentCSV, status?.state],
    ["logbook-db.v1.0.0", "logbook-db.v1.0.0", "AtLatestKnown"],
  );
  const sentence = `logbook-db.v1.1.0 was not ready within 10 minutes, so at ${record.at} it was rolled back to logbook-db.v1.0.0 by the plan ${record.plan}`;
  assert.equal(
    await conditionIn(namespace, "RolledBack"),
    `True BeforeReady: ${sentence}. End the hold: purser unhold sub/back/logbook-db`,
  );
  assert.equal(
    await conditionIn(namespace, "UpdateHeld"),
    `True VersionHeld: logbook-db.v1.1.0 is held back by UpdatePolicy back/back: rolled back at ${record.at}, because it was not ready within 10 minutes. end the hold: purser unhold sub/back/logbook-db`,
  );
  const said = (await world.client.list(events, { namespace })).filter(({ reason }) => reason === "RolledBack");
  assert.deepEqual(
    said.map(({ type, message }) => `${type} ${message}`),
    [`Warning ${sentence}; it is held back until: purser unhold sub/back/logbook-db`],
  );
  // The Deployment was handed over, not made anew, so the pod of 1.0.0 went on.
  const live = await world.client.get(deployments, key);
  assert.equal(live?.metadata.uid, served);
  assert.deepEqual(
    live?.metadata.ownerReferences?.map(({ name }) => name),
    ["logbook-db.v1.0.0"],
  );
  assert.equal((await pods()).filter((ready) => ready > 0).length, 1);
  assert.ok(
    (await world.client.get(customResourceDefinitions, { name: "ledgers.logbook.demo.purser.dev" })) !== undefined,
  );
  await timePasses(world, clock, 60 * minuteMs);
  assert.deepEqual(await csvsIn(namespace), ["logbook-db.v1.0.0 Succeeded"]);
  await unhold(namespace);
  await approved(namespace, "logbook-db.v1.1.0");
  await eventually("it is tried again", async () => (await csvsIn(namespace)).includes("logbook-db.v1.1.0 Installing"));
  assert.deepEqual(await csvsIn(namespace), ["logbook-db.v1.0.0 Replacing", "logbook-db.v1.1.0 Installing"]);
  await remove(namespace);
});

test("a second hop that fails goes back to the first", async () => {
  const namespace = "hops";
  await world.namespace(namespace);
  await policy(namespace, "BeforeReady");
  await upgrading(namespace, "ballast-cache", "0.3.0", "0.4.0");
  await timePasses(world, clock, 11 * minuteMs);
  await isBack(namespace, "ballast-cache.v0.3.0");
  await remove(namespace, "ballast-cache");
});

test("an upgrade that does not succeed stays where a policy says Checked", async () => {
  const namespace = "checked";
  await world.namespace(namespace);
  await policy(namespace, "Checked");
  await upgrading(namespace, "logbook-db", "1.0.0", "1.1.0");
  await timePasses(world, clock, 30 * minuteMs);
  assert.equal((await csvsIn(namespace))[0], "logbook-db.v1.0.0 Replacing");
  assert.equal((await csvsIn(namespace)).length, 2);
  assert.equal(await conditionIn(namespace, "RolledBack"), undefined);
  await remove(namespace);
});

/** Lets the upgrade be past its time; the process ends after the write of that number. Returns the writes until the end. */
async function goesBack(namespace: string, killedAt = 0): Promise<number> {
  const death = Promise.withResolvers<undefined>();
  let [writes, isDead] = [0, false];
  world.disturb = ({ path }, side) => {
    if (!isDead && side === "after" && !path.includes("/events") && ++writes === killedAt) {
      isDead = true;
      death.resolve(undefined);
    }
    if (isDead) throw new Error("the process has ended");
  };
  clock.advance(11 * minuteMs);
  const ended = (async () => {
    while (!isDead && (await csvsIn(namespace)).join() !== "logbook-db.v1.0.0 Succeeded") {
      await systemClock.sleep(20, never);
      if (!isDead) clock.advance(10);
    }
  })();
  await Promise.race([death.promise, ended]);
  await ended;
  if (isDead)
    await world.restartEngine(() => {
      world.disturb = undefined;
    });
  await isBack(namespace, "logbook-db.v1.0.0");
  await timePasses(world, clock, 1000);
  world.disturb = undefined;
  return writes;
}

test("a rollback ends the same when the process ends at any write", async () => {
  const namespace = "kills";
  await world.namespace(namespace);
  await policy(namespace, "BeforeReady");
  await upgrading(namespace, "logbook-db", "1.0.0", "1.1.0");
  const all = await goesBack(namespace);
  assert.ok(all >= 10, `${all} writes`);
  const rounds = process.env["PURSER_TEST_KILLS"] === "all" ? all : 4;
  for (let round = 1; round <= rounds; round++) {
    const killedAt = Math.ceil((round * all) / rounds);
    const when = `stopped at write ${killedAt} of ${all}`;
    await unhold(namespace);
    await approved(namespace, "logbook-db.v1.1.0");
    await eventually("it is tried again", async () =>
      (await csvsIn(namespace)).includes("logbook-db.v1.1.0 Installing"),
    );
    await goesBack(namespace, killedAt);
    const { metadata, status } = await subscriptionIn(namespace);
    const csv = "logbook-db.v1.0.0";
    assert.deepEqual(
      [rolledBackOf(metadata)?.bundle, status?.installedCSV, status?.currentCSV, status?.state],
      ["logbook-db.v1.1.0", csv, csv, "AtLatestKnown"],
      when,
    );
    const live = await world.client.get(deployments, { namespace, name: "logbook-db-controller" });
    const owners = live?.metadata.ownerReferences?.map(({ name }) => name);
    assert.deepEqual(owners, [csv], when);
  }
});
