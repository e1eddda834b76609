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
