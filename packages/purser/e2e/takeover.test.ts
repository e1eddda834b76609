// A cluster goes from OLM v0 to Purser and back. It needs a real cluster, in which pods become ready, and a program that runs OLM
// against it: PURSER_E2E_KUBECONFIG=FILE PURSER_E2E_OLM=PROGRAM, started as `PROGRAM DIR --kubeconfig FILE` until it is stopped.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, test } from "node:test";
import { clusterServiceVersions, installPlans, subscriptions } from "../src/apis/olm-resources.ts";
import type { InstallPlan } from "../src/apis/v0/install-plan.ts";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { configMaps, deployments, namespaces } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { catalogSources, operatorGroups } from "../src/apis/olm-resources.ts";
import { eventually } from "./eventually.ts";
import { startManager } from "./manager-process.ts";
import { purser, startPurser } from "./purser-process.ts";
import { connectWith, freshSurroundings, patient } from "./surroundings.ts";
import { takeoverCatalog } from "./takeover-catalog.ts";

const kubeconfig = process.env["PURSER_E2E_KUBECONFIG"];
const olm =
  process.env["PURSER_E2E_OLM"] ?? resolve(import.meta.dirname, "../../../../shared/tools/upstream-e2e/start-upstream");
const skip =
  kubeconfig === undefined
    ? "not here: PURSER_E2E_KUBECONFIG names no cluster"
    : existsSync(olm)
      ? false
      : "not here: PURSER_E2E_OLM names no program that runs OLM";

/** Where OLM looks for catalogs of every namespace when it is started this way. */
const globalNamespace = "operator-lifecycle-manager";
const namespace = `takeover-${process.pid}`;
/** With one Subscription that waits for approval: OLM would make all InstallPlans of its namespace wait. */
const waitingNamespace = `${namespace}-waiting`;
const stuckNamespace = `${namespace}-stuck`;
const witnessNamespace = `${namespace}-witness`;
const operatorApi = "operators.coreos.com/v1alpha1";

const startOlm = (directory: string, file: string): Promise<() => Promise<void>> =>
  startManager(olm, [directory, "--kubeconfig", file], { PACKAGES: "none" });

describe("a cluster goes from OLM v0 to Purser and back", { skip }, () => {
  const file = kubeconfig ?? "";
  const surroundings = freshSurroundings();

  test("no Deployment rolls out, upgrades go on, and plans pending approval are kept", async () => {
    const { client, close } = connectWith(file);
    const stops: (() => Promise<unknown>)[] = [];
    const running = async (stop: () => Promise<unknown>): Promise<() => Promise<void>> => {
      stops.push(stop);
      return async () => {
        stops.splice(stops.indexOf(stop), 1);
        await stop();
      };
    };
    try {
      let stop = await running(await startOlm(surroundings.path("olm-before"), file));
      await prepare(client);
      for (const name of ["still.v1", "moving.v1"]) await succeeds(client, name);
      await waits(client);
      await configured(client);
      for (const name of ["still.v1", "moving.v1"]) await succeeds(client, name);
      await stop();
      const first = await shape(client);
      assert.equal(Object.keys(first).length, 4);

      const flags = ["--kubeconfig", file, "--global-namespace", globalNamespace];
      const doctor = () => purser(["doctor", "takeover", ...flags, "-o", "json"], surroundings.env);
      await scaleDown(client, (await doctor()).stdout);
      const report = await doctor();
      assert.equal(report.code, 0, report.stdout + report.stderr);

      const engine = await startPurser(
        ["run", ...flags, "--install-crds", "--catalog-address", "none", "--no-package-api"],
        surroundings.env,
      );
      stop = await running(() => engine.stop("SIGTERM"));
      await offer(client, { still: 1, moving: 2 });
      await succeeds(client, "moving.v2");
      // The very InstallPlan that OLM made.
      await approve(client);
      await succeeds(client, "held.v1", waitingNamespace);
      const second = await shape(client);
      assert.deepEqual(of(second, "still"), of(first, "still"));
      assert.equal(await images(client), "example.com/moving:2");
      await stop();

      stop = await running(await startOlm(surroundings.path("olm-after"), file));
      await offer(client, { still: 1, moving: 3 });
      await succeeds(client, "moving.v3");
      const third = await shape(client);
      assert.deepEqual(of(third, "still"), of(first, "still"));
      assert.deepEqual(of(third, "held"), of(second, "held"));
      await stop();
    } finally {
      for (const stop of stops) await stop();
      for (const name of [namespace, waitingNamespace])
        await client.write({ verb: "delete", type: namespaces, key: { name } }, patient);
      close();
    }
  });
});

describe("a cluster goes back to OLM v0 while an upgrade cannot go on", { skip }, () => {
  const file = kubeconfig ?? "";
  const surroundings = freshSurroundings();

  test("nothing rolls out, OLM waits for the same, and completes the upgrade once its cause ends", async () => {
    const { client, close } = connectWith(file);
    const stops: (() => Promise<unknown>)[] = [];
    const started = async (begun: Promise<() => Promise<unknown>>): Promise<() => Promise<void>> => {
      const stop = await begun;
      stops.push(stop);
      return async () => {
        stops.splice(stops.indexOf(stop), 1);
        await stop();
      };
    };
    const tooNew = { "moving.v2": "99.0.0" };
    try {
      const stopFirst = await started(startOlm(surroundings.path("olm-before"), file));
      await prepareNamespace(client, stuckNamespace, { still: 1, moving: 1 });
      for (const name of ["still", "moving"]) await subscribe(client, name, "Automatic", stuckNamespace);
      for (const name of ["still.v1", "moving.v1"]) await succeeds(client, name, stuckNamespace);
      await configured(client, stuckNamespace);
      for (const name of ["still.v1", "moving.v1"]) await succeeds(client, name, stuckNamespace);
      await stopFirst();
      const first = await shape(client, [stuckNamespace]);
      assert.equal(Object.keys(first).length, 4);

      const flags = ["--kubeconfig", file, "--global-namespace", globalNamespace];
      const run = ["run", ...flags, "--install-crds", "--catalog-address", "none", "--no-package-api"];
      const engine = await startPurser(run, surroundings.env);
      const stopPurser = await started(Promise.resolve(() => engine.stop("SIGTERM")));
      await offer(client, { still: 1, moving: 2 }, stuckNamespace, tooNew);
      await isStuck(client);
      await reaches(client, clusterServiceVersions, stuckNamespace, "moving.v2 with what it waits for", isAnnotated);
      assert.deepEqual(await shape(client, [stuckNamespace]), first);
      await stopPurser();
      await forgetStates(client);

      const stopLast = await started(startOlm(surroundings.path("olm-after"), file));
      // What OLM installs elsewhere shows that it works; in this namespace a stuck upgrade holds back the others.
      await prepareNamespace(client, witnessNamespace, { held: 1 });
      await subscribe(client, "held", "Automatic", witnessNamespace);
      await succeeds(client, "held.v1", witnessNamespace);
      await isStuck(client);
      assert.deepEqual(await shape(client, [stuckNamespace]), first);
      const key = { namespace: stuckNamespace, name: "moving.v2" };
      const patch = { spec: { minKubeVersion: "1.20.0" } };
      const type = clusterServiceVersions;
      written(await client.write({ verb: "patch", type, key, patchType: "merge", patch }, patient));
      await succeeds(client, "moving.v2", stuckNamespace);
      assert.equal(await images(client, stuckNamespace), "example.com/moving:2");
      assert.doesNotMatch(JSON.stringify(await shape(client, [stuckNamespace])), /purser\.dev/);
      await stopLast();
    } finally {
      for (const stop of stops) await stop();
      for (const name of [stuckNamespace, witnessNamespace])
        await client.write({ verb: "delete", type: namespaces, key: { name } }, patient);
      close();
    }
  });
});

/** moving.v2 waits for a newer Kubernetes, and moving.v1 for moving.v2. */
async function isStuck(client: KubeClient): Promise<void> {
  for (const [name, phase] of [
    ["moving.v1", "Replacing"],
    ["moving.v2", "Pending"],
  ])
    await reaches(
      client,
      clusterServiceVersions,
      stuckNamespace,
      `${name} ${phase}`,
      (csv) => csv.metadata.name === name && csv.status?.phase === phase,
    );
}

const stateAnnotation = "purser.dev/state";
const isAnnotated = ({ metadata }: KubeObject): boolean =>
  metadata.name === "moving.v2" && metadata.annotations?.[stateAnnotation] !== undefined;

/** What docs/takeover.md says to do before OLM starts again. */
async function forgetStates(client: KubeClient): Promise<void> {
  for (const { metadata } of await client.list(clusterServiceVersions, { namespace: stuckNamespace })) {
    const key = { namespace: stuckNamespace, name: metadata.name ?? "" };
    const patch = { metadata: { annotations: { [stateAnnotation]: null } } };
    const type = clusterServiceVersions;
    written(await client.write({ verb: "patch", type, key, patchType: "merge", patch }, patient));
  }
}

async function create<Type extends KubeObject>(client: KubeClient, type: ResourceType<Type>, object: object) {
  written(await client.write({ verb: "create", type, object: object as Type }, patient));
}

async function prepare(client: KubeClient): Promise<void> {
  await prepareNamespace(client, namespace, { still: 1, moving: 1 });
  await prepareNamespace(client, waitingNamespace, { held: 1 });
  await subscribe(client, "still", "Automatic");
  await subscribe(client, "moving", "Automatic");
  await subscribe(client, "held", "Manual", waitingNamespace);
}

async function prepareNamespace(
  client: KubeClient,
  where: string,
  versions: Readonly<Record<string, number>>,
): Promise<void> {
  await create(client, namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: where } });
  await create(client, configMaps, takeoverCatalog(where, versions));
  await create(client, catalogSources, {
    apiVersion: operatorApi,
    kind: "CatalogSource",
    metadata: { namespace: where, name: "catalog" },
    spec: { sourceType: "internal", configMap: "catalog" },
  });
  await create(client, operatorGroups, {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { namespace: where, name: "group" },
    spec: { targetNamespaces: [where] },
  });
}

const subscribe = (
  client: KubeClient,
  name: string,
  installPlanApproval: "Automatic" | "Manual",
  where = namespace,
): Promise<void> =>
  create(client, subscriptions, {
    apiVersion: operatorApi,
    kind: "Subscription",
    metadata: { namespace: where, name },
    spec: {
      name,
      channel: "stable",
      source: "catalog",
      sourceNamespace: where,
      installPlanApproval,
      config: { env: [{ name: "COLOUR", value: "blue" }], resources: { requests: { cpu: "10m" } } },
    },
  });

/** Changes what the catalog holds. */
async function offer(
  client: KubeClient,
  versions: Readonly<Record<string, number>>,
  where = namespace,
  minKubeVersions: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { data = {} } = takeoverCatalog(where, versions, minKubeVersions);
  const key = { namespace: where, name: "catalog" };
  written(await client.write({ verb: "patch", type: configMaps, key, patchType: "merge", patch: { data } }, patient));
}

/** Stops what the report says that runs: a cluster may have OLM's Deployments beside the processes of this test. */
async function scaleDown(client: KubeClient, report: string): Promise<void> {
  const { findings } = JSON.parse(report) as {
    readonly findings: readonly { readonly code: string; readonly object: string }[];
  };
  for (const { code, object } of findings) {
    if (code !== "OlmRunning") continue;
    const [where = "", name = ""] = object.replace("Deployment ", "").split("/");
    const key = { namespace: where, name };
    const patch = { spec: { replicas: 0 } };
    written(await client.write({ verb: "patch", type: deployments, key, patchType: "merge", patch }, patient));
  }
}

const isPending = ({ status }: InstallPlan): boolean => status?.phase === "RequiresApproval";

const waits = (client: KubeClient): Promise<void> =>
  reaches(client, installPlans, waitingNamespace, "an InstallPlan pending approval", isPending);

/** Approves the one InstallPlan that is pending approval. */
async function approve(client: KubeClient): Promise<void> {
  await waits(client);
  const found = (await client.list(installPlans, { namespace: waitingNamespace })).filter(isPending);
  assert.equal(found.length, 1, "one InstallPlan is pending approval");
  const key: ObjectKey = { namespace: waitingNamespace, name: found[0]?.metadata.name ?? "" };
  const patch = { spec: { approved: true } };
  written(await client.write({ verb: "patch", type: installPlans, key, patchType: "merge", patch }, patient));
}

function reaches<Type extends KubeObject>(
  client: KubeClient,
  type: ResourceType<Type>,
  where: string,
  what: string,
  wanted: (object: Type) => boolean,
): Promise<void> {
  return eventually(what, async () => {
    const all = await client.list(type, { namespace: where });
    return all.some(wanted) ? undefined : JSON.stringify(all.map((object) => [object.metadata.name, statusOf(object)]));
  });
}

const statusOf = (object: KubeObject): unknown => (object as { readonly status?: unknown }).status;

const succeeds = (client: KubeClient, name: string, where = namespace): Promise<void> =>
  reaches(
    client,
    clusterServiceVersions,
    where,
    `${name} Succeeded`,
    ({ metadata, status }) => metadata.name === name && status?.phase === "Succeeded",
  );

/** OLM installs operators before it applies the configuration of their Subscriptions, with another roll-out. */
const configured = (client: KubeClient, where = namespace): Promise<void> =>
  eventually("the configuration of the Subscriptions", async () => {
    const found = await client.list(deployments, { namespace: where });
    const isApplied = ({ spec }: (typeof found)[number]): boolean =>
      spec?.template.spec?.containers?.every(({ env }) => env?.some(({ name }) => name === "COLOUR")) === true;
    return found.length === 4 && found.every(isApplied) ? undefined : `${found.filter(isApplied).length} have it`;
  });

type Shape = Readonly<Record<string, unknown>>;

/** By Deployment, what a roll-out or another Deployment of the name would change. */
async function shape(client: KubeClient, places = [namespace, waitingNamespace]): Promise<Shape> {
  const found = await Promise.all(places.map((where) => client.list(deployments, { namespace: where })));
  return Object.fromEntries(
    found
      .flat()
      .map(({ metadata: { name = "", uid, generation }, spec }) => [
        name,
        { uid, generation, template: JSON.stringify(spec?.template) },
      ]),
  );
}

const of = (all: Shape, packageName: string): Shape =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(`${packageName}-`)));

async function images(client: KubeClient, where = namespace): Promise<string> {
  const live = await client.get(deployments, { namespace: where, name: "moving-server" });
  return live?.spec?.template.spec?.containers?.[0]?.image ?? "";
}
