import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { configMaps, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, clusterServiceVersions, installPlans, subscriptions } from "../src/apis/olm-resources.ts";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Entropy } from "@purser/kubernetes/entropy";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { Driver } from "./driver.ts";
import { clientDriver } from "./driver.ts";
import { eventually } from "./eventually.ts";
import { extension, namespace } from "./flow-steps.ts";
import { spawnPurser, startPurser } from "./purser-process.ts";
import type { ClusterConnection } from "./surroundings.ts";
import { connectWith, freshSurroundings, patient } from "./surroundings.ts";

/** The stops at every single write are in `src/engine/v0-kills.test.ts` and `v1-kills.test.ts`; these are of a whole process with its data file. */
const kills = process.env["PURSER_TEST_KILLS"] === "all" ? 50 : 18;
/**
 * A process that is killed within a second or two does not earn back what V8's optimizing compilers cost, and collects less
 * garbage when it has room from the start: together a tenth of this test's work.
 */
const forShortLives = [
  "--no-opt",
  "--no-maglev",
  "--min-semi-space-size=16",
  "--max-semi-space-size=16",
  "--initial-old-space-size=128",
];
/** Number of kills after which the next installation begins. */
const killsPerInstallation = kills / 6;
const seed = Number(process.env["PURSER_TEST_SEED"] ?? "20260107");
const surroundings = freshSurroundings();
const kubeconfig = surroundings.path("kubeconfig");

/** Writes that the server acknowledged. */
interface Acknowledged {
  readonly notes: string[];
  readonly namespaces: string[];
  /** What the extension may be: one state, or two while a request for it is not answered (or never was). */
  extension: readonly ExtensionState[];
}

/** The version range the extension asks for. */
type ExtensionState = "absent" | "0.3.x" | "0.4.x";

const installation = (where: string): string =>
  [
    namespace(where),
    JSON.stringify({
      apiVersion: "operators.coreos.com/v1",
      kind: "OperatorGroup",
      metadata: { name: "group", namespace: where },
      spec: { targetNamespaces: [where] },
    }),
    JSON.stringify({
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: { name: "logbook-db", namespace: where },
      spec: {
        name: "logbook-db",
        source: "demo",
        sourceNamespace: "olm",
        channel: "stable",
        startingCSV: "logbook-db.v1.0.0",
        installPlanApproval: "Automatic",
      },
    }),
  ].join("\n---\n");

async function writeNote({ client }: ClusterConnection, name: string, { notes }: Acknowledged): Promise<void> {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
  const result = await client.write({ verb: "create", type: configMaps, object }, patient);
  if (result.ok) notes.push(name);
}

/** Creates ConfigMaps one after the other until the server is killed. */
async function writeNotes(cluster: ClusterConnection, round: number, acknowledged: Acknowledged): Promise<void> {
  for (let number = 0; ; number++) {
    await writeNote(cluster, `note-${round}-${number}`, acknowledged);
    await pause(15);
  }
}

/** The next installation of each family begins or goes on. */
async function act(driver: Driver, round: number, acknowledged: Acknowledged): Promise<void> {
  const where = `crash-${round}`;
  await driver.apply(installation(where));
  acknowledged.namespaces.push(where);
  const key = { name: "ballast-cache" };
  const ask = async (from: ExtensionState, to: ExtensionState, request: () => Promise<unknown>): Promise<void> => {
    acknowledged.extension = [from, to];
    await request();
    acknowledged.extension = [to];
  };
  const now = await driver.get(clusterExtensions, key);
  if (now === undefined)
    await ask("absent", "0.3.x", () => driver.apply(extension("ballast-cache", "demo-cache", { version: "0.3.x" })));
  else if (now.metadata.deletionTimestamp !== undefined) acknowledged.extension = ["absent"];
  else if (now.spec?.source.catalog?.version === "0.3.x")
    await ask("0.3.x", "0.4.x", () =>
      driver.merge(clusterExtensions, key, { spec: { source: { catalog: { version: "0.4.x" } } } }),
    );
  else await ask("0.4.x", "absent", () => driver.remove(clusterExtensions, key));
}

/** Resolves at the n-th change of what a plan works on: between two of its steps, when one is at work. */
async function changesSeen({ client }: ClusterConnection, count: number): Promise<void> {
  let seen = 0;
  const watchOne = async (type: ResourceType): Promise<void> => {
    const { resourceVersion } = await client.page(type, {}, { limit: 1 }, patient);
    for await (const _event of client.watch(type, {}, { resourceVersion }, patient)) if (++seen >= count) return;
  };
  await Promise.race([installPlans, clusterServiceVersions, serviceAccounts].map(watchOne));
}

async function everythingIsThere({ client }: ClusterConnection, acknowledged: Acknowledged): Promise<void> {
  const [notes, subs] = await Promise.all([
    client.list(configMaps, { namespace: "default" }),
    client.list(subscriptions),
  ]);
  const found = new Set([
    ...notes.map(({ metadata }) => metadata.name),
    ...subs.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  ]);
  const wanted = [...acknowledged.notes, ...acknowledged.namespaces.map((where) => `${where}/logbook-db`)];
  assert.deepEqual(
    wanted.filter((name) => !found.has(name)),
    [],
    "objects are missing that were acknowledged",
  );
}

/** One life of the process: up, checked, given work, killed. Gives whether it became ready before. */
async function live(round: number, entropy: Entropy, acknowledged: Acknowledged): Promise<boolean> {
  const up = spawnPurser(["up", "--write-kubeconfig", kubeconfig], surroundings.env, forShortLives);
  const gone = (): undefined => undefined;
  const manner = entropy.fraction();
  const [moment, changes] = [entropy.fraction(), 1 + Math.floor(entropy.fraction() * 15)];
  if (manner < 0.3) {
    await Promise.race([pause(100 + moment * 900), up.ready]);
    await up.stop("SIGKILL");
    return false;
  }
  await up.ready;
  const cluster = connectWith(kubeconfig);
  try {
    await everythingIsThere(cluster, acknowledged);
    // On a slow machine no installation would begin: one that a kill prevented is acknowledged before the next kill.
    const isLate = acknowledged.namespaces.length < Math.floor(round / killsPerInstallation);
    const driver = clientDriver(cluster.client);
    if (isLate) await act(driver, round, acknowledged);
    // On a slow machine no write would be acknowledged before a kill.
    if (acknowledged.notes.length < round / 2) await writeNote(cluster, `first-${round}`, acknowledged);
    const watched = manner < 0.65 ? undefined : changesSeen(cluster, changes).catch(gone);
    const working = [
      writeNotes(cluster, round, acknowledged).catch(gone),
      !isLate && Math.floor(round / killsPerInstallation) > Math.floor((round - 1) / killsPerInstallation)
        ? act(driver, round, acknowledged).catch(gone)
        : undefined,
    ];
    await (watched === undefined ? pause(moment * 400) : Promise.race([watched, pause(600)]));
    await up.stop("SIGKILL");
    await Promise.all(working.filter((work) => work !== undefined));
  } finally {
    cluster.close();
    await up.stop("SIGKILL");
  }
  return true;
}

/** A plan that failed stays so; one that is under way is waited for. */
async function everyPlanIsComplete(driver: Driver): Promise<void> {
  const saidOfPlans = async (phases: (phase: string | undefined) => boolean): Promise<string> =>
    (await driver.list(installPlans))
      .filter(({ metadata, status }) => metadata.namespace !== "demo-logbook" && phases(status?.phase))
      .map(({ metadata, spec, status }) =>
        [
          `${metadata.namespace}/${metadata.name}`,
          ...spec.clusterServiceVersionNames,
          `${status?.phase} since ${status?.startTime}: ${status?.message}`,
          JSON.stringify(status?.conditions),
          ...(status?.plan ?? []).map((step) => `${step.resource.kind} ${step.resource.name} ${step.status}`),
        ].join("\n  "),
      )
      .join("\n");
  await eventually("no plan is left under way", async () => {
    const left = await saidOfPlans((phase) => phase !== "Complete" && phase !== "Failed");
    return left === "" ? undefined : left;
  });
  assert.equal(await saidOfPlans((phase) => phase !== "Complete"), "", "a plan failed");
}

async function everythingFinishes(cluster: ClusterConnection, acknowledged: Acknowledged): Promise<void> {
  const driver = clientDriver(cluster.client);
  for (const where of acknowledged.namespaces)
    await eventually(`the installation in ${where} is at its head`, async () => {
      const status = (await driver.get(subscriptions, { namespace: where, name: "logbook-db" }))?.status;
      const csvs = (await driver.list(clusterServiceVersions, where)).map(
        (csv) => `${csv.metadata.name} ${csv.status?.phase}`,
      );
      const said = `${status?.state} ${status?.installedCSV}: ${csvs.join(", ")}`;
      if (said === "AtLatestKnown logbook-db.v1.2.0: logbook-db.v1.2.0 Succeeded") return undefined;
      const plans = (await driver.list(installPlans, where)).map(
        (plan) => `${plan.metadata.name} ${plan.spec.clusterServiceVersionNames.join("+")} ${plan.status?.phase}`,
      );
      const why = (await driver.list(clusterServiceVersions, where)).map((csv) =>
        [
          csv.status?.message,
          ...(csv.status?.requirementStatus ?? [])
            .filter(({ status }) => !/^(Present|Satisfied)$/.test(status))
            .map((lack) => JSON.stringify(lack)),
        ].join(" "),
      );
      return `${said} (${why.join("; ")}); ${plans.join(", ")}; ${JSON.stringify(status?.conditions)}`;
    });
  await everyPlanIsComplete(driver);
  await eventually("the extension is what was asked for last", async () => {
    const found = await driver.get(clusterExtensions, { name: "ballast-cache" });
    const progressing = findCondition(found?.status?.conditions, "Progressing");
    const range = found?.spec?.source.catalog?.version;
    const installed = found?.status?.install?.bundle.version;
    const settled = installed === (range === "0.3.x" ? "0.3.0" : "0.4.1") && progressing?.reason === "Succeeded";
    return acknowledged.extension.some((state) =>
      found === undefined ? state === "absent" : settled && state === range,
    )
      ? undefined
      : `wanted ${acknowledged.extension.join(" or ")}, asks for ${range}, installed is ${installed}, deleted since ${found?.metadata.deletionTimestamp} (${found?.metadata.finalizers?.join(", ")}): ${progressing?.reason} ${progressing?.message}`;
  });
  await eventually("the demo waits for its visitor", async () => {
    const demo = await driver.get(subscriptions, { namespace: "demo-logbook", name: "logbook-db" });
    const said = `${demo?.status?.state} ${demo?.status?.installedCSV} ${demo?.status?.currentCSV}`;
    return said === "UpgradePending logbook-db.v1.0.0 logbook-db.v1.1.0" ? undefined : said;
  });
}

test(`${kills} SIGKILLs at any moment lose nothing that was acknowledged, and the installations finish`, async () => {
  const entropy = new SeededEntropy(seed);
  // The demo has made the extension.
  const acknowledged: Acknowledged = { notes: [], namespaces: [], extension: ["0.4.x"] };
  let ready = 0;
  let killed = 0;
  try {
    for (; killed < kills; killed++) if (await live(killed, entropy, acknowledged)) ready++;
    const up = await startPurser(["up", "--write-kubeconfig", kubeconfig], surroundings.env);
    const cluster = connectWith(kubeconfig);
    try {
      await everythingIsThere(cluster, acknowledged);
      await everythingFinishes(cluster, acknowledged);
    } finally {
      cluster.close();
      await up.stop("SIGTERM");
    }
    assert.ok(ready >= kills / 3 && ready < kills, `${ready} of ${kills} kills came after Ready`);
    assert.ok(acknowledged.notes.length >= kills / 4, "clients wrote while the process was killed");
    assert.ok(acknowledged.namespaces.length > 2, "installations were under way");
  } catch (error) {
    throw new Error(`after ${killed} kills, PURSER_TEST_SEED=${seed}: ${String(error)}`, { cause: error });
  }
});
