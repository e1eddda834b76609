import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  deployments,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
} from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
const csv = { namespace: "older", name: "logbook-db.v1.2.0" };
const csvKind = "ClusterServiceVersion";
const types = [roles, roleBindings, clusterRoles, clusterRoleBindings, services, secrets, deployments, serviceAccounts];

interface Held {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** Everything with the operator's owner labels or a reference to it, in every namespace. */
async function held(): Promise<readonly Held[]> {
  const found = await Promise.all(
    (types as readonly ResourceType[]).map(async (type) =>
      (await world.client.list(type)).map((object) => ({ type, object })),
    ),
  );
  return found.flat().filter(({ object: { metadata } }) => {
    const { labels = {}, ownerReferences = [] } = metadata;
    return (
      labels["olm.owner"] === csv.name ||
      ownerReferences.some(({ kind, name }) => kind === csvKind && name === csv.name)
    );
  });
}

const textOf = ({ object: { kind, metadata } }: Held): string =>
  `${kind} ${metadata.namespace ?? ""}/${metadata.name} ${metadata.uid} ${metadata.generation ?? ""}`;
const texts = async (): Promise<readonly string[]> => (await held()).map(textOf).sort();
const isUnlabelled = ({ object }: Held): boolean => object.metadata.labels?.["olm.managed"] !== "true";

/** The label of each permission's hash, with the object. */
const hashesOf = (objects: readonly Held[]): readonly string[] =>
  objects
    .flatMap((one) => {
      const hash = one.object.metadata.labels?.["olm.permissions.hash"];
      return hash === undefined ? [] : [`${textOf(one)} ${hash}`];
    })
    .sort();

/** Imitates a release of OLM that did not know the labels. */
const strip = (objects: readonly Held[]): Promise<unknown> =>
  Promise.all(
    objects.map(({ type, object }) =>
      world.merge(type, keyOf(object), {
        metadata: { labels: { "olm.managed": null, "olm.permissions.hash": null } },
      }),
    ),
  );

const allLabelled = (): Promise<unknown> =>
  world.until("all labelled", async () => !(await held()).some(isUnlabelled), {
    seen: async () => (await held()).filter(isUnlabelled).map(textOf),
  });

before(async () => {
  world = await World.open();
  await world.namespace("tenant");
  await world.tenant(csv.namespace, { targetNamespaces: [csv.namespace, "tenant"] });
  await world.subscribe(csv.namespace, "logbook-db", { startingCSV: csv.name });
  await world.reaches(clusterServiceVersions, csv, "Succeeded", ({ status }) => status?.phase === "Succeeded");
  await world.until(
    "a tenant binding",
    async () => (await world.client.list(roleBindings, { namespace: "tenant" }))[0],
  );
  await world.settled();
});
after(() => world.stop());

test("what an older OLM left without the label of managed objects gets it at the start: nothing is deleted, made anew or rolled out", async () => {
  const objects = await texts();
  assert.ok(objects.some((text) => text.startsWith("Role tenant/")));
  assert.ok(objects.some((text) => text.startsWith("ServiceAccount older/")));
  // As OLM writes the ConfigMaps of a bundle: the CSV is their owner by reference alone.
  const owner = await world.client.get(clusterServiceVersions, csv);
  const { uid = "" } = owner?.metadata ?? {};
  const ownerReferences = [{ apiVersion: "operators.coreos.com/v1alpha1", kind: csvKind, name: csv.name, uid }];
  const key = { namespace: csv.namespace, name: "of-the-bundle" };
  await world.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { ...key, ownerReferences } });
  const left = await held();
  const hashes = hashesOf(left);
  assert.ok(hashes.length > 3);
  const writes = world.engineWrites.length;
  await world.restartEngine(() => strip(left));
  await allLabelled();
  await world.settled();
  assert.deepEqual(await texts(), objects);
  assert.deepEqual(hashesOf(await held()), hashes);
  assert.equal((await world.client.get(configMaps, key))?.metadata.labels?.["olm.managed"], "true");
  const patched = world.engineWrites.slice(writes).filter(({ method }) => method === "PATCH");
  const [byReference, byLabels] = [key.name, "/deployments/"].map((part) =>
    patched.findIndex(({ path }) => path.includes(part)),
  );
  assert.ok(byReference !== undefined && byLabels !== undefined && byReference >= 0 && byReference < byLabels);
  assert.deepEqual(
    world.engineWrites
      .slice(writes)
      .filter(({ method }) => method === "DELETE" || method === "POST")
      .map(({ path }) => path),
    [],
  );
  const after = await world.client.get(clusterServiceVersions, csv);
  assert.equal(after?.status?.phase, "Succeeded");
});

test("labels that are lost while the engine runs come back, and nothing is deleted", async () => {
  const objects = await texts();
  const writes = world.engineWrites.length;
  await strip((await held()).filter(({ type }) => type !== (serviceAccounts as ResourceType)));
  await allLabelled();
  await world.settled();
  assert.deepEqual(await texts(), objects);
  assert.deepEqual(
    world.engineWrites
      .slice(writes)
      .filter(({ method }) => method === "DELETE")
      .map(({ path }) => path),
    [],
  );
});
