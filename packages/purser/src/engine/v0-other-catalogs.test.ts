// Catalogs that are no image: a server of the registry API, and package manifests in a ConfigMap.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { configMaps, customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { catalogSources, clusterServiceVersions, subscriptions } from "../apis/olm-resources.ts";
import type { CatalogSource, CatalogSourceSpec } from "../apis/v0/catalog-source.ts";
import { smallManifests } from "../catalog/testing/small-manifests.ts";
import { readPackageManifests } from "../catalog/served/package-manifests.ts";
import { CatalogDocuments } from "../catalog/served/catalog-documents.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import { indexOf, serveIndex } from "../content/testing/registry-under-test.ts";
import type { RegistryServer } from "../registry-api/grpc/registry-server.ts";
import { World } from "./testing/world.ts";

let world: World;
let server: RegistryServer;
let served: StoredIndex | undefined;
before(async () => {
  server = await serveIndex(() => served);
  world = await World.open();
});
after(async () => {
  await world.stop();
  await server.stop(0);
  served?.close();
});

/** A file-based catalog whose bundles carry their manifests. */
function carried(name: string, versions: readonly string[]): string {
  const read = readPackageManifests(smallManifests(name, versions));
  assert.ok(read.ok);
  const documents = new CatalogDocuments();
  const blobs = [
    ...read.value.bundles.map((bundle) => documents.bundle(bundle)),
    ...read.value.packages.flatMap((each) => [...documents.package(each)]),
  ];
  return blobs.map((blob) => JSON.stringify(blob)).join("\n---\n");
}

const catalog = (namespace: string, name: string, spec: CatalogSourceSpec): Promise<void> =>
  world.create(catalogSources, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { namespace, name },
    spec,
  });

const configMap = (namespace: string, data: Readonly<Record<string, string>>): Promise<void> =>
  world.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "manifests" }, data });

const succeeds = (namespace: string, name: string): Promise<unknown> =>
  world.reaches(
    clusterServiceVersions,
    { namespace, name },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );

const shows = (namespace: string, name: string, state: string): Promise<CatalogSource> =>
  world.reaches(
    catalogSources,
    { namespace, name },
    state,
    ({ status }) => status?.connectionState?.lastObservedState === state,
  );

test("an operator is installed and upgraded from a catalog that is given by an address", async () => {
  const namespace = "by-address";
  served = await indexOf(carried("served", ["1.0.0"]));
  await world.tenant(namespace);
  await catalog(namespace, "registry", { sourceType: "grpc", address: server.address });
  await world.subscribe(namespace, "served", { source: "registry", sourceNamespace: namespace });
  await succeeds(namespace, "served.v1.0.0");
  const { status } = await shows(namespace, "registry", "READY");
  assert.deepEqual(
    [status?.connectionState?.address, status?.registryService?.protocol, status?.registryService?.serviceName],
    [server.address, "grpc", undefined],
  );
  assert.ok(status?.connectionState?.lastConnect !== undefined);
  assert.ok((await world.client.get(customResourceDefinitions, { name: "things.served.example.com" })) !== undefined);
  // A server that is started again is read again: it may serve something else.
  const { port } = server;
  await server.stop(0);
  await shows(namespace, "registry", "TRANSIENT_FAILURE");
  const former = served;
  served = await indexOf(carried("served", ["1.0.0", "1.1.0"]));
  former.close();
  server = await serveIndex(() => served, port);
  await shows(namespace, "registry", "READY");
  await succeeds(namespace, "served.v1.1.0");
});

test("the last good content of a server that is down survives a restart, and operators are installed from it", async () => {
  const namespace = "lost-server";
  const own = await indexOf(carried("lost", ["1.0.0"]));
  const lost = await serveIndex(() => own);
  await world.tenant(namespace);
  await catalog(namespace, "registry", { sourceType: "grpc", address: lost.address });
  await shows(namespace, "registry", "READY");
  await lost.stop(0);
  own.close();
  await shows(namespace, "registry", "TRANSIENT_FAILURE");
  await world.restartEngine();
  await world.subscribe(namespace, "lost", { source: "registry", sourceNamespace: namespace });
  await succeeds(namespace, "lost.v1.0.0");
  const { status } = await shows(namespace, "registry", "TRANSIENT_FAILURE");
  assert.match(status?.message ?? "", /^couldn't connect to registry - 127\.0\.0\.1:\d+: /);
  assert.equal(status?.conditions?.find(({ type }) => type === "Ready")?.reason, "ServingLastGood");
});

test("an operator is installed from a ConfigMap, and upgraded when the ConfigMap changes", async () => {
  const namespace = "config-map";
  await world.tenant(namespace);
  await configMap(namespace, smallManifests("mapped", ["1.0.0"]));
  await catalog(namespace, "manifests", { sourceType: "internal", configMap: "manifests" });
  await world.subscribe(namespace, "mapped", { source: "manifests", sourceNamespace: namespace });
  await succeeds(namespace, "mapped.v1.0.0");
  const first = await shows(namespace, "manifests", "READY");
  const named = await world.client.get(configMaps, { namespace, name: "manifests" });
  assert.deepEqual(
    named?.metadata.ownerReferences?.map(({ kind, name, uid }) => [kind, name, uid]),
    [["CatalogSource", "manifests", first.metadata.uid]],
  );
  assert.equal(first.status?.configMapReference?.uid, named.metadata.uid);
  assert.ok(first.status?.registryService !== undefined);
  await world.merge(
    configMaps,
    { namespace, name: "manifests" },
    { data: smallManifests("mapped", ["1.0.0", "1.1.0"]) },
  );
  await succeeds(namespace, "mapped.v1.1.0");
  const changed = await world.client.get(configMaps, { namespace, name: "manifests" });
  await world.reaches(
    catalogSources,
    { namespace, name: "manifests" },
    "connected after the change",
    ({ status }) =>
      status?.configMapReference?.resourceVersion === changed?.metadata.resourceVersion &&
      (status?.connectionState?.lastConnect ?? "") > (status?.configMapReference?.lastUpdateTime ?? ""),
  );
});

test("a ConfigMap that is created later and one that is broken are reported, then read", async () => {
  const namespace = "late-map";
  await world.tenant(namespace);
  await catalog(namespace, "manifests", { sourceType: "configmap", configMap: "manifests" });
  const message = (text: string): Promise<CatalogSource> =>
    world.reaches(
      catalogSources,
      { namespace, name: "manifests" },
      text,
      ({ status }) => status?.message?.includes(text) === true,
    );
  const missing = await message('failed to get catalog config map manifests: configmaps "manifests" not found');
  assert.equal(missing.status?.reason, "ConfigMapError");
  await configMap(namespace, { ...smallManifests("late", ["1.0.0"]), packages: "- [" });
  const broken = await message("cannot be used: packages");
  assert.equal(broken.status?.reason, "RegistryServerError");
  await world.merge(configMaps, { namespace, name: "manifests" }, { data: smallManifests("late", ["1.0.0"]) });
  const { status } = await shows(namespace, "manifests", "READY");
  assert.equal(status?.reason, undefined);
});

test("of two servers with the same package the one with the higher priority is chosen", async () => {
  const namespace = "priority";
  const indexes = await Promise.all([indexOf(carried("both", ["1.0.0"])), indexOf(carried("both", ["2.0.0"]))]);
  const servers = await Promise.all(indexes.map((index) => serveIndex(() => index)));
  try {
    await world.tenant(namespace);
    for (const [position, priority] of [-5, 10].entries())
      await catalog(namespace, `registry-${position}`, {
        sourceType: "grpc",
        address: servers[position]?.address ?? "",
        priority,
      });
    for (const position of [0, 1]) await shows(namespace, `registry-${position}`, "READY");
    // Needs the API that both provide, and names no catalog for it.
    await configMap(namespace, requiring("both"));
    await catalog(namespace, "manifests", { sourceType: "internal", configMap: "manifests" });
    await world.subscribe(namespace, "needy", { source: "manifests", sourceNamespace: namespace });
    await succeeds(namespace, "both.v2.0.0");
    const found = await world.client.list(subscriptions, { namespace });
    assert.equal(found.find(({ spec }) => spec.name === "both")?.spec.source, "registry-1");
  } finally {
    await Promise.all(servers.map((each) => each.stop(0)));
    for (const index of indexes) index.close();
  }
});

/** Manifests of the package `needy`, which requires the API of another one. */
function requiring(other: string): Readonly<Record<string, string>> {
  const { clusterServiceVersions: csvs = "", packages = "" } = smallManifests("needy", ["1.0.0"]);
  return {
    packages,
    customResourceDefinitions: "[]",
    clusterServiceVersions: csvs.replace("owned:", "required:").replaceAll("needy.example.com", `${other}.example.com`),
  };
}
