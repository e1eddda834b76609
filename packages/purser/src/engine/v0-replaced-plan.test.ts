import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterExtensions, clusterServiceVersions, installPlans, subscriptions } from "../apis/olm-resources.ts";
import type { InstallPlan, Step, StepStatus } from "../apis/v0/install-plan.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world?.stop());

const planOf = async (namespace: string, csv: string): Promise<InstallPlan | undefined> =>
  (await world.client.list(installPlans, { namespace })).find(({ spec }) =>
    spec.clusterServiceVersionNames.includes(csv),
  );

test("an InstallPlan that waits for a CRD of a ClusterExtension waits no longer when its operator was replaced", async () => {
  const namespace = "waiting";
  const crd = "caches.ballast.demo.purser.dev";
  await world.extend("ballast-cache", "0.4.1");
  await world.reaches(clusterExtensions, { name: "ballast-cache" }, "installed", ({ status }) =>
    (status?.conditions ?? []).some(({ type, reason }) => type === "Progressing" && reason === "Succeeded"),
  );
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", { startingCSV: "logbook-db.v1.2.0" });
  const second = await world.until("a plan", () => planOf(namespace, "logbook-db.v1.2.0"));
  const crdStep = (resolving: string, status: StepStatus): Step => ({
    resolving,
    resource: {
      name: crd,
      kind: "CustomResourceDefinition",
      group: "apiextensions.k8s.io",
      version: "v1",
      manifest: "{}",
      sourceName: "demo",
      sourceNamespace: "olm",
    },
    status,
  });
  await world.create(installPlans, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: { namespace, name: "first" },
    spec: {
      approval: "Automatic",
      approved: true,
      clusterServiceVersionNames: ["logbook-db.v1.1.0"],
      generation: (second.spec.generation ?? 0) - 1,
    },
  });
  // What is done already waits for nothing either.
  const plan = [crdStep("logbook-db.v1.2.0", "Created"), crdStep("logbook-db.v1.1.0", "Unknown")];
  await world.reaches(clusterServiceVersions, { namespace, name: "logbook-db.v1.2.0" }, "there", () => true);
  const patched = await world.client.write(
    {
      verb: "patch",
      type: installPlans,
      key: { namespace, name: "first" },
      subresource: "status",
      patchType: "merge",
      patch: { status: { phase: "Installing", catalogSources: [], plan } } as never,
    },
    new AbortController().signal,
  );
  assert.ok(patched.ok);
  const ended = await world.reaches(
    installPlans,
    { namespace, name: "first" },
    "complete",
    ({ status }) => status?.phase === "Complete",
  );
  assert.equal(
    ended.status?.message,
    "the remaining steps of logbook-db.v1.1.0 are skipped: a later version has replaced it",
  );
});

test("an InstallPlan that ends after its operator was upgraded is complete and brings nothing of it back", async () => {
  const namespace = "late";
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", {
    startingCSV: "logbook-db.v1.0.0",
    installPlanApproval: "Manual",
  });
  // Its first status is written before the writes are counted: the one that passes is that of its start.
  const first = await world.until("a plan", async () => {
    const plan = await planOf(namespace, "logbook-db.v1.0.0");
    return plan?.status?.phase === "RequiresApproval" && plan;
  });
  const status = `/installplans/${first.metadata.name}/status`;
  // What the plan has done is not recorded, as when the process is killed each time before it writes that.
  let started = false;
  world.disturb = ({ method, path }, moment) => {
    if (method !== "PUT" || !path.endsWith(status)) return;
    if (started && moment === "before") throw new Error("connection lost");
    started ||= moment === "after";
  };
  await world.approve(namespace, "logbook-db.v1.0.0");
  for (const csv of ["logbook-db.v1.1.0", "logbook-db.v1.2.0"]) await world.approve(namespace, csv);
  await world.reaches(
    subscriptions,
    { namespace, name: "logbook-db" },
    "at the head",
    ({ status: shown }) => shown?.state === "AtLatestKnown" && shown.installedCSV === "logbook-db.v1.2.0",
  );
  for (const name of ["logbook-db.v1.0.0", "logbook-db.v1.1.0"])
    await world.vanishes(clusterServiceVersions, { namespace, name });
  // What others still write about the upgrade is none of the plan's work.
  await world.settled();
  const before = world.engineWrites.length;
  world.disturb = undefined;
  const name = first.metadata.name ?? "";
  const ended = await world.reaches(
    installPlans,
    { namespace, name },
    "ended",
    (plan) => plan.status?.phase === "Complete" || plan.status?.phase === "Failed",
  );
  await world.settled();
  assert.equal(ended.status?.phase, "Complete");
  assert.deepEqual(
    world.engineWrites.slice(before).filter(({ path }) => !path.endsWith(status) && !path.includes("/events")),
    [],
  );
  assert.deepEqual(
    (await world.client.list(clusterServiceVersions, { namespace })).map((csv) => [
      csv.metadata.name,
      csv.status?.phase,
    ]),
    [["logbook-db.v1.2.0", "Succeeded"]],
  );
});
