// Upgrades that are not ready in time go back by themselves where an update policy says `rollback: BeforeReady`.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { events } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { clusterExtensions, clusterObjectSets, clusterUpdatePolicies } from "../apis/olm-resources.ts";
import { rolledBackOf } from "../apis/policy/rolled-back.ts";
import { timePasses } from "./testing/passing-time.ts";
import { World } from "./testing/world.ts";

const never = new AbortController().signal;
const name = "logbook-db";
const minuteMs = 60_000;

interface Cluster {
  readonly world: World;
  readonly clock: VirtualClock;
}

/** logbook-db 1.0.0 is installed, and the pods of 1.1.0 are never placed; `change` is made to the files of 1.1.0. */
async function inCluster(
  rollback: string,
  work: (cluster: Cluster) => Promise<void>,
  change: (file: string, text: string) => string = (_, text) => text,
): Promise<void> {
  const clock = new VirtualClock(Date.now());
  const world = await World.open({ clock });
  try {
    const directory = join(world.bundlesDirectory, name, "1.1.0", "manifests");
    for (const file of ["logbook-db.clusterserviceversion.yaml", "ledgers.crd.yaml"]) {
      const text = await readFile(join(directory, file), "utf8");
      const broken = file.includes("crd")
        ? text
        : text.replace(
            /^( +)serviceAccountName: (?=.*\n +containers:)/m,
            '$1nodeSelector: {absent: "true"}\n$1serviceAccountName: ',
          );
      await writeFile(join(directory, file), change(file, broken));
    }
    const policy = { apiVersion: "purser.dev/v1alpha1", kind: "ClusterUpdatePolicy", metadata: { name: "back" } };
    const made = await world.client.write(
      { verb: "create", type: clusterUpdatePolicies, object: { ...policy, spec: { rollback } } as never },
      never,
    );
    assert.ok(made.ok, JSON.stringify(made));
    await world.extend(name, "1.0.0");
    await eventually({ world, clock }, async () => (await versionOf(world)) === "1.0.0");
    await world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version: "<1.2.0" } } } });
    await eventually({ world, clock }, async () => (await bundles(world)).length === 2);
    await work({ world, clock });
  } finally {
    await world.stop();
  }
}

/** The API server has its own clock, so that pods become ready in real time. */
async function eventually({ world, clock }: Cluster, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    assert.ok(tries < 3000, "it never becomes so");
    await timePasses(world, clock, 10);
    await systemClock.sleep(20, never);
  }
}

const extensionIn = async (world: World) =>
  (await world.client.get(clusterExtensions, { name })) ?? assert.fail("gone");
const versionOf = async (world: World) => (await extensionIn(world)).status?.install?.bundle.version;
const rolledBack = async (world: World) => {
  const found = findCondition((await extensionIn(world)).status?.conditions, "RolledBack");
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
};
/** The bundles of the revisions, oldest first. */
async function bundles(world: World): Promise<readonly (string | undefined)[]> {
  const sets = await world.client.list(clusterObjectSets);
  return sets
    .toSorted((one, other) => (one.spec?.revision ?? 0) - (other.spec?.revision ?? 0))
    .map(({ metadata }) => metadata.annotations?.["olm.operatorframework.io/bundle-name"]);
}

test("an upgrade that was not ready in ten minutes goes back, once, and is offered again by unhold alone", () =>
  inCluster("BeforeReady", async ({ world, clock }) => {
    await timePasses(world, clock, 7 * minuteMs);
    assert.equal(await rolledBack(world), undefined);
    assert.equal((await bundles(world)).length, 2);
    await timePasses(world, clock, 4 * minuteMs);
    await eventually({ world, clock }, async () => (await rolledBack(world))?.startsWith("True") === true);
    const record = rolledBackOf((await extensionIn(world)).metadata);
    assert.ok(record !== undefined);
    assert.deepEqual(
      [record.bundle, record.to, record.because],
      ["logbook-db.v1.1.0", "logbook-db.v1.0.0", "not ready within 10 minutes"],
    );
    assert.match(record.plan, /^sha256:[0-9a-f]{64}$/);
    const sentence = `logbook-db.v1.1.0 was not ready within 10 minutes, so at ${record.at} it was rolled back to logbook-db.v1.0.0 by the plan ${record.plan}`;
    assert.equal(await rolledBack(world), `True BeforeReady: ${sentence}. End the hold: purser unhold ext/logbook-db`);
    const said = (await world.client.list(events)).filter(({ reason }) => reason === "RolledBack");
    assert.deepEqual(
      said.map(({ type, message }) => `${type} ${message}`),
      [`Warning ${sentence}; it is held back until: purser unhold ext/logbook-db`],
    );
    const { status } = await extensionIn(world);
    assert.equal(status?.install?.bundle.version, "1.0.0");
    assert.equal(findCondition(status?.conditions, "Progressing")?.reason, "Succeeded");
    assert.equal(
      findCondition(status?.conditions, "UpdateHeld")?.message,
      `logbook-db.v1.1.0 is held back by ClusterUpdatePolicy back: rolled back at ${record.at}, because it was not ready within 10 minutes. end the hold: purser unhold ext/logbook-db`,
    );
    const after = await bundles(world);
    await timePasses(world, clock, 60 * minuteMs);
    assert.deepEqual(await bundles(world), after);
    // What purser unhold writes.
    const annotations: JsonObject = { "purser.dev/rolled-back": null };
    await world.merge(clusterExtensions, { name }, { metadata: { annotations } });
    await eventually({ world, clock }, async () => (await bundles(world)).length > after.length);
  }));

test("an upgrade that is not ready stays where a policy says Checked", () =>
  inCluster("Checked", async ({ world, clock }) => {
    await timePasses(world, clock, 30 * minuteMs);
    assert.deepEqual(await bundles(world), ["logbook-db.v1.0.0", "logbook-db.v1.1.0"]);
    assert.equal(await rolledBack(world), undefined);
  }));

test("an upgrade whose CRD has a field that the former one lacks does not go back by itself", () =>
  inCluster(
    "BeforeReady",
    async ({ world, clock }) => {
      await timePasses(world, clock, 30 * minuteMs);
      assert.deepEqual(await bundles(world), ["logbook-db.v1.0.0", "logbook-db.v1.1.0"]);
      const text = (await rolledBack(world)) ?? "";
      assert.match(
        text,
        /^False CrdUnsafe: logbook-db\.v1\.1\.0 does not go back to logbook-db\.v1\.0\.0 by itself: .*removed.*see what cannot be undone, then decide: purser rollback ext\/logbook-db --dry-run$/,
      );
    },
    (file, text) =>
      file.includes("crd")
        ? text.replace(/^( +)(spec:\n +type: object\n +properties:\n)( +)/m, "$1$2$3added: {type: string}\n$3")
        : text,
  ));
