import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { written } from "@purser/kubernetes/kube/refusal";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  installPlans,
  subscriptions,
} from "../apis/olm-resources.ts";
import type { InstallPlan, Step } from "../apis/v0/install-plan.ts";
import { stepsOf } from "../bundle/install-plan-steps.ts";
import { bundleKey, type BundleRequest, type CatalogRequest, sourceKey } from "../catalog/content.ts";
import type { BundleContent, CatalogContent, OpenContent } from "../content/content.ts";
import { SetContent } from "../content/testing/set-content.ts";
import { bundleReference } from "../resolver/v0/install-plan/bundle-reference.ts";
import { World } from "./testing/world.ts";
import { globalNamespace } from "../apis/own-namespaces.ts";

// The engine's clock hardly moves, so that no controller requeues an object because an interval has passed.
const clock = new VirtualClock();
const content = new SetContent();
const catalog: CatalogRequest = { source: { kind: "directory", name: "demo" }, credentials: [], policy: [] };
const never = new AbortController().signal;
let world: World;
let directories: OpenContent;
let index: CatalogContent;

before(async () => {
  world = await World.open({ content, clock });
  directories = world.openDirectories();
  index = await world.until("the demo catalog", async () => {
    const found = directories.catalog(catalog);
    return found.state.kind === "ready" ? found : undefined;
  });
});

after(async () => {
  await directories?.stop();
  await world?.stop();
});

/** Waits until the engine is idle. Failed writes are retried, but no interval of seconds passes. */
async function rest(): Promise<void> {
  for (let round = 0; round < 5; round++) {
    await world.settled();
    clock.advance(20);
  }
  await world.settled();
}

/** A bundle of the demo, read from its directory. */
async function demoBundle(
  packageName: string,
  version: string,
): Promise<{ request: BundleRequest; key: string; ready: BundleContent }> {
  const bundles = index.index?.package(packageName)?.channels.flatMap((channel) => channel.bundles) ?? [];
  const reference = bundles.find((bundle) => bundle.version === version)?.image ?? "";
  const request: BundleRequest = { reference, packageName, version, credentials: [], policy: [] };
  const ready = await world.until(`${packageName} ${version}`, async () => {
    const found = directories.bundle(request);
    return found.state.kind === "ready" ? found : undefined;
  });
  return { request, key: bundleKey(request), ready };
}

test("a catalog change requeues its CatalogSource and ClusterCatalog, and the installations that are resolved from them", async () => {
  await world.tenant("reader");
  await world.subscribe("reader", "ballast-cache", { startingCSV: "ballast-cache.v0.3.0" });
  await world.extend("logbook-db", "1.0.0");
  await rest();
  const source = { namespace: globalNamespace, name: "demo" };
  assert.equal(
    (await world.client.get(catalogSources, source))?.status?.connectionState?.lastObservedState,
    "CONNECTING",
  );
  assert.equal((await world.client.get(clusterCatalogs, { name: "demo" }))?.status?.resolvedSource, undefined);

  content.setCatalog(sourceKey(catalog.source), index);
  await rest();
  assert.equal((await world.client.get(catalogSources, source))?.status?.connectionState?.lastObservedState, "READY");
  assert.notEqual((await world.client.get(clusterCatalogs, { name: "demo" }))?.status?.resolvedSource, undefined);
  assert.deepEqual([...new Set(content.asked)].map((key) => key.split(" ").slice(0, 2).join(" ")).toSorted(), [
    "ballast-cache 0.3.0",
    "logbook-db 1.0.0",
  ]);
});

test("the next try of a catalog is shown by its objects only: nothing is resolved again", async () => {
  await rest();
  const before = world.passes();
  content.tryLater(sourceKey(catalog.source));
  await rest();
  const after = world.passes();
  const passed = Object.keys(after).filter((name) => after[name] !== before[name]);
  assert.deepEqual(passed.toSorted(), ["catalog-source", "cluster-catalog"]);
});

test("a bundle change requeues the namespace that waits for the bundle", async () => {
  const key = { namespace: "reader", name: "ballast-cache" };
  const waiting = await world.client.get(subscriptions, key);
  assert.ok(waiting?.status?.conditions?.some(({ type, status }) => type === "BundleUnpacking" && status === "True"));
  const bundle = await demoBundle("ballast-cache", "0.3.0");
  content.setBundle(bundle.key, bundle.ready);
  await rest();
  const subscription = await world.client.get(subscriptions, key);
  assert.equal(subscription?.status?.currentCSV, "ballast-cache.v0.3.0");
});

test("a bundle change requeues the ClusterExtension that waits for the bundle", async () => {
  const revision = async (): Promise<string | undefined> =>
    (await world.client.get(clusterExtensions, { name: "logbook-db" }))?.status?.install?.bundle.version;
  assert.equal(await revision(), undefined);
  const bundle = await demoBundle("logbook-db", "1.0.0");
  content.setBundle(bundle.key, bundle.ready);
  await rest();
  assert.equal(await revision(), "1.0.0");
});

test("a bundle change requeues the InstallPlan whose steps refer to the bundle, and the InstallPlan has not failed", async () => {
  const namespace = "planned";
  const csv = "semaphore-gateway.v1.0.0";
  await world.tenant(namespace);
  const bundle = await demoBundle("semaphore-gateway", "1.0.0");
  const steps = await referringSteps(bundle.request, bundle.ready, namespace);
  const plan: InstallPlan = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: { namespace, name: "by-hand" },
    spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: [csv] },
  };
  const created = written(await world.client.write({ verb: "create", type: installPlans, object: plan }, never));
  const status = { phase: "Installing", catalogSources: [], plan: steps };
  const object = { ...plan, metadata: created.object?.metadata ?? plan.metadata, status } as InstallPlan;
  written(await world.client.write({ verb: "replace", type: installPlans, object, subresource: "status" }, never));
  await rest();
  // Longer than the minute after which an error fails the InstallPlan.
  clock.advance(90_000);
  await rest();
  const shown = async (): Promise<InstallPlan["status"]> =>
    (await world.client.get(installPlans, { namespace, name: "by-hand" }))?.status;
  assert.deepEqual([(await shown())?.phase, (await shown())?.message], ["Installing", undefined]);
  assert.equal(await world.client.get(clusterServiceVersions, { namespace, name: csv }), undefined);

  content.setBundle(bundle.key, bundle.ready);
  await rest();
  assert.equal((await shown())?.phase, "Complete");
  assert.notEqual(await world.client.get(clusterServiceVersions, { namespace, name: csv }), undefined);
});

async function referringSteps(
  { reference, packageName, version }: BundleRequest,
  { state, objects }: BundleContent,
  namespace: string,
): Promise<readonly Step[]> {
  const unpacked = await objects?.unpacked();
  assert.ok(unpacked?.ok === true && state.kind === "ready");
  const sources = { name: "demo", namespace: globalNamespace };
  const steps = stepsOf(unpacked.value, { namespace, replaces: "", catalog: sources, properties: "" });
  assert.ok(steps.ok);
  const bundle = {
    image: reference,
    package: packageName,
    version,
    digest: state.digest,
    replaces: "",
    properties: "",
  };
  return steps.value.map(({ resolving, status, resource }) => ({
    resolving,
    status,
    resource: { ...resource, manifest: bundleReference(bundle) },
  }));
}
