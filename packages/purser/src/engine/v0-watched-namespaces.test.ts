import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  clusterServiceVersions,
  installPlans,
  olmConfigs,
  operatorGroups,
  subscriptions,
} from "../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  const watchedNamespaces = new Set(["ours", "everywhere"]);
  world = await World.open({ flags: { watchedNamespaces, protectedNamespaces: new Set(["kept", "absent"]) } });
});
after(() => world.stop());

const name = "logbook-db.v1.2.0";
const succeeds = (namespace: string): Promise<unknown> =>
  world.reaches(
    clusterServiceVersions,
    { namespace, name },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );

test("objects of namespaces that are not watched stay as they are, and catalogs for all namespaces are read", async () => {
  await world.namespace("target");
  await world.tenant("theirs", { targetNamespaces: ["theirs", "target"] });
  await world.subscribe("theirs", "logbook-db", { startingCSV: name });
  const foreign = { namespace: "target", name: "theirs.v1" };
  await world.create(clusterServiceVersions, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      ...foreign,
      labels: { "olm.copiedFrom": "theirs" },
      annotations: { "olm.operatorNamespace": "theirs" },
    },
    spec: { displayName: "copied by another manager", install: { strategy: "deployment" } },
  } as unknown as ClusterServiceVersion);
  await world.tenant("ours");
  await world.subscribe("ours", "logbook-db", { startingCSV: name });
  await succeeds("ours");
  await world.settled();
  const group = await world.client.get(operatorGroups, { namespace: "theirs", name: "group" });
  const subscription = await world.client.get(subscriptions, { namespace: "theirs", name: "logbook-db" });
  assert.deepEqual([group?.status, group?.metadata.annotations], [undefined, undefined]);
  assert.equal(subscription?.status, undefined);
  assert.notEqual(await world.client.get(clusterServiceVersions, foreign), undefined);
  assert.deepEqual(await world.client.list(installPlans, { namespace: "theirs" }), []);
  const labels = (await world.client.get(namespaces, { name: "target" }))?.metadata.labels ?? {};
  assert.deepEqual(
    Object.keys(labels).filter((label) => label.startsWith("olm.")),
    [],
  );
  await world.remove(subscriptions, { namespace: "ours", name: "logbook-db" });
  await world.remove(clusterServiceVersions, { namespace: "ours", name });
  await world.vanishes(clusterServiceVersions, { namespace: "ours", name });
});

test("a protected namespace keeps its copy while copies for all namespaces are off, and the condition expects it", async () => {
  for (const namespace of ["kept", "open"]) await world.namespace(namespace);
  await world.create(olmConfigs, {
    apiVersion: "operators.coreos.com/v1",
    kind: "OLMConfig",
    metadata: { name: "cluster" },
    spec: { features: { disableCopiedCSVs: true } },
  });
  await world.tenant("everywhere", {});
  await world.subscribe("everywhere", "logbook-db", { startingCSV: name });
  await succeeds("everywhere");
  await world.reaches(
    olmConfigs,
    { name: "cluster" },
    "without unexpected copies",
    ({ status }) => status?.conditions?.some((shown) => shown.status === "True") === true,
  );
  await world.settled();
  const places = async (): Promise<readonly (string | undefined)[]> =>
    (await world.client.list(clusterServiceVersions))
      .filter(({ status }) => status?.reason === "Copied")
      .map(({ metadata }) => metadata.namespace);
  assert.deepEqual(await places(), ["kept"]);
  await world.remove(clusterServiceVersions, { namespace: "kept", name });
  await world.until("the copy again", async () => (await places()).join() === "kept");
  await world.namespace("absent");
  await world.until("a copy in the new namespace", async () => (await places()).join() === "absent,kept");
});
