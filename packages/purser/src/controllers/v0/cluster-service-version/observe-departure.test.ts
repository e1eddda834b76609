import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { observeDeparture, observeGone } from "./observe-departure.ts";
import { csvAt, namespace } from "./plan/testing/csv-world.ts";

const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
const managed = { "olm.managed": "true" };
const owned = {
  ...managed,
  "olm.owner": "gone.v1",
  "olm.owner.namespace": namespace,
  "olm.owner.kind": "ClusterServiceVersion",
};
const bindingTo = (role: string, name: string, labels: object) => ({
  ...rbac,
  kind: "ClusterRoleBinding",
  metadata: { name, labels },
  roleRef: { name: role },
});
const readerOf = (deployment: string, ...namespaces: readonly string[]) => ({
  ...rbac,
  kind: "RoleBinding",
  metadata: { namespace: "kube-system", name: `${deployment}-service-auth-reader`, labels: managed },
  roleRef: { name: "extension-apiserver-authentication-reader" },
  subjects: namespaces.map((of) => ({ kind: "ServiceAccount", name: "default", namespace: of })),
});
const crd = (name: string, service: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name },
  spec: { conversion: { strategy: "Webhook", webhook: { clientConfig: { service: { namespace: service } } } } },
});

test("of a CSV that does not exist only what no other CSV uses is left over", async () => {
  const serving = csvAt("alive.v1", "Succeeded");
  const webhookdefinitions = [{ type: "ConversionWebhook", deploymentName: "alive", conversionCRDs: ["taken.g.io"] }];
  const alive = { ...serving, spec: { ...serving.spec, webhookdefinitions } };
  const held = [
    alive,
    readerOf("dead", namespace),
    readerOf("alive", namespace),
    readerOf("foreign", "elsewhere"),
    readerOf("shared", namespace, "elsewhere"),
    bindingTo("system:auth-delegator", "dead-service-system:auth-delegator", owned),
    bindingTo("system:auth-delegator", "unmanaged-service-system:auth-delegator", { ...owned, "olm.managed": "false" }),
    bindingTo("permissions", "gone.v1-abc", owned),
    bindingTo("system:auth-delegator", "other-service-system:auth-delegator", managed),
    crd("own.g.io", namespace),
    crd("taken.g.io", namespace),
    crd("foreign.g.io", "elsewhere"),
  ] as unknown as readonly KubeObject[];
  const crds = held.filter(({ kind }) => kind === "CustomResourceDefinition");
  const cache = { cached: () => undefined, byIndex: () => crds as never };
  const { leftovers, converted } = await observeGone({ namespace, name: "gone.v1" }, new RecordingCluster(held), cache);
  assert.deepEqual(
    leftovers.map(({ kind, name }) => `${kind} ${name}`),
    ["clusterRoleBinding dead-service-system:auth-delegator", "authReader dead-service-auth-reader"],
  );
  assert.deepEqual(
    converted.map(({ metadata }) => metadata.name),
    ["own.g.io"],
  );
});

test("cluster roles and bindings of a deleted CSV go although an older OLM left them without the label of managed objects", async () => {
  const { "olm.managed": _managed, ...labels } = owned;
  const held = [
    bindingTo("permissions", "gone.v1-abc", labels),
    { ...rbac, kind: "ClusterRole", metadata: { name: "gone.v1-abc", labels } },
    {
      ...rbac,
      kind: "ClusterRole",
      metadata: { name: "alive.v1-abc", labels: { ...labels, "olm.owner": "alive.v1" } },
    },
  ] as unknown as readonly KubeObject[];
  const { leftovers } = await observeDeparture(csvAt("gone.v1", "Succeeded"), new RecordingCluster(held));
  assert.deepEqual(
    leftovers.map(({ kind, name }) => `${kind} ${name}`),
    ["clusterRoleBinding gone.v1-abc", "clusterRole gone.v1-abc"],
  );
});

test("an APIService that lacks the label of managed objects is left over by its owner labels", async () => {
  const { "olm.managed": _managed, ...labels } = owned;
  const service = (name: string, change: object = {}) => ({
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name, labels: { ...labels, ...change } },
  });
  const held = [
    service("v1.own.example"),
    service("v1.foreign.example", { "olm.owner": "alive.v1" }),
    service("v1.elsewhere.example", { "olm.owner.namespace": "elsewhere" }),
    service("v1.subscription.example", { "olm.owner.kind": "Subscription" }),
  ] as unknown as readonly KubeObject[];
  const cluster = new RecordingCluster(held);
  const expected = [{ kind: "apiService", name: "v1.own.example" }];
  const cache = { cached: () => undefined, byIndex: () => [] };
  assert.deepEqual((await observeGone({ namespace, name: "gone.v1" }, cluster, cache)).leftovers, expected);
  assert.deepEqual((await observeDeparture(csvAt("gone.v1", "Succeeded"), cluster)).leftovers, expected);
});

test("the binding in kube-system of a Deployment stays while one other CSV of several serves with it", async () => {
  const serving = (name: string, deployment: string) => {
    const csv = csvAt(name, "Succeeded");
    const webhookdefinitions = [{ type: "ConversionWebhook", deploymentName: deployment, conversionCRDs: ["k.g.io"] }];
    const install = { strategy: "deployment", spec: { deployments: [{ name: deployment, spec: {} }] } };
    return { ...csv, spec: { ...csv.spec, install, webhookdefinitions } } as unknown as typeof csv;
  };
  const gone = serving("gone.v1", "shared");
  const readersLeft = async (...siblings: readonly object[]) => {
    const held = [gone, ...siblings, readerOf("shared", namespace)] as unknown as readonly KubeObject[];
    const { leftovers } = await observeDeparture(gone, new RecordingCluster(held));
    return leftovers.filter(({ kind }) => kind === "authReader").map(({ name }) => name);
  };
  assert.deepEqual(await readersLeft(serving("alive.v1", "shared"), serving("other.v1", "own")), []);
  assert.deepEqual(await readersLeft(serving("other.v1", "own")), ["shared-service-auth-reader"]);
});
