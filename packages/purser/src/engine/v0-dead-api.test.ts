import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  apiServices,
  clusterRoleBindings,
  customResourceDefinitions,
  deployments,
  mutatingWebhookConfigurations,
  namespaces,
  roleBindings,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions } from "../apis/olm-resources.ts";
import type { ClusterServiceVersion, ClusterServiceVersionSpec } from "../apis/v0/cluster-service-version.ts";
import { serverOperator } from "./testing/server-operator.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const apiOf = (group: string, deploymentName?: string) => ({
  group,
  version: "v1",
  kind: "Thing",
  name: "things",
  ...(deploymentName === undefined ? {} : { deploymentName }),
});

const phase = (namespace: string, name: string, wanted: string, reason: string): Promise<ClusterServiceVersion> =>
  world.reaches(
    clusterServiceVersions,
    { namespace, name },
    `${wanted} for ${reason}`,
    ({ status }) => status?.conditions?.some((held) => held.phase === wanted && held.reason === reason) === true,
  );

/** An operator that waits for its own API, which is never available. */
async function waiting(namespace: string, group: string): Promise<void> {
  await world.tenant(namespace);
  const owned = [apiOf(group, "server")];
  await world.create(
    clusterServiceVersions,
    serverOperator(namespace, "dead.v1", { apiservicedefinitions: { owned } }),
  );
  await world.reaches(
    apiServices,
    { name: `v1.${group}` },
    "unavailable",
    ({ status }) =>
      status?.conditions?.some(({ type, status: held }) => type === "Available" && held === "False") === true,
  );
  await world.reaches(
    clusterServiceVersions,
    { namespace, name: "dead.v1" },
    "waiting for its API",
    ({ status }) => status?.phase === "Installing" && status.message === "apiServices not installed",
  );
}

/** An unavailable API of one test would block the deletion of the other tests' namespaces. */
async function removed(namespace: string): Promise<void> {
  await world.remove(clusterServiceVersions, { namespace, name: "dead.v1" });
  await world.vanishes(clusterServiceVersions, { namespace, name: "dead.v1" });
}

test("an operator whose API is not served reaches its install timeout and is installed again", async () => {
  const namespace = "dead-timeout";
  await waiting(namespace, "timeout.example");
  const key = { namespace, name: "dead.v1" };
  const held = await world.client.get(clusterServiceVersions, key);
  const status = { ...held?.status, lastTransitionTime: "2020-01-01T00:00:00Z" };
  const patch = { status: status as never };
  await world.client.write(
    { verb: "patch", type: clusterServiceVersions, key, patchType: "merge", patch, subresource: "status" },
    new AbortController().signal,
  );
  const failed = await phase(namespace, "dead.v1", "Failed", "InstallCheckFailed");
  const condition = failed.status?.conditions?.find(({ reason }) => reason === "InstallCheckFailed");
  assert.equal(condition?.message, "install timeout");
  await phase(namespace, "dead.v1", "Pending", "NeedsReinstall");
  await removed(namespace);
});

test("an operator that requires an API that is not served has an unmet requirement", async () => {
  const namespace = "dead-required";
  await waiting(namespace, "required.example");
  const spec = {
    apiservicedefinitions: { required: [apiOf("required.example")] },
    nativeAPIs: [{ group: "required.example", version: "v1", kind: "Thing" }],
  };
  await world.create(clusterServiceVersions, serverOperator(namespace, "needs.v1", spec));
  const { status } = await phase(namespace, "needs.v1", "Pending", "RequirementsNotMet");
  assert.deepEqual(
    status?.requirementStatus?.map(({ name, status: met, message }) => [name, met, message]),
    [
      ["v1.required.example", "NotPresent", ""],
      ["v1.required.example", "NotPresent", "Native API does not exist"],
    ],
  );
  await removed(namespace);
});

test("deleting an operator whose API is unavailable deletes its APIService", async () => {
  const namespace = "dead-deleted";
  await waiting(namespace, "deleted.example");
  await removed(namespace);
  assert.equal(await world.client.get(apiServices, { name: "v1.deleted.example" }), undefined);
  await world.vanishes(deployments, { namespace, name: "server" });
});

test("a namespace that contains an operator with an unavailable API can be deleted", async () => {
  const namespace = "dead-namespace";
  await waiting(namespace, "namespace.example");
  await world.remove(namespaces, { name: namespace });
  await world.vanishes(namespaces, { name: namespace });
  assert.equal(await world.client.get(apiServices, { name: "v1.namespace.example" }), undefined);
});

test("an APIService is deleted when its operator was deleted without running its finalizer", async () => {
  const namespace = "dead-orphan";
  await waiting(namespace, "orphan.example");
  await world.engine.stop();
  const key = { namespace, name: "dead.v1" };
  await world.merge(clusterServiceVersions, key, { metadata: { finalizers: null } });
  await world.remove(clusterServiceVersions, key);
  assert.ok((await world.client.get(apiServices, { name: "v1.orphan.example" })) !== undefined);
  await world.restartEngine();
  await world.vanishes(apiServices, { name: "v1.orphan.example" });
});

for (const [words, namespace] of [
  ["a namespace", "dead-nowhere"],
  ["a ClusterServiceVersion", "default"],
] as const)
  test(`an APIService without the label of managed objects is deleted when it is labelled for ${words} that does not exist`, async () => {
    const group = `${namespace}.example`;
    const name = `v1.${group}`;
    const spec = { group, version: "v1", groupPriorityMinimum: 100, versionPriority: 100 };
    await world.create(apiServices, {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name },
      spec,
    } as never);
    const labels = {
      "olm.owner": "gone.v1",
      "olm.owner.kind": "ClusterServiceVersion",
      "olm.owner.namespace": namespace,
    };
    await world.merge(apiServices, { name }, { metadata: { labels } });
    await world.vanishes(apiServices, { name });
  });

/** A CRD with two versions, and the spec of an operator that converts it. */
async function converted(group: string) {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const version = { served: true, schema };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Namespaced" as const,
      names: { plural: "things", kind: "Thing" },
      versions: [
        { ...version, name: "v1", storage: true },
        { ...version, name: "v2", storage: false },
      ],
    },
  };
  await world.create(customResourceDefinitions, crd);
  const spec = {
    installModes: [{ type: "AllNamespaces", supported: true }],
    customresourcedefinitions: { owned: [{ name: crd.metadata.name, version: "v1", kind: "Thing" }] },
    webhookdefinitions: [
      {
        generateName: `convert.${group}`,
        type: "ConversionWebhook",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        deploymentName: "server",
        conversionCRDs: [crd.metadata.name],
      },
    ],
  };
  const strategyIs = (wanted: string): Promise<unknown> =>
    world.reaches(
      customResourceDefinitions,
      { name: crd.metadata.name },
      `with conversion ${wanted}`,
      ({ spec: { conversion } }) => conversion?.strategy === wanted,
    );
  return { spec: spec as unknown as Partial<ClusterServiceVersionSpec>, strategyIs };
}

test("a CRD no longer uses the conversion webhook of a deleted operator", async () => {
  const namespace = "dead-conversion";
  await world.tenant(namespace, {});
  const { spec, strategyIs } = await converted("conversion.example");
  await world.create(clusterServiceVersions, serverOperator(namespace, "converts.v1", spec));
  await strategyIs("Webhook");
  await world.remove(clusterServiceVersions, { namespace, name: "converts.v1" });
  await strategyIs("None");
  await world.vanishes(clusterServiceVersions, { namespace, name: "converts.v1" });
});

test("a CRD no longer uses the conversion webhook of an operator whose replacement has none", async () => {
  const namespace = "dead-upgrade";
  await world.tenant(namespace, {});
  const { spec, strategyIs } = await converted("upgrade.example");
  await world.create(clusterServiceVersions, serverOperator(namespace, "converts.v1", spec));
  await strategyIs("Webhook");
  await phase(namespace, "converts.v1", "Succeeded", "InstallSucceeded");
  const { webhookdefinitions = [], ...without } = spec;
  await world.create(
    clusterServiceVersions,
    serverOperator(namespace, "converts.v2", { ...without, replaces: "converts.v1", webhookdefinitions }),
  );
  await world.vanishes(clusterServiceVersions, { namespace, name: "converts.v1" });
  await strategyIs("Webhook");
  await world.create(
    clusterServiceVersions,
    serverOperator(namespace, "converts.v3", { ...without, replaces: "converts.v2" }),
  );
  await world.vanishes(clusterServiceVersions, { namespace, name: "converts.v2" });
  await strategyIs("None");
  await world.remove(clusterServiceVersions, { namespace, name: "converts.v3" });
});

test("the binding in kube-system is deleted with the last operator whose Deployment serves", async () => {
  const namespace = "dead-reader";
  await world.tenant(namespace, {});
  const key = { namespace: "kube-system", name: "server-service-auth-reader" };
  const { spec } = await converted("reader.example");
  await world.create(clusterServiceVersions, serverOperator(namespace, "reads.v1", spec));
  await phase(namespace, "reads.v1", "Succeeded", "InstallSucceeded");
  await world.create(clusterServiceVersions, serverOperator(namespace, "reads.v2", { ...spec, replaces: "reads.v1" }));
  await world.vanishes(clusterServiceVersions, { namespace, name: "reads.v1" });
  assert.ok((await world.client.get(roleBindings, key)) !== undefined, "its replacement lost the binding");
  const other = [{ kind: "ServiceAccount", namespace: "elsewhere", name: "default" }];
  await world.merge(roleBindings, key, { metadata: { labels: { "olm.managed": null } }, subjects: other });
  await world.remove(clusterServiceVersions, { namespace, name: "reads.v2" });
  await world.vanishes(clusterServiceVersions, { namespace, name: "reads.v2" });
  assert.ok((await world.client.get(roleBindings, key)) !== undefined, "another operator lost its binding");
  await world.remove(roleBindings, key);
  await world.create(clusterServiceVersions, serverOperator(namespace, "reads.v3", spec));
  await phase(namespace, "reads.v3", "Succeeded", "InstallSucceeded");
  await world.remove(clusterServiceVersions, { namespace, name: "reads.v3" });
  await world.vanishes(clusterServiceVersions, { namespace, name: "reads.v3" });
  assert.equal(await world.client.get(roleBindings, key), undefined);
});

test("what an operator installed beside its namespace is deleted when it was deleted without its finalizer", async () => {
  const [namespace, other] = ["dead-sweep", "alive-sweep"];
  const { spec, strategyIs } = await converted("sweep.example");
  const [conversion] = spec.webhookdefinitions ?? [];
  const checking = (generateName: string, type: string) => ({
    generateName,
    type,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    deploymentName: "server",
    rules: [{ apiGroups: ["sweep.example"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["none"] }],
  });
  const webhookdefinitions = [
    checking("check.sweep.example", "ValidatingAdmissionWebhook"),
    checking("change.sweep.example", "MutatingAdmissionWebhook"),
  ];
  for (const where of [namespace, other]) {
    await world.tenant(where, {});
    const own = where === namespace ? [...webhookdefinitions, conversion] : webhookdefinitions;
    const { customresourcedefinitions: crds, ...rest } = spec;
    const wanted = { ...rest, ...(where === namespace ? { customresourcedefinitions: crds } : {}) };
    const csv = serverOperator(where, "swept.v1", { ...wanted, webhookdefinitions: own } as never);
    await world.create(clusterServiceVersions, csv);
    await phase(where, "swept.v1", "Succeeded", "InstallSucceeded");
  }
  await strategyIs("Webhook");
  const annotations = { "operatorframework.io/installed-alongside-1": `${namespace}/swept.v1` };
  await world.merge(customResourceDefinitions, { name: "things.sweep.example" }, { metadata: { annotations } });
  // Both installs wrote this binding; it belongs to the one whose account it names.
  const reader = { namespace: "kube-system", name: "server-service-auth-reader" };
  const delegator = { name: "server-service-system:auth-delegator" };
  const of = (where: string) => ({ subjects: [{ kind: "ServiceAccount", namespace: where, name: "default" }] });
  const label = (where: string) => ({ metadata: { labels: { "olm.owner.namespace": where } } });
  await world.settled();
  await world.engine.stop();
  await world.merge(roleBindings, reader, of(namespace));
  await world.merge(clusterRoleBindings, delegator, label(namespace));
  const key = { namespace, name: "swept.v1" };
  await world.merge(clusterServiceVersions, key, { metadata: { finalizers: null } });
  await world.remove(clusterServiceVersions, key);
  const webhooksOf = async (where: string): Promise<number> => {
    const labelSelector = `olm.owner=swept.v1,olm.owner.namespace=${where}`;
    const validating = await world.client.list(validatingWebhookConfigurations, { labelSelector });
    const mutating = await world.client.list(mutatingWebhookConfigurations, { labelSelector });
    return validating.length * 10 + mutating.length;
  };
  assert.equal(await webhooksOf(namespace), 11);
  await world.restartEngine();
  await strategyIs("None");
  await world.until("no webhooks", async () => (await webhooksOf(namespace)) === 0);
  await world.vanishes(roleBindings, reader);
  await world.vanishes(clusterRoleBindings, delegator);
  await world.settled();
  assert.equal(await webhooksOf(other), 11, "another operator lost its webhooks");
});
