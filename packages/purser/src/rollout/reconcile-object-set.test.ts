import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import * as resources from "@purser/kubernetes/apis/resources";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import { caInjectionAnnotation, certificateHostsAnnotation } from "../bundle/render/certificate-need.ts";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { revisionAnnotation } from "../apis/v1/labels.ts";
import { invariant } from "@purser/kubernetes/invariant";
import type { JsonObject } from "@purser/kubernetes/json";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery, type Discovery } from "@purser/kubernetes/kube/discovery";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { desiredRevision, objectSetOf } from "./plan/revision.ts";
import type { ObjectSetOutcome } from "./plan/object-set-outcome.ts";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import { KnownMembers, knownMs, unwatchedMs } from "./memory/known-members.ts";
import { reconcileObjectSet } from "./reconcile-object-set.ts";

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

function reconcile(
  set: ClusterObjectSet,
  { siblings = [], ...ports }: Partial<ObjectSetPorts> & { readonly siblings?: readonly ClusterObjectSet[] } = {},
): Promise<ObjectSetOutcome> {
  const own: ObjectSetPorts = {
    reader: client,
    writer: client,
    lookUp: (kind) => discovery.lookUp(kind),
    servedTypes: () => discovery.all(),
    clock,
    entropy: new SeededEntropy(2),
  };
  return reconcileObjectSet(set, siblings, { ...own, ...ports }, signal);
}

const typesOf = (outcome: ObjectSetOutcome): readonly string[] =>
  "types" in outcome ? outcome.types.map(({ plural }) => plural) : [];

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

test("a revision is complete when its objects are ready, and a second pass writes nothing", async () => {
  const set = revision("plain", 1, [configMap("plain", { a: "1" })]);
  const outcome = await reconcile(set);
  assert.equal(outcome.kind, "complete");
  assert.deepEqual(typesOf(outcome), ["configmaps"]);
  const key = { namespace: "ns", name: "plain" };
  const first = await client.get(resources.configMaps, key);
  assert.equal(first?.metadata.ownerReferences?.[0]?.uid, "uid-plain-1");
  await reconcile(set);
  const second = await client.get(resources.configMaps, key);
  assert.equal(second?.metadata.resourceVersion, first?.metadata.resourceVersion);
});

/** Empty maps and lists, and values in a form that the API server does not keep. */
const emptied: readonly JsonObject[] = [
  { apiVersion: "v1", kind: "ConfigMap", data: {}, binaryData: {} },
  { apiVersion: "v1", kind: "Secret", data: {}, stringData: {} },
  { apiVersion: "v1", kind: "Secret", type: "Opaque", stringData: { a: "b" } },
  { apiVersion: "v1", kind: "ServiceAccount", secrets: [], imagePullSecrets: [] },
  { apiVersion: "v1", kind: "Service", spec: { ports: [{ port: 80 }], selector: {}, externalIPs: [] } },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    spec: { accessModes: ["ReadWriteOnce"], resources: { limits: {}, requests: { storage: "1024Mi" } } },
  },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", rules: [] },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: [], nonResourceURLs: [] }],
  },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", rules: [] },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    subjects: [],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    spec: { podSelector: { matchLabels: {} }, ingress: [], egress: [], policyTypes: [] },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    spec: { minAvailable: 1, selector: { matchLabels: {}, matchExpressions: [] } },
  },
  { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", value: 1, description: "" },
  { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration", webhooks: [] },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    spec: {
      selector: { matchLabels: { a: "b" }, matchExpressions: [] },
      template: {
        metadata: { labels: { a: "b" }, annotations: {}, creationTimestamp: null },
        spec: {
          nodeSelector: {},
          tolerations: [],
          volumes: [],
          initContainers: [],
          securityContext: {},
          containers: [
            {
              name: "c",
              image: "i",
              args: [],
              env: [],
              envFrom: [],
              ports: [],
              resources: { limits: { cpu: "1000m" } },
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    spec: {
      group: "empty.example.com",
      scope: "Namespaced",
      names: { kind: "Empty", plural: "empties", singular: "", shortNames: [], categories: [] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: {},
          additionalPrinterColumns: [],
          schema: { openAPIV3Schema: { type: "object", properties: {}, required: [] } },
        },
      ],
    },
    status: { conditions: [], acceptedNames: { kind: "", plural: "" }, storedVersions: [] },
  },
];
/** Notes what is written, and writes it. */
function noting(writes: string[]): ObjectWriter {
  return {
    write(write, stop) {
      if (!("dryRun" in write) || write.dryRun !== true) writes.push(write.verb);
      return client.write(write, stop);
    },
  };
}

for (const [index, object] of emptied.entries())
  test(`object ${index} (${JSON.stringify(object["kind"])}) with empty maps and lists is not written again by a second pass`, async () => {
    const name = object["kind"] === "CustomResourceDefinition" ? "empties.empty.example.com" : `empty-${index}`;
    const metadata = { name, namespace: "ns", labels: {}, annotations: {} };
    const set = revision(`empty${index}`, 1, [{ ...object, metadata }]);
    const first = await reconcile(set);
    assert.ok(first.kind === "complete" || first.kind === "rollingOut", JSON.stringify(first));
    const writes: string[] = [];
    await reconcile(set, { writer: noting(writes) });
    assert.deepEqual(writes, []);
  });

test("drift of an object that the API server keeps in another form is repaired, and what others add to it costs no write", async () => {
  const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: [] };
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "drifting", namespace: "ns" },
  };
  const set = revision("drifting", 1, [{ ...role, rules: [rule] }]);
  const key = { namespace: "ns", name: "drifting" };
  const change = (patch: JsonObject) =>
    client.write({ verb: "patch", type: resources.roles, key, patchType: "merge", patch }, signal);
  const pass = async (): Promise<readonly string[]> => {
    const writes: string[] = [];
    await reconcile(set, { writer: noting(writes) });
    return writes;
  };
  assert.deepEqual(await pass(), ["create"]);
  await change({ metadata: { annotations: { "example.com/by": "a user" } } });
  assert.deepEqual([await pass(), await pass()], [[], []]);
  await change({ rules: [{ ...rule, verbs: ["*"] }] });
  assert.deepEqual([await pass(), await pass()], [["patch", "apply"], []]);
  const live = await client.get(resources.roles, key);
  assert.deepEqual((live as unknown as { readonly rules: unknown }).rules, [
    { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
  ]);
  assert.equal(live?.metadata.annotations?.["example.com/by"], "a user");
  const labelled = { ...role, metadata: { ...role.metadata, labels: { extra: "x" } } };
  const other = revision("drifting", 1, [{ ...labelled, rules: [rule] }]);
  const writes: string[] = [];
  await reconcile(other, { writer: noting(writes) });
  await reconcile(set, { writer: noting(writes) });
  assert.deepEqual(writes, ["apply", "apply"], "what is wanted changed");
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
  assert.equal(outcome.kind, "rollingOut");
  assert.match(outcome.faults.join(), /^Object Deployment\.apps\/v1 ns\/slow: /);
  assert.deepEqual(typesOf(outcome), ["deployments"], "only what it looked at wakes it");
  assert.equal(await client.get(resources.validatingWebhookConfigurations, { name: "later" }), undefined);
});

interface Watched {
  readonly known: NonNullable<ObjectSetPorts["known"]>;
  /** What a watch shows of each object, by its name; absent: it shows none. */
  readonly shown: Map<string, string>;
  /** The objects that it shows whole. */
  readonly whole: Map<string, KubeObject>;
}

function watched(): Watched {
  const shown = new Map<string, string>();
  const whole = new Map<string, KubeObject>();
  const versions: Watched["known"]["versions"] = {
    changeSince: (_type, { name }, { resourceVersion }) => {
      const version = shown.get(name);
      return version === undefined ? "unseen" : version === resourceVersion ? "none" : "changed";
    },
    lastSeen: (_type, { name }) => whole.get(name),
  };
  return { shown, whole, known: { members: new KnownMembers(clock), versions } };
}

function readsOf(reads: string[]): ObjectReader {
  return {
    get: (type: { readonly plural: string }, key: { readonly name: string }) => {
      reads.push(`${type.plural}/${key.name}`);
      return client.get(type as typeof resources.configMaps, key);
    },
    list: client.list.bind(client),
  } as unknown as ObjectReader;
}

const condition = (type: string): ClusterObjectSet["status"] => ({
  conditions: [{ type, status: "True", reason: type, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
});

test("a pass reads only the objects that a watch shows in another version than they were seen in", async () => {
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "skimmed-b", namespace: "ns" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  };
  const set = revision("skimmed", 1, [configMap("skimmed-a", { a: "1" }), deployment]);
  const rolling = { ...set, status: condition("Progressing") } as ClusterObjectSet;
  const done = { ...set, status: condition("Succeeded") } as ClusterObjectSet;
  const reads: string[] = [];
  const { known, shown } = watched();
  const pass = async (one: ClusterObjectSet): Promise<readonly [isSkimmed: boolean, reads: readonly string[]]> => {
    reads.length = 0;
    const outcome = await reconcile(one, { reader: readsOf(reads), known });
    assert.equal(outcome.kind, "rollingOut");
    assert.match(outcome.faults.join(), /^Object Deployment/);
    assert.deepEqual(typesOf(outcome), ["configmaps", "deployments"], "what is not read is watched all the same");
    return [outcome.isSkimmed === true, [...reads]];
  };
  const show = async (): Promise<void> => {
    for (const [type, name] of [
      [resources.configMaps, "skimmed-a"] as const,
      [resources.deployments, "skimmed-b"] as const,
    ])
      shown.set(name, (await client.get(type, { namespace: "ns", name }))?.metadata.resourceVersion ?? "");
  };
  assert.deepEqual(await pass(set), [false, []], "objects of a first revision are created without a look");
  assert.deepEqual(await pass(rolling), [true, []], "no watch shows them, but they were written moments ago");
  clock.advance(unwatchedMs);
  assert.deepEqual(await pass(rolling), [false, ["configmaps/skimmed-a", "deployments/skimmed-b"]]);
  await show();
  assert.deepEqual(await pass(rolling), [false, []]);
  const key = { namespace: "ns", name: "skimmed-a" };
  const drift = { verb: "patch", type: resources.configMaps, key, patchType: "merge" } as const;
  await client.write({ ...drift, patch: { data: { a: "2" } } }, signal);
  await show();
  assert.deepEqual(await pass(done), [false, ["configmaps/skimmed-a"]], "drift is repaired");
  assert.deepEqual((await client.get(resources.configMaps, key))?.data, { a: "1" });
  await show();
  assert.deepEqual(await pass(done), [false, []]);
  shown.delete("skimmed-b");
  assert.deepEqual(
    await pass(done),
    [false, ["deployments/skimmed-b"]],
    "the watch showed it before: it may be deleted",
  );
  await show();
  const anew = { ...done, metadata: { ...done.metadata, generation: 2 } };
  assert.deepEqual(
    await pass(anew),
    [false, ["configmaps/skimmed-a", "deployments/skimmed-b"]],
    "another revision is wanted",
  );
  clock.advance(knownMs);
  assert.deepEqual(
    await pass(anew),
    [false, ["configmaps/skimmed-a", "deployments/skimmed-b"]],
    "no watch is trusted for ever",
  );
});

test("an object that a watch shows whole is not read, and its drift is repaired", async () => {
  const set = revision("whole", 1, [configMap("whole", { a: "1" })]);
  const reads: string[] = [];
  const { known, shown, whole } = watched();
  await reconcile(set, { known });
  const key = { namespace: "ns", name: "whole" };
  const patch = { data: { a: "2" } };
  await client.write({ verb: "patch", type: resources.configMaps, key, patchType: "merge", patch }, signal);
  const live = await client.get(resources.configMaps, key);
  invariant(live !== undefined, "it exists");
  shown.set("whole", live.metadata.resourceVersion ?? "");
  whole.set("whole", live);
  await reconcile({ ...set, status: condition("Succeeded") } as ClusterObjectSet, { reader: readsOf(reads), known });
  assert.deepEqual(reads, []);
  assert.deepEqual((await client.get(resources.configMaps, key))?.data, { a: "1" });
});

test("certificates are read in each pass, although watches show no change", async () => {
  const host = "skimmed.ns.svc";
  const serving = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "skimmed-cert", namespace: "ns", annotations: { [certificateHostsAnnotation]: host } },
    type: "kubernetes.io/tls",
  };
  const webhook = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "skimmed-hook", annotations: { [caInjectionAnnotation]: "ns/skimmed-cert" } },
    webhooks: [],
  };
  const set = revision("skimmed-cert", 1, [serving, webhook]);
  const reads: string[] = [];
  const { known } = watched();
  await reconcile(set, { reader: readsOf(reads), known });
  reads.length = 0;
  await reconcile({ ...set, status: condition("Succeeded") } as ClusterObjectSet, {
    reader: readsOf(reads),
    known: { ...known, versions: { ...known.versions, changeSince: () => "none" } },
  });
  assert.deepEqual([...new Set(reads)].toSorted(), [
    "secrets/skimmed-cert",
    "validatingwebhookconfigurations/skimmed-hook",
  ]);
});

test("an object of a first revision that a pass before met is read, not created again", async () => {
  const set = revision("met", 1, [configMap("met", { a: "1" })]);
  const rolling = { ...set, status: condition("Progressing") } as ClusterObjectSet;
  const seen: string[] = [];
  const { known, shown } = watched();
  await reconcile(rolling, { writer: requests(seen), known });
  assert.deepEqual(seen.splice(0), ["create configmaps/met"]);
  shown.set("met", "another");
  await reconcile(rolling, { writer: requests(seen), known });
  assert.deepEqual(seen, []);
});

test("an object that exists before a first revision creates it is a collision, and is not changed", async () => {
  const taken = configMap("first-taken", { a: "0" }) as unknown as KubeObject;
  await client.write({ verb: "create", type: resources.configMaps, object: taken, fieldManager: "someone" }, signal);
  const { known } = watched();
  const outcome = await reconcile(revision("first", 1, [configMap("first-taken", { a: "1" })]), { known });
  assert.equal(outcome.kind, "collided");
  const live = await client.get(resources.configMaps, { namespace: "ns", name: "first-taken" });
  assert.deepEqual(live?.data, { a: "0" });
});

test("an object with another owner is not changed and is reported with its field managers", async () => {
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
  assert.equal(outcome.kind, "collided");
  assert.equal(outcome.phase, 0);
  assert.deepEqual(
    outcome.collisions.map(({ live, managers }) => [live.metadata.name, managers]),
    [["taken", ["catalog"]]],
  );
  const held = await client.get(resources.configMaps, { namespace: "ns", name: "taken" });
  assert.equal(held?.data, undefined);
});

test("the next revision takes shared objects over, and archiving the old one removes only what it alone had", async () => {
  const old = revision("up", 1, [configMap("shared", { a: "1", gone: "x" }), configMap("only-old")]);
  await reconcile(old);
  const next = revision("up", 2, [configMap("shared", { a: "2" })]);
  assert.equal((await reconcile(next, { siblings: [old] })).kind, "complete");
  const shared = await client.get(resources.configMaps, { namespace: "ns", name: "shared" });
  assert.deepEqual(shared?.data, { a: "2" });
  assert.deepEqual(
    shared?.metadata.ownerReferences?.map(({ uid }) => uid),
    ["uid-up-2"],
  );
  const archived = { ...old, spec: { ...old.spec, lifecycleState: "Archived" as const } } as ClusterObjectSet;
  assert.deepEqual(await reconcile(archived, { siblings: [next] }), { kind: "tornDown" });
  assert.equal(await client.get(resources.configMaps, { namespace: "ns", name: "only-old" }), undefined);
  assert.notEqual(await client.get(resources.configMaps, { namespace: "ns", name: "shared" }), undefined);
});

for (const [what, annotation] of [
  ["names another revision", "7"],
  ["is gone", null],
] as const)
  test(`an archived revision leaves an object whose revision annotation ${what}, without its owner reference`, async () => {
    const name = `marked-${annotation ?? "not"}`;
    const set = revision(name, 1, [configMap(name, { a: "1" })]);
    await reconcile(set);
    const key = { namespace: "ns", name };
    const patch = { metadata: { annotations: { [revisionAnnotation]: annotation } } };
    await client.write({ verb: "patch", type: resources.configMaps, key, patchType: "merge", patch }, signal);
    invariant(set.spec !== undefined, "it has a spec");
    const archived: ClusterObjectSet = { ...set, spec: { ...set.spec, lifecycleState: "Archived" } };
    assert.deepEqual(await reconcile(archived), { kind: "tornDown" });
    const left = await client.get(resources.configMaps, key);
    assert.deepEqual([left?.data, left?.metadata.ownerReferences], [{ a: "1" }, undefined]);
  });

test("a revision is not complete while an object that the next revision controls is not ready", async () => {
  const deployment = (image: string): JsonObject => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "taken-over", namespace: "ns" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image }] } },
    },
  });
  const old = revision("over", 1, [deployment("one")]);
  const next = revision("over", 2, [deployment("two")]);
  await reconcile(old);
  await reconcile(next, { siblings: [old] });
  const outcome = await reconcile(old, { siblings: [next] });
  assert.equal(outcome.kind, "rollingOut");
  assert.match(outcome.faults.join(), /^Object Deployment\.apps\/v1 ns\/taken-over: /);
  const key = { namespace: "ns", name: "taken-over" };
  const held = await client.get(resources.deployments, key);
  assert.equal(held?.spec?.template.spec?.containers?.[0]?.image, "two", "the older revision writes nothing");
});

test("a revision whose content changed under it is blocked", async () => {
  const set = revision("pinned", 1, [configMap("pinned", { a: "1" })]);
  const outcome = await reconcile({
    ...set,
    status: { observedPhases: [{ name: "configuration", digest: "sha256:00" }] },
  });
  assert.equal(outcome.kind, "blocked");
  assert.match(outcome.message, /^resolved content of 1 phase\(s\) has changed/);
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
  assert.equal(outcome.kind, "complete");
  assert.ok((outcome.rotateAt ?? 0) > clock.now(), "the rotation is known");
  const first = await client.get(resources.secrets, { namespace: "ns", name: "cert" });
  const held = await client.get(resources.validatingWebhookConfigurations, { name: "served" });
  assert.equal(held?.webhooks?.[0]?.clientConfig.caBundle, first?.data?.["ca.crt"]);
  await reconcile(set);
  const second = await client.get(resources.secrets, { namespace: "ns", name: "cert" });
  assert.equal(second?.data?.["tls.crt"], first?.data?.["tls.crt"]);
});

test("an object of an API whose server does not answer is an error that says so", async () => {
  const thing = await deadApi("rolling.example");
  const outcome = await reconcile(revision("dead", 1, [thing]));
  assert.equal(outcome.kind, "refused");
  assert.deepEqual(outcome.errors, [
    'no matches for kind "Thing" in version "rolling.example/v1": the server of rolling.example/v1 does not answer: service unavailable',
  ]);
});

test("an archived revision deletes everything but the objects of an API whose server does not answer, and names those", async () => {
  const thing = await deadApi("leaving.example");
  const first = revision("leaving", 1, [configMap("leaving")]);
  await reconcile(first);
  const full = revision("leaving", 1, [configMap("leaving"), thing]);
  invariant(full.spec !== undefined, "it has a spec");
  const outcome = await reconcile({ ...full, spec: { ...full.spec, lifecycleState: "Archived" } });
  assert.equal(await client.get(resources.configMaps, { namespace: "ns", name: "leaving" }), undefined);
  assert.equal(outcome.kind, "refused");
  assert.deepEqual(outcome.errors, [
    "cannot delete Thing.leaving.example/v1 ns/thing: the server of leaving.example/v1 does not answer: service unavailable",
  ]);
});

/** Reports once that the object does not exist, and creates it at that moment under another field manager. */
function createdMeanwhile(object: KubeObject): ObjectReader {
  let isRace = true;
  return {
    async get(type, key) {
      if (!isRace || key.name !== object.metadata.name) return client.get(type, key);
      isRace = false;
      const written = await client.write({ verb: "create", type, object, fieldManager: "somebody" }, signal);
      invariant(written.ok, "the object can be created");
      return undefined;
    },
    list: (type, scope) => client.list(type, scope),
  };
}

const races: readonly (readonly [string, string, JsonObject])[] = [
  ["sets the same field", "raced", { a: "theirs" }],
  ["sets other fields", "raced-apart", { b: "theirs" }],
];
for (const [what, name, data] of races)
  test(`an object that appears between look and write and ${what} stays as it was made`, async () => {
    const theirs: KubeObject = configMap(name, data) as unknown as KubeObject;
    const set = revision(name, 1, [configMap(name, { a: "ours" })]);
    assert.equal((await reconcile(set, { reader: createdMeanwhile(theirs) })).kind, "collided");
    assert.equal((await reconcile(set)).kind, "collided");
    const held = await client.get(resources.configMaps, { namespace: "ns", name });
    assert.deepEqual(held?.data, data);
    const { labels, annotations, ownerReferences } = held?.metadata ?? {};
    assert.deepEqual([labels, annotations, ownerReferences], [undefined, undefined, undefined]);
  });

const archivedOf = (set: ClusterObjectSet): ClusterObjectSet => {
  invariant(set.spec !== undefined, "it has a spec");
  return { ...set, spec: { ...set.spec, lifecycleState: "Archived" } };
};

test("an archived revision whose content changed under it is blocked, and deletes nothing", async () => {
  const set = revision("kept-pinned", 1, [configMap("kept-pinned", { a: "1" })]);
  await reconcile(set);
  const changed = archivedOf({
    ...set,
    status: { observedPhases: [{ name: "configuration", digest: "sha256:00" }] },
  });
  const outcome = await reconcile(changed);
  assert.equal(outcome.kind, "blocked");
  assert.match(outcome.message, /^resolved content of 1 phase\(s\) has changed/);
  assert.notEqual(await client.get(resources.configMaps, { namespace: "ns", name: "kept-pinned" }), undefined);
});

test("an archived revision whose Secret was deleted removes what it controls on the cluster, and nothing else", async () => {
  const gone = revision("lost", 1, [configMap("lost-a"), configMap("lost-b"), configMap("lost-taken")]);
  await reconcile(gone);
  await reconcile(revision("lost", 2, [configMap("lost-taken")]), { siblings: [gone] });
  const stranger = revision("lost", 9, [configMap("lost-stranger")]);
  await reconcile(stranger);
  await reconcile(revision("lost-other", 1, [configMap("lost-other")]));
  invariant(gone.spec !== undefined, "it has a spec");
  const phases = [
    { name: "configuration", objects: [{ ref: { name: "no-such-secret", namespace: "olmv1-system", key: "k" } }] },
  ];
  const archived = archivedOf({ ...gone, spec: { ...gone.spec, phases } });
  assert.deepEqual(await reconcile(archived), { kind: "tornDown" });
  const left = await client.list(resources.configMaps, { namespace: "ns" });
  const names = left.map(({ metadata }) => metadata.name).filter((name) => name?.startsWith("lost"));
  assert.deepEqual(names, ["lost-other", "lost-stranger", "lost-taken"]);
});

test("an active revision whose Secret was deleted deletes nothing and says which Secret", async () => {
  const set = revision("lost-active", 1, [configMap("lost-active")]);
  await reconcile(set);
  invariant(set.spec !== undefined, "it has a spec");
  const phases = [
    { name: "configuration", objects: [{ ref: { name: "no-such-secret", namespace: "olmv1-system", key: "k" } }] },
  ];
  assert.deepEqual(await reconcile({ ...set, spec: { ...set.spec, phases } }), {
    kind: "unresolved",
    message:
      'resolving ref in phase "configuration": getting Secret olmv1-system/no-such-secret: secrets "no-such-secret" not found',
  });
});

/** Records requests to write as `METHOD plural/name`, dry runs as `dry METHOD ...`. */
function requests(seen: string[]): ObjectWriter {
  return {
    write(write: ObjectWrite, aborting) {
      const { name } = "key" in write ? write.key : write.object.metadata;
      const dry = "dryRun" in write && write.dryRun === true ? "dry " : "";
      seen.push(`${dry}${write.verb} ${write.type.plural}/${name}`);
      return client.write(write, aborting);
    },
  };
}

test("no object of a phase is written while a dry run of one of them is refused", async () => {
  const broken = { ...configMap("atomic-b"), data: { "not a key": "1" } };
  const seen: string[] = [];
  const outcome = await reconcile(revision("atomic", 1, [configMap("atomic-a"), broken]), { writer: requests(seen) });
  assert.equal(outcome.kind, "invalid");
  assert.match(
    outcome.message,
    /^phase 0 validation error: phase "configuration": ConfigMap\.v1 ns\/atomic-b: ConfigMap "atomic-b" is invalid: data\[not a key\]: Invalid value/,
  );
  assert.deepEqual(typesOf(outcome), ["configmaps", "configmaps"]);
  assert.deepEqual(seen, ["dry create configmaps/atomic-b", "dry create configmaps/atomic-a"]);
});

test("when the first object of a phase is refused, the others are not written, and the refusal is reported as that of a dry run", async () => {
  const broken = { ...configMap("refused-a"), data: { "not a key": "1" } };
  const seen: string[] = [];
  const set = revision("refused", 1, [broken, configMap("refused-b"), configMap("refused-c")]);
  const outcome = await reconcile(set, { writer: requests(seen) });
  assert.equal(outcome.kind, "invalid");
  assert.match(
    outcome.message,
    /^phase 0 validation error: phase "configuration": ConfigMap\.v1 ns\/refused-a: ConfigMap "refused-a" is invalid: data\[not a key\]: Invalid value[^\n]*$/,
  );
  assert.deepEqual(typesOf(outcome), ["configmaps", "configmaps", "configmaps"]);
  assert.deepEqual(seen, [
    "dry create configmaps/refused-b",
    "dry create configmaps/refused-c",
    "create configmaps/refused-a",
  ]);
});

test("objects are created by POST, and a dry run is made only where several are to be written before the first success", async () => {
  const seen: string[] = [];
  const writer = requests(seen);
  const alone = revision("alone", 1, [configMap("alone")]);
  await reconcile(alone, { writer });
  assert.deepEqual(seen.splice(0), ["create configmaps/alone"]);
  const pair = revision("pair", 1, [configMap("pair-a", { a: "1" }), configMap("pair-b", { a: "1" })]);
  await reconcile(pair, { writer });
  assert.deepEqual(seen.splice(0), [
    "dry create configmaps/pair-b",
    "create configmaps/pair-a",
    "create configmaps/pair-b",
  ]);
  await reconcile(pair, { writer });
  assert.deepEqual(seen, [], "what was created with the defaults of the server is not written again");
  for (const name of ["pair-a", "pair-b"])
    await client.write({ verb: "delete", type: resources.configMaps, key: { namespace: "ns", name } }, signal);
  const condition = {
    type: "Succeeded",
    status: "True",
    reason: "Succeeded",
    message: "",
    lastTransitionTime: "",
  } as const;
  await reconcile({ ...pair, status: { conditions: [condition] } }, { writer });
  assert.deepEqual(seen, ["create configmaps/pair-a", "create configmaps/pair-b"], "a repair is no roll-out");
});

test("an object that a release controlled is taken over with None; its former controller loses control, then the object", async () => {
  const owner = { apiVersion: "olm.operatorframework.io/v1", kind: "ClusterExtension", name: "helm", uid: "uid-helm" };
  const held: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "released", namespace: "ns", ownerReferences: [{ ...owner, controller: true }] },
  };
  await client.write({ verb: "create", type: resources.configMaps, object: held, fieldManager: "helm" }, signal);
  const set = revision("helm", 1, [configMap("released", { a: "1" })]);
  invariant(set.spec !== undefined, "it has a spec");
  const taking: ClusterObjectSet = { ...set, spec: { ...set.spec, collisionProtection: "None" } };
  const seen: string[] = [];
  const passes: (readonly string[])[] = [];
  for (let pass = 0; pass < 3; pass++) {
    assert.equal((await reconcile(taking, { writer: requests(seen) })).kind, "complete");
    passes.push(seen.splice(0));
  }
  const apply = ["apply configmaps/released"];
  assert.deepEqual(passes, [apply, apply, []]);
  const left = await client.get(resources.configMaps, { namespace: "ns", name: "released" });
  assert.deepEqual(
    left?.metadata.ownerReferences?.map(({ uid, controller }) => `${uid} ${controller === true}`).toSorted(),
    ["uid-helm-1 true"],
  );
});

/** Reads as the client does; after each read of the ConfigMap another client changes it. */
function disturbed(name: string, change: (read: number) => Promise<unknown>): ObjectReader {
  let reads = 0;
  return {
    async get(type, asked) {
      const found = await client.get(type, asked);
      if (asked.name === name) await change(++reads);
      return found;
    },
    list: (type, scope) => client.list(type, scope),
  };
}

const merged = (name: string, metadata: JsonObject): Promise<unknown> =>
  client.write(
    {
      verb: "patch",
      type: resources.configMaps,
      key: { namespace: "ns", name },
      patchType: "merge",
      patch: { metadata },
    },
    signal,
  );

test("an object that changes between the look and the write is looked at again, and what changed it stays", async () => {
  const old = revision("moved", 1, [configMap("moved", { a: "1" })]);
  await reconcile(old);
  const reader = disturbed("moved", (read) => merged("moved", { labels: { by: `client-${Math.min(read, 4)}` } }));
  const next = revision("moved", 2, [configMap("moved", { a: "2" })]);
  assert.equal((await reconcile(next, { siblings: [old], reader })).kind, "complete");
  const held = await client.get(resources.configMaps, { namespace: "ns", name: "moved" });
  assert.deepEqual(held?.data, { a: "2" });
  assert.equal(held?.metadata.labels?.["by"], "client-4");
});

test("an object that changes before each of five writes is reported, and is not overwritten", async () => {
  const old = revision("unsteady", 1, [configMap("unsteady", { a: "1" })]);
  await reconcile(old);
  const reader = disturbed("unsteady", (read) => merged("unsteady", { labels: { by: `client-${read}` } }));
  const next = revision("unsteady", 2, [configMap("unsteady", { a: "2" })]);
  const outcome = await reconcile(next, { siblings: [old], reader });
  assert.equal(outcome.kind, "refused");
  assert.match(outcome.errors.join(), /the object has been modified/);
  const held = await client.get(resources.configMaps, { namespace: "ns", name: "unsteady" });
  assert.deepEqual(held?.data, { a: "1" });
  assert.equal(held?.metadata.labels?.["by"], "client-5");
});

test("an object that somebody else takes between the look and the write is a collision", async () => {
  const old = revision("lost", 1, [configMap("lost", { a: "1" })]);
  await reconcile(old);
  const owner = { apiVersion: "v1", kind: "Thing", name: "other", uid: "uid-other", controller: true };
  const reader = disturbed("lost", () => merged("lost", { ownerReferences: [owner] }));
  const next = revision("lost", 2, [configMap("lost", { a: "2" })]);
  assert.equal((await reconcile(next, { siblings: [old], reader })).kind, "collided");
  assert.deepEqual((await client.get(resources.configMaps, { namespace: "ns", name: "lost" }))?.data, { a: "1" });
});

test("an object that changes between the look and its deletion is deleted by the next pass, and nothing is reported", async () => {
  const set = revision("fading", 1, [configMap("fading", { a: "1" })]);
  await reconcile(set);
  const archived: ClusterObjectSet = {
    ...set,
    ...(set.spec === undefined ? {} : { spec: { ...set.spec, lifecycleState: "Archived" } }),
  };
  const reader = disturbed("fading", (read) => merged("fading", { labels: { by: `client-${read}` } }));
  assert.equal((await reconcile(archived, { reader })).kind, "tearingDown");
  assert.equal((await reconcile(archived)).kind, "tornDown");
  assert.equal(await client.get(resources.configMaps, { namespace: "ns", name: "fading" }), undefined);
});

test("the next revision may take several objects over that the one before created", async () => {
  const objects = (data: string): readonly JsonObject[] => [
    configMap("heir-a", { a: data }),
    configMap("heir-b", { a: data }),
  ];
  const old = revision("heir", 1, objects("1"));
  await reconcile(old);
  const seen: string[] = [];
  const next = revision("heir", 2, objects("2"));
  const outcome = await reconcile(next, { siblings: [old], writer: requests(seen) });
  assert.equal(outcome.kind, "complete");
  assert.deepEqual(seen, [
    "dry apply configmaps/heir-a",
    "dry apply configmaps/heir-b",
    "patch configmaps/heir-a",
    "patch configmaps/heir-b",
    "apply configmaps/heir-a",
    "apply configmaps/heir-b",
  ]);
  const held = await client.get(resources.configMaps, { namespace: "ns", name: "heir-b" });
  assert.deepEqual(
    held?.metadata.ownerReferences?.map(({ uid }) => uid),
    ["uid-heir-2"],
  );
});

test("a Deployment that a revision created is not written again, and drift is repaired without leaving fields behind", async () => {
  const deployment = (labels: JsonObject): JsonObject => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "posted", namespace: "ns", labels },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "one" }] } },
    },
  });
  const key = { namespace: "ns", name: "posted" };
  const seen: string[] = [];
  const writer = requests(seen);
  const set = revision("posted", 1, [deployment({ old: "x", kept: "y" })]);
  await reconcile(set, { writer });
  await reconcile(set, { writer });
  assert.deepEqual(seen.splice(0), ["create deployments/posted"]);
  const next = revision("posted", 2, [deployment({ kept: "y" })]);
  await reconcile(next, { writer, siblings: [set] });
  assert.deepEqual(seen.splice(0), ["patch deployments/posted", "apply deployments/posted"]);
  const after = await client.get(resources.deployments, key);
  assert.deepEqual([after?.metadata.labels?.["old"], after?.metadata.labels?.["kept"]], [undefined, "y"]);
  assert.deepEqual(
    after?.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`),
    ["olm.operatorframework.io Apply"],
  );
  await reconcile(next, { writer, siblings: [set] });
  assert.deepEqual(seen, []);
});

/** Records deletions. */
function recording(deleted: string[]): ObjectWriter {
  return {
    write(write: ObjectWrite, aborting) {
      if (write.verb === "delete") deleted.push(`${write.type.plural}/${write.key.name}`);
      return client.write(write, aborting);
    },
  };
}

test("an archived revision is removed in reverse, and no phase is begun before the one after it is deleted", async () => {
  const role: JsonObject = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "order" },
    rules: [],
  };
  const service: JsonObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "order", namespace: "ns" },
    spec: { ports: [{ port: 443 }] },
  };
  const set = revision("order", 1, [configMap("order-a"), configMap("order-b"), role, service]);
  invariant(set.spec !== undefined, "it has a spec");
  assert.equal((await reconcile(set)).kind, "complete");
  const key = { name: "order" };
  const hold = async (finalizers: readonly string[]): Promise<void> => {
    const patch = { metadata: { finalizers } };
    await client.write({ verb: "patch", type: resources.clusterRoles, key, patchType: "merge", patch }, signal);
  };
  await hold(["example.com/hold"]);
  const archived: ClusterObjectSet = { ...set, spec: { ...set.spec, lifecycleState: "Archived" } };
  const deleted: string[] = [];
  const first = await reconcile(archived, { writer: recording(deleted) });
  assert.equal(first.kind, "tearingDown");
  assert.deepEqual(typesOf(first), ["services", "clusterroles"]);
  assert.deepEqual(deleted, ["services/order", "clusterroles/order"]);
  assert.equal((await reconcile(archived, { writer: recording(deleted) })).kind, "tearingDown");
  await hold([]);
  assert.deepEqual(await reconcile(archived, { writer: recording(deleted) }), { kind: "tornDown" });
  assert.deepEqual(deleted, ["services/order", "clusterroles/order", "configmaps/order-b", "configmaps/order-a"]);
});
