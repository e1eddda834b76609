// An extension that OLM v1's Helm runtime installed is taken over as revision 1, and nothing rolls out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Secret } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { kindOf, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { deployments, secrets } from "@purser/kubernetes/apis/resources";
import { writeYaml } from "@purser/kubernetes/text/documents";
import type { JsonObject } from "@purser/kubernetes/json";
import { clusterCatalogs, clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { World } from "./testing/world.ts";

const name = "logbook-db";
const systemNamespace = "olmv1-system";
const olm = "olm.operatorframework.io";

const progressOf = ({ status }: ClusterExtension) => status?.conditions?.find(({ type }) => type === "Progressing");
const isSettled = (one: ClusterExtension): boolean => progressOf(one)?.reason === "Succeeded";

/** The Secrets of a release of logbook-db 1.0.0 in so many chunks, as the Helm runtime of OLM v1 writes them. */
async function release(
  world: World,
  objects: readonly KubeObject[],
  version: number,
  status: string,
  chunks = 2,
): Promise<void> {
  const manifest = objects.map((object) => `---\n# Source: x\n${writeYaml(object as unknown as JsonObject)}`).join("");
  const labels = {
    [`${olm}/bundle-name`]: `${name}.v1.0.0`,
    [`${olm}/bundle-reference`]: `local.purser.dev/demo/${name}:1.0.0`,
    [`${olm}/bundle-version`]: "1.0.0",
    [`${olm}/package-name`]: name,
  };
  const bytes = gzipSync(JSON.stringify({ name, version, manifest, info: { status }, labels }), { level: 9 });
  const size = Math.ceil(bytes.length / chunks);
  const parts = Array.from({ length: chunks }, (_, i) => bytes.subarray(i * size, (i + 1) * size).toString("base64"));
  const key = `sh.helm.release.v1.${name}.v${version}`;
  const [first = "", ...others] = parts;
  const names = others.map((_, i) => `${key}-chunk${i}`);
  await world.create(secrets, {
    apiVersion: "v1",
    kind: "Secret",
    type: "operatorframework.io/index.v1",
    metadata: {
      name: key,
      namespace: systemNamespace,
      labels: {
        owner: "operator-controller",
        type: "index",
        name,
        status,
        version: String(version),
        key,
      },
    },
    data: { chunk: first, extraChunks: Buffer.from(JSON.stringify(names)).toString("base64") },
  });
  for (const [i, chunk] of others.entries())
    await world.create(secrets, {
      apiVersion: "v1",
      kind: "Secret",
      type: "operatorframework.io/chunk.v1",
      immutable: true,
      metadata: {
        name: names[i] ?? "",
        namespace: systemNamespace,
        labels: { owner: "operator-controller", type: "chunk", key },
      },
      data: { chunk },
    });
}

/** A cluster on which logbook-db 1.0.0 runs, controlled by its ClusterExtension, as after the Helm runtime; the engine is stopped meanwhile. */
async function helmWorld(world: World, releases: (objects: readonly KubeObject[]) => Promise<void>): Promise<void> {
  await world.extend(name, "1.0.0");
  await world.reaches(clusterExtensions, { name }, "installed", isSettled);
  await world.settled();
  await world.restartEngine(async () => {
    const extension = await world.client.get(clusterExtensions, { name });
    const [set] = await world.client.list(clusterObjectSets);
    assert.ok(set !== undefined && extension !== undefined);
    const listed = await world.client.list(secrets, { namespace: systemNamespace });
    const objects = listed.flatMap(({ data = {}, type }) =>
      type === `${olm}/object-data`
        ? Object.values(data).map((text) => JSON.parse(Buffer.from(text, "base64").toString("utf8")) as KubeObject)
        : [],
    );
    const reference = {
      apiVersion: extension.apiVersion,
      kind: extension.kind,
      name,
      uid: extension.metadata.uid ?? "",
      controller: true,
      blockOwnerDeletion: true,
    };
    for (const object of objects) {
      const type = await typeOf(world, object);
      const { namespace, name: own = "" } = object.metadata;
      const key = type.namespaced && namespace !== undefined ? { namespace, name: own } : { name: own };
      await world.merge(type, key, { metadata: { ownerReferences: [reference], managedFields: [{}] } });
    }
    await world.merge(clusterObjectSets, { name: set.metadata.name ?? "" }, { metadata: { finalizers: [] } });
    await world.remove(clusterObjectSets, { name: set.metadata.name ?? "" });
    await world.vanishes(clusterObjectSets, { name: set.metadata.name ?? "" });
    await releases(objects);
  });
}

async function typeOf(world: World, object: KubeObject): Promise<ResourceType> {
  const type = await createDiscovery(world.client).typeOf(kindOf(object));
  assert.ok(type !== undefined);
  return type;
}

const deploymentOf = async (world: World) => {
  const held = await world.client.get(deployments, { namespace: name, name: `${name}-controller` });
  assert.ok(held !== undefined);
  return held;
};

test("what a Helm release installed becomes revision 1 without a roll-out, and the next revision has the same pods", async () => {
  const world = await World.open();
  try {
    let before: unknown;
    await helmWorld(world, async (objects) => {
      before = (await deploymentOf(world)).spec?.template;
      await world.merge(clusterCatalogs, { name: "demo" }, { spec: { availabilityMode: "Unavailable" } });
      await release(world, objects, 1, "superseded");
      await release(world, objects, 2, "deployed", 3);
      await release(world, [], 3, "failed");
    });
    const first = await world.reaches(
      clusterObjectSets,
      { name: `${name}-1` },
      "complete",
      ({ status }) =>
        status?.conditions?.some(({ type, reason }) => type === "Progressing" && reason === "Succeeded") === true,
    );
    const conditions = (first.status?.conditions ?? []).map(
      ({ type, status, reason }) => `${type}=${status} ${reason}`,
    );
    assert.ok(conditions.includes("Succeeded=True Succeeded"), conditions.join());
    assert.equal(first.metadata.labels?.[`${olm}/migrated-from-helm`], "true");
    assert.equal(first.spec?.collisionProtection, "None");
    const shown = await world.reaches(
      clusterExtensions,
      { name },
      "installed",
      ({ status }) => status?.install?.bundle.name === `${name}.v1.0.0`,
    );
    assert.equal(shown.status?.install?.bundle.version, "1.0.0");
    assert.deepEqual((await deploymentOf(world)).spec?.template, before);
    await world.settled();
    const owners = (await deploymentOf(world)).metadata.ownerReferences?.map(
      ({ kind, controller }) => `${kind} ${controller}`,
    );
    assert.deepEqual(owners?.toSorted(), ["ClusterObjectSet true"]);
    await world.merge(clusterCatalogs, { name: "demo" }, { spec: { availabilityMode: "Available" } });
    await world.reaches(
      clusterObjectSets,
      { name: `${name}-2` },
      "rolled out",
      ({ status }: ClusterObjectSet) =>
        status?.conditions?.some(({ type, status: is }) => type === "Succeeded" && is === "True") === true,
    );
    await world.settled();
    const after = await deploymentOf(world);
    assert.deepEqual(after.spec?.template, before, "no pod is made anew");
    assert.equal(after.metadata.annotations?.["deployment.kubernetes.io/revision"], "1");
    const left = await world.client.list(secrets, {
      namespace: systemNamespace,
      labelSelector: "owner=operator-controller",
    });
    assert.equal(left.length, 7, "all Secrets of the releases stay for the way back");
  } finally {
    await world.stop();
  }
});

test("a release whose chunk is missing changes nothing, is read once, and is taken over when the chunk appears", async () => {
  const world = await World.open();
  try {
    const chunk = { namespace: systemNamespace, name: `sh.helm.release.v1.${name}.v1-chunk0` };
    let lost: Secret | undefined;
    await helmWorld(world, async (objects) => {
      await release(world, objects, 1, "deployed", 2);
      lost = await world.client.get(secrets, chunk);
      await world.remove(secrets, chunk);
    });
    const refused = await world.reaches(
      clusterExtensions,
      { name },
      "refused",
      (one) => progressOf(one)?.reason === "Retrying",
    );
    assert.equal(
      progressOf(refused)?.message,
      `RolloutFailed: logbook-db: its Helm release cannot be taken over: chunk 2 secret "sh.helm.release.v1.logbook-db.v1-chunk0" missing chunk data; nothing is changed until it can be read\nmigrating storage: chunk 2 secret "sh.helm.release.v1.logbook-db.v1-chunk0" missing chunk data`,
    );
    assert.equal((await world.client.list(clusterObjectSets)).length, 0);
    await world.settled();
    const [reads, passes] = [world.engineReads.length, world.passes()["cluster-extension"] ?? 0];
    await world.merge(clusterExtensions, { name }, { metadata: { annotations: { touched: "once" } } });
    await world.until("another pass", async () => (world.passes()["cluster-extension"] ?? 0) > passes);
    await world.settled();
    assert.deepEqual(world.engineReads.slice(reads), []);
    assert.ok(lost !== undefined);
    const { resourceVersion: _version, uid: _uid, ...metadata } = lost.metadata;
    await world.create(secrets, { ...lost, metadata });
    await world.reaches(clusterObjectSets, { name: `${name}-1` }, "taken over", ({ status }) =>
      (status?.conditions ?? []).some(({ type, status: is }) => type === "Succeeded" && is === "True"),
    );
  } finally {
    await world.stop();
  }
});
