import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { configMaps, customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { clusterObjectSets } from "../apis/olm-resources.ts";
import { ensureNamespace } from "./catalog-objects.ts";
import { World } from "./testing/world.ts";

// The engine's clock moves by seconds only: no interval and no long back-off ends.
const clock = new VirtualClock();
let world: World;
before(async () => {
  world = await World.open({ clock });
});
after(() => world?.stop());

const widgets: ResourceType = {
  group: "waiting.example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  namespaced: true,
};

async function rest(): Promise<void> {
  for (let round = 0; round < 15; round++) {
    await world.settled();
    clock.advance(200);
  }
  await world.settled();
}

const createRevision = (name: string, ...objects: readonly JsonObject[]): Promise<void> =>
  world.create(clusterObjectSets, {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    metadata: { name },
    spec: {
      lifecycleState: "Active",
      revision: 1,
      collisionProtection: "Prevent",
      phases: [{ name: "deploy", objects: objects.map((object) => ({ object })) }],
    },
  });

/** Reason and first line of Progressing. */
async function progress(name: string): Promise<string> {
  const revision = await world.client.get(clusterObjectSets, { name });
  const condition = revision?.status?.conditions?.find(({ type }) => type === "Progressing");
  return `${condition?.reason}: ${condition?.message.split("\n")[0]}`;
}

test("a revision whose namespace does not exist shows it and is rolled out when the namespace appears", async () => {
  const key = { namespace: "later", name: "settings" };
  await createRevision("homeless", { apiVersion: "v1", kind: "ConfigMap", metadata: key, data: { a: "b" } });
  await rest();
  assert.equal(
    await progress("homeless"),
    'Retrying: RolloutFailed: Namespace "later" does not exist. Create it: kubectl create namespace later',
  );
  // Failures have pushed the next attempt of its own far away.
  clock.advance(20_000);
  await rest();
  await ensureNamespace(world.client, "later", new AbortController().signal);
  await rest();
  assert.notEqual(await world.client.get(configMaps, key), undefined);
  assert.equal(await progress("homeless"), "Succeeded: Revision  has rolled out.");
});

test("a revision whose kind is not served shows it and is rolled out when its CustomResourceDefinition appears", async () => {
  await ensureNamespace(world.client, "widgets", new AbortController().signal);
  const key = { namespace: "widgets", name: "first" };
  const widget = { apiVersion: "waiting.example.com/v1", kind: "Widget", metadata: key, spec: { size: 1 } };
  await createRevision("unserved", widget);
  await rest();
  assert.equal(
    await progress("unserved"),
    "Retrying: ClusterIncompatible: The cluster does not serve kind Widget of waiting.example.com/v1. Install the package that provides kind Widget of waiting.example.com/v1; to find packages that name it: purser search Widget",
  );
  clock.advance(20_000);
  await rest();
  const crd: CustomResourceDefinition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.waiting.example.com" },
    spec: {
      group: "waiting.example.com",
      names: { kind: "Widget", plural: "widgets" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };
  await world.create(customResourceDefinitions, crd);
  await rest();
  const made = await world.client.get(widgets, key);
  assert.notEqual(made, undefined);

  await world.merge(widgets, key, { spec: { size: 7 } });
  await rest();
  const repaired = (await world.client.get(widgets, key)) as (KubeObject & { readonly spec?: JsonObject }) | undefined;
  assert.deepEqual(repaired?.spec, { size: 1 });
});
