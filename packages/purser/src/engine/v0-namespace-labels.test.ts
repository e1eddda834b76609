import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { configMaps, namespaces, validatingWebhookConfigurations } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorGroups } from "../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const prefix = "olm.operatorgroup.uid/";

async function labelled(name: string, wanted: number): Promise<void> {
  await world.reaches(
    namespaces,
    { name },
    `with ${wanted} labels of groups`,
    ({ metadata }) => Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(prefix)).length === wanted,
  );
}

test("namespaces carry the label of a group while it targets them", async () => {
  const spec = { targetNamespaces: ["labels-a", "labels-b"] };
  await world.tenant("labels-a", spec);
  await labelled("labels-a", 1);
  await world.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "labels-b" } });
  await labelled("labels-b", 1);
  const key = { namespace: "labels-a", name: "group" };
  await world.merge(operatorGroups, key, { spec: { targetNamespaces: ["labels-b"] } });
  await labelled("labels-a", 0);
  await world.remove(operatorGroups, key);
  await labelled("labels-b", 0);
});

test("a webhook of a group with target namespaces is called for objects in them and in no other namespace", async () => {
  const namespace = "hooked";
  await world.tenant(namespace);
  await world.tenant("unhooked");
  const template = { metadata: { labels: { app: "server" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const deployment = { name: "server", spec: { selector: { matchLabels: { app: "server" } }, template } };
  await world.create(clusterServiceVersions, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace, name: "hook.v1" },
    spec: {
      displayName: "hook",
      installModes: [{ type: "OwnNamespace", supported: true }],
      install: { strategy: "deployment", spec: { deployments: [deployment] } },
      webhookdefinitions: [
        {
          type: "ValidatingAdmissionWebhook",
          generateName: "hook.example.com",
          deploymentName: "server",
          failurePolicy: "Fail",
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
        },
      ],
    },
  } as unknown as ClusterServiceVersion);
  await world.until("a webhook", async () => (await world.client.list(validatingWebhookConfigurations)).length > 0);
  await labelled(namespace, 1);
  const create = (where: string): Promise<void> =>
    world.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: where, name: "made" } });
  await assert.rejects(create(namespace), /hook\.example\.com/);
  await create("unhooked");
});
