import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { findCondition } from "@purser/kubernetes/apis/condition";
import * as resources from "@purser/kubernetes/apis/resources";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import { caInjectionAnnotation, certificateHostsAnnotation } from "../bundle/render/certificate-need.ts";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { invariant } from "@purser/kubernetes/invariant";
import type { JsonObject } from "@purser/kubernetes/json";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery, type Discovery } from "@purser/kubernetes/kube/discovery";
import { VirtualClock } from "@purser/kubernetes/virtual-clock";
import { desiredRevision, objectSetOf } from "./plan/revision.ts";
import { type ObjectSetOutcome, reconcileObjectSet } from "./reconcile-object-set.ts";

const signal = new AbortController().signal;
const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
let server: ApiServer;
let client: KubeClient;
let discovery: Discovery;

before(async () => {
  server = await createApiServer({
    clock,
    entropy: new SeededEntropy(1),
    controllers: false,
  });
  client = createClient(server.transport());
  discovery = createDiscovery(client);
  for (const name of ["ns", "olmv1-system"]) {
    await client.write(
      {
        verb: "create",
        type: resources.namespaces,
        object: { apiVersion: "v1", kind: "Namespace", metadata: { name } },
      },
      signal,
    );
  }
});
after(() => server.stop());

function revision(name: string, number: number, objects: readonly JsonObject[]): ClusterObjectSet {
  const desired = desiredRevision({
    extension: { name, uid: `uid-${name}` },
    bundle: { name: `${name}.v${number}`, packageName: name, version: `${number}.0.0`, image: "example.com/bundle" },
    objects,
  });
  invariant(desired.ok, "the objects are complete");
  const set = objectSetOf(desired.value, `${name}-${number}`, number, desired.value.phases);
  return { ...set, metadata: { ...set.metadata, uid: `uid-${name}-${number}`, generation: 1 } };
}

function reconcile(set: ClusterObjectSet, family: readonly ClusterObjectSet[] = [set]): Promise<ObjectSetOutcome> {
  return reconcileObjectSet(
    set,
    family,
    { reader: client, writer: client, lookUp: (kind) => discovery.lookUp(kind), clock, entropy: new SeededEntropy(2) },
    signal,
  );
}

function configMap(name: string, data: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "ns" }, data };
}

/** An aggregated API that is registered and never answers, as an object of a revision and on the cluster. */
async function deadApi(group: string): Promise<JsonObject> {
  const service = {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: "v1",
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      service: { namespace: "ns", name: "none" },
    },
  };
  const object = service as unknown as KubeObject;
  const written = await client.write({ verb: "create", type: resources.apiServices, object }, signal);
  invariant(written.ok, "the APIService can be created");
  return { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "thing", namespace: "ns" } };
}

const reason = ({ conditions }: ObjectSetOutcome, type: string) => findCondition(conditions, type)?.reason;

test("a revision is complete when its objects stand, and a second pass writes nothing", async () => {
  const set = revision("plain", 1, [configMap("plain", { a: "1" })]);
  assert.equal(reason(await reconcile(set), "Succeeded"), "Succeeded");
  const key = { namespace: "ns", name: "plain" };
  const first = await client.get(resources.configMaps, key);
  assert.equal(first?.metadata.ownerReferences?.[0]?.uid, "uid-plain-1");
  await reconcile(set);
  const second = await client.get(resources.configMaps, key);
  assert.equal(second?.metadata.resourceVersion, first?.metadata.resourceVersion);
});

test("a later phase waits until the probes of the one before pass", async () => {
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "slow", namespace: "ns" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  };
  const webhook = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "later" },
    webhooks: [],
  };
  const outcome = await reconcile(revision("slow", 1, [webhook, deployment]));
  assert.equal(reason(outcome, "Available"), "ProbeFailure");
  assert.match(
    findCondition(outcome.conditions, "Available")?.message ?? "",
    /^Object Deployment\.apps\/v1 ns\/slow: /,
  );
  assert.equal(await client.get(resources.validatingWebhookConfigurations, { name: "later" }), undefined);
});

test("an object of somebody else is left alone and explained with its owner and field managers", async () => {
  const foreign: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "taken",
      namespace: "ns",
      labels: { "olm.owner": "op.v1", "olm.owner.namespace": "ns", "olm.owner.kind": "ClusterServiceVersion" },
    },
  };
  await client.write({ verb: "create", type: resources.configMaps, object: foreign, fieldManager: "catalog" }, signal);
  const outcome = await reconcile(revision("late", 1, [configMap("taken", { a: "1" })]));
  assert.equal(reason(outcome, "Progressing"), "Retrying");
  assert.match(
    findCondition(outcome.conditions, "Progressing")?.message ?? "",
    /^revision object collisions in phase 0\n/,
  );
  assert.equal(outcome.explanation?.code, "ObjectOwnedElsewhere");
  assert.match(
    outcome.explanation?.summary ?? "",
    /ConfigMap "taken" exists already and belongs to ClusterServiceVersion "ns\/op\.v1"/,
  );
  assert.match(outcome.explanation?.derivation[0]?.text ?? "", /its fields by catalog/);
  assert.ok((outcome.explanation?.remedies.length ?? 0) > 0);
  const held = await client.get(resources.configMaps, { namespace: "ns", name: "taken" });
  assert.equal(held?.data, undefined);
});

test("the next revision takes shared objects over, and archiving the old one removes only what it alone had", async () => {
  const old = revision("up", 1, [configMap("shared", { a: "1", gone: "x" }), configMap("only-old")]);
  await reconcile(old);
  const next = revision("up", 2, [configMap("shared", { a: "2" })]);
  const outcome = await reconcile(next, [old, next]);
  assert.deepEqual(outcome.archive, ["up-1"]);
  const shared = await client.get(resources.configMaps, { namespace: "ns", name: "shared" });
  assert.deepEqual(shared?.data, { a: "2" });
  assert.deepEqual(
    shared?.metadata.ownerReferences?.map(({ uid }) => uid),
    ["uid-up-2"],
  );
  const archived = { ...old, spec: { ...old.spec, lifecycleState: "Archived" as const } } as ClusterObjectSet;
  const torn = await reconcile(archived, [archived, next]);
  assert.equal(torn.released, true);
  assert.equal(await client.get(resources.configMaps, { namespace: "ns", name: "only-old" }), undefined);
  assert.notEqual(await client.get(resources.configMaps, { namespace: "ns", name: "shared" }), undefined);
});

test("a revision whose content changed under it is blocked", async () => {
  const set = revision("pinned", 1, [configMap("pinned", { a: "1" })]);
  const outcome = await reconcile({
    ...set,
    status: { observedPhases: [{ name: "configuration", digest: "sha256:00" }] },
  });
  assert.equal(reason(outcome, "Progressing"), "Blocked");
  assert.match(
    findCondition(outcome.conditions, "Progressing")?.message ?? "",
    /^resolved content of 1 phase\(s\) has changed/,
  );
});

test("a serving certificate is issued once, and its authority reaches webhooks", async () => {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "cert", namespace: "ns", annotations: { [certificateHostsAnnotation]: "svc.ns,svc.ns.svc" } },
    type: "kubernetes.io/tls",
  };
  const webhook = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "served", annotations: { [caInjectionAnnotation]: "ns/cert" } },
    webhooks: [
      {
        name: "v.example.com",
        clientConfig: { service: { namespace: "ns", name: "svc" } },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
  const set = revision("secure", 1, [secret, webhook]);
  const outcome = await reconcile(set);
  assert.equal(reason(outcome, "Progressing"), "Succeeded");
  assert.ok((outcome.recheckAfterMs ?? 0) > 0, "the rotation is scheduled");
  const first = await client.get(resources.secrets, { namespace: "ns", name: "cert" });
  const held = await client.get(resources.validatingWebhookConfigurations, { name: "served" });
  assert.equal(held?.webhooks?.[0]?.clientConfig.caBundle, first?.data?.["ca.crt"]);
  await reconcile(set);
  const second = await client.get(resources.secrets, { namespace: "ns", name: "cert" });
  assert.equal(second?.data?.["tls.crt"], first?.data?.["tls.crt"]);
});

test("an object of an API whose server does not answer is an error that says so, and the deadline passes", async () => {
  const thing = await deadApi("rolling.example");
  const given = revision("dead", 1, [thing]);
  invariant(given.spec !== undefined, "it has a spec");
  const set = {
    ...given,
    metadata: { ...given.metadata, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { ...given.spec, progressDeadlineMinutes: 1 },
  };
  const outcome = await reconcile(set);
  const expected =
    'no matches for kind "Thing" in version "rolling.example/v1": the server of rolling.example/v1 does not answer: service unavailable';
  assert.equal(findCondition(outcome.conditions, "Progressing")?.message, expected);
  clock.advance(61_000);
  assert.equal(reason(await reconcile(set), "Progressing"), "ProgressDeadlineExceeded");
});

test("an archived revision deletes everything but the objects of an API whose server does not answer, and names those", async () => {
  const thing = await deadApi("leaving.example");
  const first = revision("leaving", 1, [configMap("leaving")]);
  await reconcile(first);
  const full = revision("leaving", 1, [configMap("leaving"), thing]);
  invariant(full.spec !== undefined, "it has a spec");
  const outcome = await reconcile({ ...full, spec: { ...full.spec, lifecycleState: "Archived" } });
  assert.equal(await client.get(resources.configMaps, { namespace: "ns", name: "leaving" }), undefined);
  assert.equal(outcome.released, false);
  assert.equal(
    findCondition(outcome.conditions, "Progressing")?.message,
    "cannot delete Thing.leaving.example/v1 ns/thing: the server of leaving.example/v1 does not answer: service unavailable",
  );
});
