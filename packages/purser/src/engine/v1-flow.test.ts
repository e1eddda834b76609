import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  deployments,
  namespaces,
  secrets,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import { clusterCatalogs, clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { systemNamespace } from "../apis/own-namespaces.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const conditionOf = ({ status }: ClusterExtension, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

const arrives = (name: string, version: string): Promise<ClusterExtension> =>
  world.reaches(
    clusterExtensions,
    { name },
    `at ${version}`,
    (extension) =>
      extension.status?.install?.bundle.version === version &&
      conditionOf(extension, "Installed")?.status === "True" &&
      conditionOf(extension, "Progressing")?.reason === "Succeeded",
  );

const says = (name: string, text: RegExp): Promise<ClusterExtension> =>
  world.reaches(clusterExtensions, { name }, `saying ${text}`, (extension) =>
    text.test(conditionOf(extension, "Progressing")?.message ?? ""),
  );

const narrow = (name: string, version: string): Promise<void> =>
  world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version } } } });

test("a CRD change that would break stored objects is refused, and the installed version stays", async () => {
  const name = "ballast-cache";
  // Nothing has read 0.4.1 yet: content that has been read is looked at for changes only every two seconds.
  await world.extend(name, "0.4.0");
  await arrives(name, "0.4.0");
  const file = join(world.bundlesDirectory, name, "0.4.1", "manifests", "caches.crd.yaml");
  const good = await readFile(file, "utf8");
  await writeFile(file, good.replace("scope: Namespaced", "scope: Cluster"));
  await narrow(name, "0.4.1");
  const refused = await says(
    name,
    /^CrdUnsafe: .*\n.*validating upgrade for CRD "caches\.ballast\.demo\.purser\.dev": scope/s,
  );
  assert.equal(refused.status?.install?.bundle.version, "0.4.0");
  await writeFile(file, good);
  await arrives(name, "0.4.1");
  await world.remove(clusterExtensions, { name });
  await world.vanishes(clusterExtensions, { name });
});

test("an extension is installed from its range, is upgraded when the range widens and stays when no version matches", async () => {
  const name = "logbook-db";
  await world.extend(name, "1.0.x");
  await arrives(name, "1.0.0");
  await narrow(name, ">=1.0.0 <2.0.0");
  await arrives(name, "1.2.0");
  await narrow(name, "9.x");
  const refused = await says(name, /^[A-Z][A-Za-z]+: .*9\.x/);
  assert.match(conditionOf(refused, "Progressing")?.message ?? "", /\n.*no bundles found for package "logbook-db"/);
  assert.equal(refused.status?.install?.bundle.version, "1.2.0");
  assert.equal(conditionOf(refused, "Installed")?.status, "True");
  await narrow(name, "1.x");
  await arrives(name, "1.2.0");
});

test("deleting an extension removes its finalizers and deletes its objects and its revisions", async () => {
  const name = "ballast-cache";
  await world.extend(name, "0.4.1");
  const installed = await arrives(name, "0.4.1");
  assert.deepEqual(installed.metadata.finalizers, [
    "olm.operatorframework.io/cleanup-unpack-cache",
    "olm.operatorframework.io/cleanup-contentmanager-cache",
  ]);
  const crd = { name: "caches.ballast.demo.purser.dev" };
  assert.ok((await world.client.get(customResourceDefinitions, crd)) !== undefined);
  await world.remove(clusterExtensions, { name });
  await world.vanishes(clusterExtensions, { name });
  // With the definition its objects; a namespace is never deleted.
  await world.vanishes(customResourceDefinitions, crd);
  const space = await world.client.get(namespaces, { name });
  assert.ok(space !== undefined && space.metadata.deletionTimestamp === undefined);
  await world.vanishes(deployments, { namespace: name, name: "ballast-cache-controller" });
  await world.vanishes(serviceAccounts, { namespace: name, name: "ballast-cache-controller" });
  const labelSelector = `olm.operatorframework.io/owner-name=${name}`;
  for (const type of [clusterObjectSets, clusterRoles, clusterRoleBindings] as readonly ResourceType[])
    await world.until(
      `no ${type.kind} left`,
      async () => (await world.client.list(type, { labelSelector })).length === 0,
    );
});

test("a ClusterCatalog keeps its label and its finalizer, loses the finalizer while it is off, and is deleted", async () => {
  const key = { name: "demo" };
  const finalizer = "olm.operatorframework.io/delete-server-cache";
  const named = "olm.operatorframework.io/metadata.name";
  const holds = (what: string, isOn: boolean) =>
    world.reaches(clusterCatalogs, key, what, ({ metadata: { finalizers = [], labels = {} }, status }) => {
      const serving = status?.conditions?.find(({ type }) => type === "Serving")?.status === "True";
      return serving === isOn && finalizers.includes(finalizer) === isOn && labels[named] === "demo";
    });
  await holds("labelled and served", true);
  await world.merge(clusterCatalogs, key, { metadata: { labels: { [named]: "other" }, finalizers: null } });
  await holds("repaired", true);
  await world.merge(clusterCatalogs, key, { spec: { availabilityMode: "Unavailable" } });
  await holds("off", false);
  await world.merge(clusterCatalogs, key, { spec: { availabilityMode: "Available" } });
  const again = await holds("served again", true);
  const { resourceVersion: _version, uid: _uid, creationTimestamp: _created, ...metadata } = again.metadata;
  await world.remove(clusterCatalogs, key);
  await world.vanishes(clusterCatalogs, key);
  await world.create(clusterCatalogs, { apiVersion: again.apiVersion, kind: again.kind, metadata, spec: again.spec });
  await holds("registered again", true);
});

test("an object with another owner is reported as a collision, and the rollout continues when it is deleted", async () => {
  const name = "ballast-cache";
  const namespace = "collision";
  const account: KubeObject = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace, name: "ballast-cache-controller" },
  };
  await world.tenant(namespace);
  await world.create(serviceAccounts, account);
  await world.extend(name, "0.4.1", { namespace });
  const refused = await says(name, /ObjectOwnedElsewhere/);
  assert.match(conditionOf(refused, "Progressing")?.message ?? "", /^ObjectOwnedElsewhere: /);
  assert.equal(conditionOf(refused, "Installed")?.status, "False");
  await world.remove(serviceAccounts, { namespace, name: "ballast-cache-controller" });
  await arrives(name, "0.4.1");
  await world.remove(clusterExtensions, { name });
  await world.vanishes(deployments, { namespace, name: "ballast-cache-controller" });
});

test("drift is repaired: deleted objects are created again, changed fields are reset", async () => {
  const name = "logbook-db";
  await arrives(name, "1.2.0");
  await world.settled();
  const key = { namespace: name, name: "logbook-db-controller" };
  const deployment = await world.client.get(deployments, key);
  assert.ok(deployment !== undefined);
  await world.merge(deployments, key, { spec: { template: { spec: { serviceAccountName: "somebody-else" } } } });
  await world.reaches(
    deployments,
    key,
    "changed back",
    ({ spec }) => spec?.template.spec?.serviceAccountName === "logbook-db-controller",
  );
  await world.remove(deployments, key);
  await world.reaches(deployments, key, "made again", ({ metadata }) => metadata.uid !== deployment.metadata.uid);
  await world.remove(serviceAccounts, key);
  await world.reaches(serviceAccounts, key, "made again", () => true);
  await arrives(name, "1.2.0");
});

test("a Secret with a revision's objects that is deleted is made again, and drift is repaired as before", async () => {
  const name = "logbook-db";
  await arrives(name, "1.2.0");
  const labelSelector = `olm.operatorframework.io/owner-name=${name}`;
  const held = await world.client.list(secrets, { namespace: systemNamespace, labelSelector });
  assert.ok(held.length > 0);
  for (const { metadata } of held)
    await world.remove(secrets, { namespace: systemNamespace, name: metadata.name ?? "" });
  const key = { namespace: name, name: "logbook-db-controller" };
  await world.remove(serviceAccounts, key);
  await world.reaches(serviceAccounts, key, "made again", () => true);
  await world.reaches(
    clusterExtensions,
    { name },
    "without the problem",
    (extension) => conditionOf(extension, "Progressing")?.reason === "Succeeded",
  );
});

test("drift of an object of any kind requeues its revision", async () => {
  const namespace = "logbook-db";
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "drifting" }, data: { a: "ours" } };
  await world.create(clusterObjectSets, {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    metadata: { name: "drifting" },
    spec: {
      lifecycleState: "Active",
      revision: 1,
      collisionProtection: "Prevent",
      phases: [{ name: "configuration", objects: [{ object: map }] }],
    },
  });
  const key = { namespace, name: "drifting" };
  await world.reaches(configMaps, key, "made", () => true);
  await world.settled();
  await world.merge(configMaps, key, { data: { a: "theirs" } });
  await world.reaches(configMaps, key, "changed back", ({ data }) => data?.["a"] === "ours");
  await world.remove(configMaps, key);
  await world.reaches(configMaps, key, "made again", () => true);
  await world.remove(clusterObjectSets, { name: "drifting" });
  await world.vanishes(configMaps, key);
});

test("a package that no catalog has is refused with the nearest one, in the namespace of the extension", async () => {
  const catalog = { packageName: "logbok-db" };
  await world.extend("misspelt", undefined, { namespace: "data", source: { sourceType: "Catalog", catalog } });
  const refused = await says("misspelt", /^PackageNotFound: /);
  assert.equal(
    conditionOf(refused, "Progressing")?.message.split("\n")[0],
    "PackageNotFound: ClusterExtension misspelt asks for package logbok-db, which demo does not have; did you mean logbook-db? Remove the extension, which has installed nothing and whose package cannot be changed (then run purser install logbook-db -n data --as-extension): purser uninstall ext/misspelt",
  );
});

test("an extension that depends on another package is refused with a remedy", async () => {
  await world.extend("semaphore-gateway");
  const refused = await says("semaphore-gateway", /^DependencyMissing: /);
  assert.equal(refused.status?.install, undefined);
});

test("inline configuration is applied to the Deployment, and invalid configuration is refused with its place", async () => {
  const name = "ballast-cache";
  const namespace = "configured";
  await world.until(
    "the former one gone",
    async () =>
      (await world.client.list(clusterObjectSets, { labelSelector: `olm.operatorframework.io/owner-name=${name}` }))
        .length === 0,
  );
  const config = (inline: { readonly [key: string]: string | object }) => ({ configType: "Inline", inline }) as never;
  await world.extend(name, "0.4.1", { namespace, config: config({ watchNamespace: 7 as never }) });
  const refused = await says(name, /watchNamespace/);
  assert.equal(conditionOf(refused, "Progressing")?.reason, "InvalidConfiguration");
  await world.merge(
    clusterExtensions,
    { name },
    {
      spec: {
        config: {
          inline: { watchNamespace: namespace, deploymentConfig: { env: [{ name: "WARMTH", value: "high" }] } },
        },
      },
    },
  );
  await arrives(name, "0.4.1");
  const deployment = await world.client.get(deployments, { namespace, name: "ballast-cache-controller" });
  const env = deployment?.spec?.template.spec?.containers[0]?.env ?? [];
  assert.equal(env.find((entry) => entry.name === "WARMTH")?.value, "high");
  assert.equal(deployment?.spec?.template.metadata?.annotations?.["olm.targetNamespaces"], namespace);
});
