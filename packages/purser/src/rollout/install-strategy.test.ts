import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordingCluster } from "../../conformance/suites/v0/recording-cluster.ts";
import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { Secret } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { installStrategy, observeStrategy } from "./install-strategy.ts";

const deployment = (name: string) => ({
  name,
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

/** Serves `things.apps.g.io/v1` from Deployment `d1`. */
function csv(...deployments: readonly string[]): ClusterServiceVersion {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "ns", name: "op.v1", uid: "u", annotations: {} },
    spec: {
      displayName: "op",
      apiservicedefinitions: {
        owned: [{ group: "apps.g.io", version: "v1", kind: "Thing", name: "things", deploymentName: "d1" }],
      },
      install: { strategy: "deployment", spec: { deployments: deployments.map(deployment) } },
    },
  } as unknown as ClusterServiceVersion;
}

const labels = { "olm.owner": "op.v1", "olm.owner.namespace": "ns", "olm.owner.kind": "ClusterServiceVersion" };
const live = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1.apps.g.io", labels: { ...labels, theirs: "kept" } },
  spec: { group: "apps.g.io", version: "v1", groupPriorityMinimum: 17, versionPriority: 18 },
} as unknown as KubeObject;

async function install(wanted: ClusterServiceVersion, held: readonly KubeObject[]): Promise<RecordingCluster> {
  return installOn(new RecordingCluster(held), wanted);
}

async function installOn(cluster: RecordingCluster, wanted: ClusterServiceVersion): Promise<RecordingCluster> {
  const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  const outcome = await installStrategy(
    await observeStrategy(cluster, wanted),
    { writer: cluster, clock, entropy: new SeededEntropy(1) },
    new AbortController().signal,
  );
  assert.equal(outcome.kind, "installed");
  return cluster;
}

const ofApiServices = ({ writes }: RecordingCluster): readonly string[] =>
  writes.filter((write) => write.includes(" apiservices "));

test("an APIService is created once and patched after every further Deployment", async () => {
  const once = await install(csv("d1"), []);
  assert.deepEqual(ofApiServices(once), ["create apiservices v1.apps.g.io"]);
  const twice = await install(csv("d1", "d2"), []);
  assert.deepEqual(ofApiServices(twice), ["create apiservices v1.apps.g.io", "patch apiservices v1.apps.g.io"]);
});

test("a Deployment that may not be replaced fails the installation", async () => {
  const older = {
    ...deployment("d1"),
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d1", namespace: "ns", labels },
  };
  const cluster = new RecordingCluster([older as unknown as KubeObject], ["deployments"]);
  const outcome = await installStrategy(
    await observeStrategy(cluster, csv("d1")),
    { writer: cluster, clock: new VirtualClock(0), entropy: new SeededEntropy(1) },
    new AbortController().signal,
  );
  assert.deepEqual(outcome, {
    kind: "forbidden",
    message: 'install strategy failed: deployments.apps "" is forbidden: denied by test',
  });
  assert.deepEqual(ofApiServices(cluster), []);
});

test("a patch of an existing APIService contains only the differences", async () => {
  const cluster = await install(csv("d1"), [live]);
  assert.deepEqual(ofApiServices(cluster), ["patch apiservices v1.apps.g.io"]);
  const [patch] = cluster.requests.flatMap((write) =>
    write.verb === "patch" && write.type.plural === "apiservices" ? [write.patch] : [],
  );
  const { spec, metadata } = patch as { readonly spec: object; readonly metadata: object };
  assert.deepEqual(Object.keys(spec).toSorted(), ["caBundle", "service"]);
  assert.deepEqual(metadata, { labels: { "olm.managed": "true" } });
});

test("two APIServices of one Deployment are served with one certificate", async () => {
  const served = csv("d1");
  const [thing] = served.spec.apiservicedefinitions?.owned ?? [];
  const owned = [thing, { ...thing, group: "other.g.io" }];
  const both = { ...served, spec: { ...served.spec, apiservicedefinitions: { owned } } } as ClusterServiceVersion;
  const cluster = await install(both, []);
  const made = (plural: string): readonly KubeObject[] =>
    cluster.requests.flatMap((write) =>
      write.verb === "create" && write.type.plural === plural ? [write.object] : [],
    );
  assert.deepEqual(
    made("secrets").map(({ metadata }) => metadata.name),
    ["d1-service-cert"],
  );
  const bundles = made("apiservices").map((service) => (service as unknown as APIService).spec?.caBundle);
  assert.deepEqual(bundles, [bundles[0], bundles[0]]);
  assert.match(atob(bundles[0] ?? ""), /^-----BEGIN CERTIFICATE-----/);
});

test("a valid certificate is adopted unchanged by the next CSV, with one update", async () => {
  const cluster = await install(csv("d1"), [csv("d1")]);
  const secret = { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true };
  const held = async (): Promise<Secret | undefined> => {
    const [found] = await cluster.list(secret, { namespace: "ns" });
    return found as Secret | undefined;
  };
  const first = await held();
  assert.deepEqual(
    first?.metadata.ownerReferences?.map(({ name }) => name),
    ["op.v1"],
  );
  const next = csv("d1");
  const metadata = { ...next.metadata, name: "op.v2", uid: "u2" };
  const replacing: ClusterServiceVersion = { ...next, metadata, spec: { ...next.spec, replaces: "op.v1" } };
  for (const pass of ["the first pass", "another pass"]) {
    cluster.writes.length = 0;
    await installOn(cluster, replacing);
    const now = await held();
    assert.deepEqual(
      now?.metadata.ownerReferences?.map(({ name, uid }) => `${name} ${uid}`),
      ["op.v2 u2"],
      pass,
    );
    assert.deepEqual(now?.data, first?.data, pass);
    const written = cluster.writes.filter((write) => write.includes(" secrets "));
    assert.equal(written.length, pass === "the first pass" ? 1 : 0, pass);
  }
});

test("a webhook waits for the one OperatorGroup that says where it applies, which no right can give", async () => {
  const wanted = csv("d1");
  const webhook = {
    type: "ValidatingAdmissionWebhook",
    deploymentName: "d1",
    generateName: "v.g.io",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    webhookPath: "/v",
  };
  const spec = { ...wanted.spec, webhookdefinitions: [webhook] } as ClusterServiceVersion["spec"];
  const cluster = new RecordingCluster([]);
  const outcome = await installStrategy(
    await observeStrategy(cluster, { ...wanted, spec }),
    { writer: cluster, clock: new VirtualClock(0), entropy: new SeededEntropy(1) },
    new AbortController().signal,
  );
  assert.deepEqual(outcome, { kind: "failed", message: "error retrieving OperatorGroup info" });
});

const webhookOf = (type: string, more: object = {}) => ({
  type,
  deploymentName: "d1",
  generateName: "v.g.io",
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  webhookPath: "/v",
  containerPort: 8443,
  ...more,
});
const group = {
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace: "ns", name: "g" },
  spec: {},
  status: { namespaces: [""] },
};
const modes = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
  type,
  supported: type === "AllNamespaces",
}));
const pots = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "pots.g.io", labels: { theirs: "" } },
  spec: { group: "g.io", preserveUnknownFields: false, versions: [] },
};

/** The writes of one pass to anything but Deployments and their certificates, and how it ends. */
async function passOf(
  deployments: readonly string[],
  spec: object,
  held: readonly object[],
  forbidden: readonly string[] = [],
) {
  const wanted = csv(...deployments);
  const cluster = new RecordingCluster([group, ...held] as unknown as readonly KubeObject[], forbidden);
  const outcome = await installStrategy(
    await observeStrategy(cluster, {
      ...wanted,
      spec: { ...wanted.spec, apiservicedefinitions: {}, installModes: modes, ...spec },
    } as unknown as ClusterServiceVersion),
    { writer: cluster, clock: new VirtualClock(0), entropy: new SeededEntropy(1) },
    new AbortController().signal,
  );
  const writes = cluster.writes.filter(
    (write) => !/ (secrets|services|roles|rolebindings|clusterrolebindings) /.test(write),
  );
  return {
    cluster,
    shown: [
      ...writes,
      ...cluster.deleted.map((name) => `delete ${name}`),
      "message" in outcome ? `${outcome.kind}: ${outcome.message}` : outcome.kind,
    ],
  };
}

test("webhooks are written after each Deployment: created once, then replaced with the labels of others kept", async () => {
  const both = {
    webhookdefinitions: [
      webhookOf("ValidatingAdmissionWebhook"),
      webhookOf("MutatingAdmissionWebhook", { generateName: "m.g.io" }),
    ],
  };
  const { shown, cluster } = await passOf(["d1", "d2"], both, []);
  assert.deepEqual(shown, [
    "create deployments d1",
    "create validatingwebhookconfigurations v.g.io-xxxxx",
    "create mutatingwebhookconfigurations m.g.io-xxxxx",
    "create deployments d2",
    "update validatingwebhookconfigurations v.g.io-xxxxx",
    "update mutatingwebhookconfigurations m.g.io-xxxxx",
    "installed",
  ]);
  const configurations = cluster.requests.flatMap((write) =>
    write.verb === "create" && write.type.plural.endsWith("webhookconfigurations") ? [write.object] : [],
  );
  const [first] = configurations;
  const theirs = {
    ...first,
    metadata: {
      ...first?.metadata,
      name: "v.g.io-1",
      labels: { ...first?.metadata.labels, theirs: "kept" },
      resourceVersion: "3",
    },
    webhooks: [],
  };
  const again = await passOf(["d1"], { webhookdefinitions: [webhookOf("ValidatingAdmissionWebhook")] }, [theirs]);
  assert.deepEqual(again.shown, [
    "create deployments d1",
    "update validatingwebhookconfigurations v.g.io-1",
    "installed",
  ]);
  const [replaced] = again.cluster.requests.flatMap((write) =>
    write.verb === "replace" && write.type.plural.endsWith("webhookconfigurations") ? [write.object] : [],
  );
  assert.deepEqual([replaced?.metadata.labels?.["theirs"], replaced?.metadata.resourceVersion], ["kept", "3"]);
  assert.equal((replaced as unknown as { readonly webhooks: readonly object[] }).webhooks.length, 1);
  assert.deepEqual((await passOf(["d1"], both, [], ["mutatingwebhookconfigurations"])).shown, [
    "create deployments d1",
    "create validatingwebhookconfigurations v.g.io-xxxxx",
    'forbidden: install strategy failed: mutatingwebhookconfigurations.admissionregistration.k8s.io "" is forbidden: denied by test',
  ]);
  assert.deepEqual((await passOf(["d1"], both, [theirs], ["validatingwebhookconfigurations"])).shown, [
    "create deployments d1",
    'forbidden: install strategy failed: validatingwebhookconfigurations.admissionregistration.k8s.io "" is forbidden: denied by test',
  ]);
});

test("a conversion webhook is set in each CRD that it names, and why it cannot be", async () => {
  const conversion = (...conversionCRDs: readonly string[]) => ({
    webhookdefinitions: [webhookOf("ConversionWebhook", { conversionCRDs })],
    customresourcedefinitions: { owned: conversionCRDs.map((name) => ({ name, version: "v1", kind: "Pot" })) },
  });
  const { shown, cluster } = await passOf(["d1"], conversion("pots.g.io"), [pots]);
  assert.deepEqual(shown, ["create deployments d1", "patch customresourcedefinitions pots.g.io", "installed"]);
  const [patch] = cluster.requests.flatMap((write) =>
    write.verb === "patch" && write.type.plural === "customresourcedefinitions"
      ? [write.patch as { readonly spec: { readonly conversion: { readonly strategy: string } } }]
      : [],
  );
  assert.deepEqual(
    [Object.keys(patch ?? {}), Object.keys(patch?.spec ?? {}), patch?.spec.conversion.strategy],
    [["spec"], ["conversion"], "Webhook"],
  );
  assert.deepEqual((await passOf(["d1"], conversion("pots.g.io"), [])).shown, [
    "create deployments d1",
    'failed: unable to get CRD pots.g.io specified in Conversion Webhook: customresourcedefinitions.apiextensions.k8s.io "pots.g.io" not found',
  ]);
  assert.deepEqual((await passOf(["d1"], conversion(), [pots])).shown, [
    "create deployments d1",
    "failed: unable to manager conversion webhook: conversion webhook must have at least one CRD specified",
  ]);
  assert.deepEqual(
    (
      await passOf(["d1"], { ...conversion("pots.g.io"), installModes: [{ type: "OwnNamespace", supported: true }] }, [
        pots,
      ])
    ).shown,
    [
      "create deployments d1",
      "failed: unable to manage conversion webhook: CSVs with conversion webhooks must support only AllNamespaces",
    ],
  );
  assert.deepEqual((await passOf(["d1"], conversion("pots.g.io"), [pots], ["customresourcedefinitions"])).shown, [
    "create deployments d1",
    'forbidden: install strategy failed: Error updating CRD with Conversion info: customresourcedefinitions.apiextensions.k8s.io "" is forbidden: denied by test',
  ]);
});

test("Deployments of this CSV that its strategy no longer names are deleted, and no others", async () => {
  const held = (name: string, more: object = {}) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      namespace: "ns",
      name,
      labels,
      ownerReferences: [{ apiVersion: "v1", kind: "ClusterServiceVersion", name: "op.v1", uid: "u" }],
      ...more,
    },
    spec: {},
  });
  const orphans = [
    held("gone"),
    held("d1"),
    held("foreign", {
      ownerReferences: [{ apiVersion: "v1", kind: "ClusterServiceVersion", name: "op.v1", uid: "other" }],
    }),
    held("unowned", { ownerReferences: undefined }),
    held("unlabelled", { labels: { "olm.owner": "op.v1" } }),
  ];
  assert.deepEqual((await passOf(["d1"], {}, orphans)).shown, [
    "update deployments d1",
    "delete deployments/gone",
    "installed",
  ]);
  assert.deepEqual((await passOf([], {}, [held("gone")], ["deployments"])).shown, [
    'failed: deployments.apps "" is forbidden: denied by test',
  ]);
});
