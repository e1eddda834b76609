import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordingCluster } from "../../conformance/suites/v0/recording-cluster.ts";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ObjectWrite, Written, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Step, StepStatus } from "../apis/v0/install-plan.ts";
import { reservedClaimsProblem, reservedCrds } from "../bundle/reserved-claims.ts";
import { ApiRefusedError, refusalOf } from "@purser/kubernetes/kube/refusal";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { parseCompat } from "../compat.ts";
import { type StepPorts } from "./step-ports.ts";
import { executeSteps } from "./execute-steps.ts";
import type { ExecutionOutcome } from "./plan/execution-outcome.ts";

const csv: KubeObject = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { name: "op.v1", namespace: "ns", uid: "uid-op" },
};

function step(kind: string, group: string, name: string, manifest: object, status: StepStatus = "Unknown"): Step {
  const version = kind === "ClusterServiceVersion" ? "v1alpha1" : "v1";
  const resource = {
    sourceName: "cat",
    sourceNamespace: "olm",
    group,
    version,
    kind,
    name,
    manifest: JSON.stringify(manifest),
  };
  return { resolving: "op.v1", resource, status };
}

const portsOf = (cluster: RecordingCluster): StepPorts => ({
  reader: cluster,
  own: cluster,
  scoped: cluster,
  lookUp: async () => ({ kind: "absent" }),
  globalNamespace: "olm",
});

function run(
  steps: readonly Step[],
  cluster: RecordingCluster,
  ports: Partial<StepPorts> = {},
): Promise<ExecutionOutcome> {
  return executeSteps(
    { name: "install-a", namespace: "ns", csvNames: ["op.v1"], steps },
    { ...portsOf(cluster), ...ports },
    new AbortController().signal,
  );
}

const role = step("Role", "rbac.authorization.k8s.io", "r", {
  metadata: {
    name: "r",
    namespace: "elsewhere",
    ownerReferences: [{ apiVersion: csv.apiVersion, kind: csv.kind, name: "op.v1", uid: "" }],
  },
  rules: [],
});

test("objects land in the plan's namespace, are marked as managed, and owner references get the live uid", async () => {
  const cluster = new RecordingCluster([csv]);
  const outcome = await run([role], cluster);
  assert.deepEqual(
    outcome.steps.map(({ status }) => status),
    ["Created"],
  );
  const written = cluster.objects.get("rbac.authorization.k8s.io|roles|ns|r");
  assert.equal(written?.kind, "Role");
  assert.equal(written?.metadata.labels?.["olm.managed"], "true");
  assert.equal(written?.metadata.ownerReferences?.[0]?.uid, "uid-op");
});

/** Notes what is read of it, and gives new objects a uid. */
class ReadCluster extends RecordingCluster {
  readonly reads: string[] = [];

  override async get<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Promise<Type | undefined> {
    this.reads.push(`${type.plural} ${key.name}`);
    return super.get(type, key);
  }

  override async write(write: ObjectWrite): Promise<Result<Written, WriteRefusal>> {
    const answer = await super.write(write);
    if (!answer.ok || write.verb !== "create") return answer;
    const { object } = write;
    return done({ ...answer.value, object: { ...object, metadata: { ...object.metadata, uid: "uid-new" } } });
  }
}

const account = step("ServiceAccount", "", "a", {
  metadata: {
    name: "a",
    ownerReferences: [{ apiVersion: csv.apiVersion, kind: csv.kind, name: "op.v1", uid: "" }],
  },
});
const csvStep = step("ClusterServiceVersion", "operators.coreos.com", "op.v1", csv);

for (const [words, held, steps, reads, uid] of [
  ["that the same pass created is not looked up", [], [csvStep, account, role], [], "uid-new"],
  ["that was there before is looked up once", [csv], [account, role], ["clusterserviceversions op.v1"], "uid-op"],
] as const)
  test(`a CSV as owner ${words}`, async () => {
    const cluster = new ReadCluster(held);
    await run(steps, cluster);
    assert.deepEqual(cluster.reads, reads);
    const owners = cluster.objects.get("rbac.authorization.k8s.io|roles|ns|r")?.metadata.ownerReferences;
    assert.deepEqual(
      owners?.map((owner) => owner.uid),
      [uid],
    );
  });

test("an object is created with what the caller adds, and updated without it", async () => {
  const labelled = (_step: Step, _type: ResourceType, object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, added: "" } },
  });
  const labelsOf = async (held: readonly KubeObject[]): Promise<unknown> => {
    const cluster = new RecordingCluster(held);
    await run([role], cluster, { createdWith: labelled });
    return cluster.objects.get("rbac.authorization.k8s.io|roles|ns|r")?.metadata.labels;
  };
  assert.deepEqual(await labelsOf([csv]), { "olm.managed": "true", added: "" });
  const live = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r", namespace: "ns" } };
  assert.deepEqual(await labelsOf([csv, live]), { "olm.managed": "true" });
});

test("warnings of the API server become one event, at the step that caused them", async () => {
  class WarningCluster extends RecordingCluster {
    override async write(write: ObjectWrite): Promise<Result<Written, WriteRefusal>> {
      const answer = await super.write(write);
      return answer.ok && write.type.plural === "roles" ? done({ ...answer.value, warnings: ["one", "two"] }) : answer;
    }
  }
  const account = step("ServiceAccount", "", "a", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "a" },
  });
  const { events } = await run([account, role, { ...role, resolving: "" }], new WarningCluster([csv]));
  const event = (during: string, at: number) => ({
    type: "Warning",
    reason: "AppliedWithWarnings",
    message: `2 warning(s) generated during ${during} (Role "r"): one, two`,
    fieldPath: `status.plan[${at}]`,
  });
  assert.deepEqual(events, [event('installation of operator "op.v1"', 1), event("operator installation", 2)]);
});

test("an account that exists keeps its tokens, notes and owners, and gets each new owner once", async () => {
  const owner = (uid: string) => ({ apiVersion: csv.apiVersion, kind: csv.kind, name: "op.v1", uid });
  const live = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "a", namespace: "ns", annotations: { note: "kept" }, ownerReferences: [owner("other")] },
    secrets: [{ name: "token" }],
  } as unknown as KubeObject;
  const manifest = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a", ownerReferences: [owner("")] } };
  const cluster = new RecordingCluster([csv, live]);
  await run([step("ServiceAccount", "", "a", manifest)], cluster);
  const written = cluster.objects.get("|serviceaccounts|ns|a") as unknown as typeof live & { secrets: unknown };
  assert.deepEqual(
    written.metadata.ownerReferences?.map(({ uid }) => uid),
    ["other", "uid-op"],
  );
  assert.deepEqual([written.metadata.annotations?.["note"], written.secrets], ["kept", [{ name: "token" }]]);
});

test("an existing CSV is never updated; a pass after a crash skips completed steps", async () => {
  const cluster = new RecordingCluster([csv]);
  const steps = [
    step("ClusterServiceVersion", "operators.coreos.com", "op.v1", csv),
    { ...role, status: "Created" as const },
  ];
  const outcome = await run(steps, cluster);
  assert.deepEqual(
    outcome.steps.map(({ status }) => status),
    ["Present", "Created"],
  );
  assert.deepEqual(cluster.writes, []);
});

test("the steps of a CSV that is left out keep their statuses, and nothing of it is read or written", async () => {
  const cluster = new RecordingCluster([csv]);
  const left = { ...role, resolving: "op.v0" };
  const crd = step("CustomResourceDefinition", "apiextensions.k8s.io", "as.purser.dev", {}, "WaitingForApi");
  const steps = [left, { ...crd, resolving: "op.v0" }, { ...left, status: "UnsupportedResource" as const }, role];
  const outcome = await executeSteps(
    { name: "install-a", namespace: "ns", csvNames: ["op.v0", "op.v1"], steps, leftOut: new Set(["op.v0"]) },
    portsOf(cluster),
    new AbortController().signal,
  );
  assert.deepEqual(
    outcome.steps.map(({ status }) => status),
    ["Unknown", "WaitingForApi", "UnsupportedResource", "Created"],
  );
  assert.equal(outcome.failure, undefined);
  assert.deepEqual(cluster.writes, ["create roles r"]);
});

/** Answers that a CRD that was written is `Established`, or is not. */
class EstablishingCluster extends RecordingCluster {
  readonly #status: "True" | "False";
  reads = 0;

  constructor(status: "True" | "False") {
    super([csv]);
    this.#status = status;
  }

  override async get<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Promise<Type | undefined> {
    const written = this.objects.get(`${type.group}|${type.plural}||${key.name}`);
    if (type.kind !== "CustomResourceDefinition" || written === undefined) return super.get(type, key);
    this.reads++;
    const conditions = [
      { type: "NamesAccepted", status: "True" },
      { type: "Established", status: this.#status },
    ];
    return { ...written, status: { conditions } } as unknown as Type;
  }
}

const definition = step("CustomResourceDefinition", "apiextensions.k8s.io", "foos.g.io", {
  metadata: { name: "foos.g.io" },
  spec: { group: "g.io", names: { kind: "Foo", plural: "foos" }, scope: "Namespaced", versions: [] },
});
const orphan = step("ServiceAccount", "", "a", { metadata: { name: "a" } });
const upstreamWait: Partial<StepPorts> = { compat: { keepsUpstream: (name) => name === "crd-wait" } };

for (const [words, established, ports, steps, statuses, reads] of [
  [
    "a CRD that is served when the other steps are done is complete in the same pass",
    "True",
    {},
    [definition, orphan],
    ["Created", "Created"],
    1,
  ],
  [
    "a CRD that is not served yet waits for the next pass",
    "False",
    {},
    [definition, orphan],
    ["WaitingForApi", "Created"],
    1,
  ],
  [
    "with the switch crd-wait a CRD that is served waits for the next pass, as in OLM",
    "True",
    upstreamWait,
    [definition],
    ["WaitingForApi"],
    0,
  ],
  [
    "after a failed step the CRDs are not looked at once more",
    "True",
    {},
    [definition, step("Job", "batch", "j", { metadata: { name: "j" } })],
    ["WaitingForApi", "UnsupportedResource"],
    0,
  ],
] as const)
  test(words, async () => {
    const cluster = new EstablishingCluster(established);
    const outcome = await run(steps, cluster, ports);
    assert.deepEqual([outcome.steps.map(({ status }) => status), cluster.reads], [statuses, reads]);
  });

test("the first failure ends the pass, keeps the statuses before it, and reports a 403 as forbidden", async () => {
  const cluster = new RecordingCluster([csv], ["configmaps"]);
  const config = step("ConfigMap", "", "c", { metadata: { name: "c" } });
  const outcome = await run([role, config, { ...role, status: "Unknown" }], cluster);
  assert.deepEqual(
    outcome.steps.map(({ status }) => status),
    ["Created", "Unknown", "Unknown"],
  );
  assert.equal(outcome.failure?.forbidden, true);
  assert.match(outcome.failure?.message ?? "", /^error creating configmap c: /);
});

test("cluster-scoped RBAC of a bundle carries owner labels, so that it is removed with its operator", async () => {
  const cluster = new RecordingCluster([csv]);
  await run(
    [step("ClusterRole", "rbac.authorization.k8s.io", "reader", { metadata: { name: "reader" }, rules: [] })],
    cluster,
  );
  const written = cluster.objects.get("rbac.authorization.k8s.io|clusterroles||reader");
  assert.equal(written?.metadata.labels?.["olm.owner"], "op.v1");
});

test("an unsupported kind is refused, and a missing API is refused by name", async () => {
  const cluster = new RecordingCluster([csv]);
  const job = await run([step("Job", "batch", "j", { metadata: { name: "j" } })], cluster);
  assert.equal(job.steps[0]?.status, "UnsupportedResource");
  assert.equal(job.failure?.message, "the InstallPlan contains invalid data");
  const monitor = await run(
    [step("ServiceMonitor", "monitoring.coreos.com", "m", { metadata: { name: "m" } })],
    cluster,
  );
  assert.equal(monitor.failure?.message, "Unable to find GVK in discovery: monitoring.coreos.com v1 ServiceMonitor");
  const asked: string[] = [];
  const scaler = await run(
    [step("VerticalPodAutoscaler", "autoscaling.k8s.io", "v", { metadata: { name: "v" } })],
    cluster,
    {
      serves: async (apiVersion) => {
        asked.push(apiVersion);
        return false;
      },
    },
  );
  assert.deepEqual(asked, ["autoscaling.k8s.io/v1"]);
  const silent = await run([step("ServiceMonitor", "g.io", "m", { metadata: { name: "m" } })], cluster, {
    lookUp: async () => ({ kind: "unavailable", why: "no answer" }),
    serves: async () => false,
  });
  assert.equal(
    silent.failure?.message,
    "Unable to find GVK in discovery: g.io v1 ServiceMonitor: its server does not answer: no answer",
  );
  assert.equal(
    scaler.failure?.message,
    "api-server resource not found installing VerticalPodAutoscaler v: GroupVersionKind autoscaling.k8s.io/v1, Kind=VerticalPodAutoscaler not found on the cluster. This API may have been deprecated and removed, see https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information.",
  );
});

test("a step whose object must not be written fails without a retry, and nothing is written", async () => {
  const cluster = new RecordingCluster([csv]);
  const crd = step("CustomResourceDefinition", "apiextensions.k8s.io", "as.purser.dev", {
    metadata: { name: "as.purser.dev" },
  });
  const outcome = await run([crd, role], cluster, {
    refusalOf: (manifest) => reservedClaimsProblem(reservedCrds([manifest])),
  });
  assert.match(outcome.failure?.message ?? "", /^CustomResourceDefinition as\.purser\.dev: it brings APIs of the /);
  assert.equal(outcome.failure?.final, true);
  assert.deepEqual(
    outcome.steps.map(({ status }) => status),
    ["Unknown", "Unknown"],
  );
  assert.equal(cluster.objects.has("rbac.authorization.k8s.io|roles|ns|r"), false);
});

test("a refused read fails its step with the message of the API server", async () => {
  const cluster = new RecordingCluster([csv]);
  const reader = {
    get: () =>
      Promise.reject(new ApiRefusedError(refusalOf({ code: 503, reason: "", message: "service unavailable" }))),
    list: () => Promise.resolve([]),
  };
  const outcome = await run([role], cluster, { reader });
  assert.equal(outcome.failure?.message, "service unavailable");
  assert.equal(outcome.steps[0]?.status, "Unknown");
});

test("a CRD that waits for its API is looked up without reading its manifest", async () => {
  const crd = step("CustomResourceDefinition", "apiextensions.k8s.io", "kilns.example.com", {}, "WaitingForApi");
  const read: string[] = [];
  const manifestOf: StepPorts["manifestOf"] = ({ resource }) => {
    read.push(resource.name);
    return Promise.resolve(failed("it is not there"));
  };
  const statuses = async (...steps: readonly Step[]): Promise<readonly StepStatus[]> =>
    (await run(steps, new RecordingCluster([]), { manifestOf })).steps.map(({ status }) => status);
  assert.deepEqual(await statuses(crd), ["NotPresent"]);
  assert.deepEqual(read, []);
  await statuses({ ...crd, status: "NotPresent" });
  assert.deepEqual(read, ["kilns.example.com"]);
});

test("a manifest without metadata fails its step, except that of a Secret, which is not read", async () => {
  const problem = async (kind: string, manifest: object): Promise<string | undefined> =>
    (await run([step(kind, "", "x", manifest)], new RecordingCluster([csv]))).failure?.message;
  for (const manifest of [{}, { metadata: null }, { metadata: "x" }, { metadata: [] }])
    assert.equal(await problem("ConfigMap", manifest), "error parsing step manifest: x: it has no metadata");
  assert.equal(await problem("Secret", {}), 'secret x does not exist - secrets "x" not found');
});

test("a step that resolves no CSV adds no owner, and keeps the owners that its manifest names", async () => {
  const cluster = new RecordingCluster([csv]);
  const ownerReferences = [{ apiVersion: csv.apiVersion, kind: csv.kind, name: "op.v1", uid: "" }];
  const unresolved = (kind: string, metadata: object): Step => ({
    ...step(kind, kind === "ClusterRole" ? "rbac.authorization.k8s.io" : "", "x", { metadata }),
    resolving: "",
  });
  const outcome = await run(
    [
      unresolved("ConfigMap", { name: "x", ownerReferences }),
      unresolved("Service", { name: "x" }),
      unresolved("ClusterRole", { name: "x" }),
    ],
    cluster,
  );
  assert.equal(outcome.failure, undefined);
  const metadataOf = (key: string) => cluster.objects.get(key)?.metadata;
  assert.deepEqual(metadataOf("|configmaps|ns|x")?.ownerReferences, [{ ...ownerReferences[0], uid: "uid-op" }]);
  assert.equal(metadataOf("|services|ns|x")?.ownerReferences, undefined);
  assert.deepEqual(metadataOf("rbac.authorization.k8s.io|clusterroles||x")?.labels, { "olm.managed": "true" });
});

test("an object of a known kind is written in its API version, whatever the step and its manifest state", async () => {
  const versionWritten = async (kind: string, stated: { group: string; version: string; apiVersion?: string }) => {
    const { group, version, ...manifest } = stated;
    const cluster = new RecordingCluster([]);
    const { resource, ...rest } = step(kind, group, "things.g.io", {
      metadata: { name: "things.g.io" },
      spec: {},
      ...manifest,
    });
    const outcome = await run([{ ...rest, resolving: "", resource: { ...resource, version } }], cluster, {
      lookUp: async (asked) =>
        asked.version === ""
          ? { kind: "absent" }
          : { kind: "served", type: { ...asked, plural: "ms", namespaced: true } },
    });
    return outcome.failure?.message ?? [...cluster.objects.values()][0]?.apiVersion;
  };
  const crds = "apiextensions.k8s.io/v1";
  const crd = "CustomResourceDefinition";
  assert.equal(await versionWritten(crd, { group: "", version: "v1", apiVersion: "v1" }), crds);
  assert.equal(await versionWritten(crd, { group: "", version: crds, apiVersion: crds }), crds);
  assert.equal(
    await versionWritten(crd, { group: "apiextensions.k8s.io", version: "v1beta1" }),
    "apiextensions.k8s.io/v1beta1",
  );
  assert.equal(
    await versionWritten("ClusterServiceVersion", { group: "", version: "v1alpha1" }),
    "operators.coreos.com/v1alpha1",
  );
  assert.equal(await versionWritten("Role", { group: "", version: "" }), "rbac.authorization.k8s.io/v1");
  assert.equal(
    await versionWritten("ServiceMonitor", { group: "", version: "", apiVersion: "monitoring.g.io/v2" }),
    "monitoring.g.io/v2",
  );
  assert.equal(
    await versionWritten("ServiceMonitor", { group: "monitoring.g.io", version: "v1" }),
    "monitoring.g.io/v1",
  );
});

test("a write that finds nothing is explained when the API of its step is not served", async () => {
  const status = { code: 404, reason: "NotFound", message: "the server could not find the requested resource" };
  const messageWhen = async (lookUp: StepPorts["lookUp"]): Promise<string | undefined> => {
    const scoped: StepPorts["scoped"] = { write: async () => failed({ kind: "notFound", status }) };
    return (await run([role], new RecordingCluster([csv]), { scoped, lookUp })).failure?.message;
  };
  assert.equal(
    await messageWhen(async () => ({ kind: "absent" })),
    "api-server resource not found installing Role r: GroupVersionKind rbac.authorization.k8s.io/v1, Kind=Role not found on the cluster. This API may have been deprecated and removed, see https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information.",
  );
  assert.equal(
    await messageWhen(async () => ({ kind: "unavailable", why: "no answer" })),
    `error creating role r: ${status.message}`,
  );
});

const crd = step("CustomResourceDefinition", "apiextensions.k8s.io", "as.example.com", {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "as.example.com" },
  spec: { group: "example.com", versions: [] },
});

test("without --compat=tenant-grants everything is written with the rights of the group's account", async () => {
  const [own, scoped] = [new RecordingCluster([csv]), new RecordingCluster([csv])];
  await run([crd, role], own, { scoped });
  assert.deepEqual(own.writes, []);
  assert.deepEqual(scoped.writes, ["create customresourcedefinitions as.example.com", "create roles r"]);
});

test("with --compat=tenant-grants CRDs are written with the engine's own rights", async () => {
  const [own, scoped] = [new RecordingCluster([csv]), new RecordingCluster([csv])];
  const compat = parseCompat("tenant-grants");
  assert.ok(compat.ok);
  await run([crd, role], own, { scoped, compat: compat.value });
  assert.deepEqual(own.writes, ["create customresourcedefinitions as.example.com"]);
  assert.deepEqual(scoped.writes, ["create roles r"]);
});

const noted = (write: ObjectWrite): string => {
  const object = "object" in write ? write.object : undefined;
  const { apiVersion: _version, kind: _kind, ...rest } = object ?? ({} as KubeObject);
  const owners = rest.metadata.ownerReferences?.map(({ kind, name, uid }) => `${kind} ${name} ${uid}`);
  const metadata = { ...rest.metadata, ...(owners === undefined ? {} : { ownerReferences: owners }) };
  return `${write.verb} ${write.type.plural} ${JSON.stringify({ ...rest, metadata })}`;
};

/** What a pass over one step sends and how the step ends, where nothing exists and over what exists. */
async function sentFor(one: Step, held: readonly object[], ports: Partial<StepPorts> = {}): Promise<readonly string[]> {
  const cluster = new RecordingCluster(held as readonly KubeObject[]);
  const { steps, failure } = await run([one], cluster, ports);
  const end = steps.map(({ status }) => status).join();
  return [...cluster.requests.map(noted), failure === undefined ? end : `${end}: ${failure.message}`];
}

const rbac = "rbac.authorization.k8s.io";
const liveOf = (apiVersion: string, kind: string, name: string, more: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "ns", resourceVersion: "7", labels: { theirs: "" } },
  ...more,
});
const allocated = {
  clusterIP: "10.0.0.1",
  clusterIPs: ["10.0.0.1"],
  ipFamilies: ["IPv4"],
  ipFamilyPolicy: "SingleStack",
};

test("a Subscription and a Secret are created once and never updated; the Secret is a copy of the one beside the catalogs", async () => {
  const subscription = step("Subscription", "operators.coreos.com", "s", {
    metadata: { name: "s", annotations: { a: "" } },
  });
  assert.deepEqual(await sentFor(subscription, []), [
    'create subscriptions {"metadata":{"name":"s","annotations":{"a":"","olm.generated-by":"install-a"},"namespace":"ns","labels":{"olm.managed":"true"}}}',
    "Created",
  ]);
  assert.deepEqual(await sentFor(subscription, [liveOf("operators.coreos.com/v1alpha1", "Subscription", "s")]), [
    'create subscriptions {"metadata":{"name":"s","annotations":{"a":"","olm.generated-by":"install-a"},"namespace":"ns","labels":{"olm.managed":"true"}}}',
    "Present",
  ]);
  const secret = step("Secret", "", "pull", { metadata: { name: "pull" } });
  const source = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "olm", name: "pull" } };
  const full = { ...source, data: { k: "dg==" }, type: "t" };
  assert.deepEqual(await sentFor(secret, []), ['Unknown: secret pull does not exist - secrets "pull" not found']);
  assert.deepEqual(await sentFor(secret, [source]), [
    'create secrets {"metadata":{"name":"pull","namespace":"ns","labels":{"olm.managed":"true"}}}',
    "Created",
  ]);
  assert.deepEqual(await sentFor(secret, [full], { mayCopySecret: async () => true }), [
    'create secrets {"metadata":{"name":"pull","namespace":"ns","labels":{"olm.managed":"true"}},"data":{"k":"dg=="},"type":"t"}',
    "Created",
  ]);
  assert.deepEqual(await sentFor(secret, [full], { mayCopySecret: async () => false }), [
    "Unknown: secret pull is not copied: no CatalogSource of namespace olm names it in spec.secrets",
  ]);
});

test("a Service keeps what the API server allocated, and a ClusterRole says whose it is by labels", async () => {
  const service = (spec: object) => step("Service", "", "w", { metadata: { name: "w" }, spec });
  const held = [csv, liveOf("v1", "Service", "w", { spec: { ...allocated, ports: [] } })];
  assert.deepEqual(await sentFor(service({ ports: [1] }), [csv]), [
    'create services {"metadata":{"name":"w","namespace":"ns","labels":{"olm.managed":"true"},"ownerReferences":["ClusterServiceVersion op.v1 uid-op"]},"spec":{"ports":[1]}}',
    "Created",
  ]);
  assert.deepEqual(await sentFor(service({ ports: [1], clusterIP: "", ipFamilies: ["IPv6"] }), held), [
    'create services {"metadata":{"name":"w","namespace":"ns","labels":{"olm.managed":"true"},"ownerReferences":["ClusterServiceVersion op.v1 uid-op"]},"spec":{"ports":[1],"clusterIP":"","ipFamilies":["IPv6"]}}',
    'replace services {"metadata":{"name":"w","namespace":"ns","labels":{"olm.managed":"true"},"ownerReferences":["ClusterServiceVersion op.v1 uid-op"],"resourceVersion":"7"},"spec":{"ports":[1],"clusterIP":"10.0.0.1","ipFamilies":["IPv6"],"clusterIPs":["10.0.0.1"],"ipFamilyPolicy":"SingleStack"}}',
    "Present",
  ]);
  const clusterRole = step("ClusterRole", rbac, "cr", { metadata: { name: "cr", labels: { own: "" } }, rules: [] });
  const live = liveOf(`${rbac}/v1`, "ClusterRole", "cr");
  assert.deepEqual(await sentFor(clusterRole, [csv]), [
    'create clusterroles {"metadata":{"name":"cr","labels":{"own":"","olm.managed":"true","olm.owner":"op.v1","olm.owner.kind":"ClusterServiceVersion","olm.owner.namespace":"ns"}},"rules":[]}',
    "Created",
  ]);
  assert.deepEqual(await sentFor(clusterRole, [csv, live]), [
    'create clusterroles {"metadata":{"name":"cr","labels":{"own":"","olm.managed":"true","olm.owner":"op.v1","olm.owner.kind":"ClusterServiceVersion","olm.owner.namespace":"ns"}},"rules":[]}',
    'replace clusterroles {"metadata":{"name":"cr","labels":{"own":"","olm.managed":"true","olm.owner":"op.v1","olm.owner.kind":"ClusterServiceVersion","olm.owner.namespace":"ns"},"resourceVersion":"7"},"rules":[]}',
    "Present",
  ]);
});

test("a kind that is looked up is written as it is served, and a step whose API is missing says why", async () => {
  const apiVersion = "monitoring.coreos.com/v1";
  const rule = step("PrometheusRule", "monitoring.coreos.com", "p", {
    apiVersion,
    kind: "PrometheusRule",
    metadata: { name: "p" },
  });
  const type = { group: "monitoring.coreos.com", version: "v1", kind: "PrometheusRule", plural: "prometheusrules" };
  const served = (namespaced: boolean): Partial<StepPorts> => ({
    lookUp: async () => ({ kind: "served", type: { ...type, namespaced } }),
  });
  assert.deepEqual(await sentFor(rule, [csv], served(true)), [
    'create prometheusrules {"metadata":{"name":"p","namespace":"ns","labels":{"olm.managed":"true"},"ownerReferences":["ClusterServiceVersion op.v1 uid-op"]}}',
    "Created",
  ]);
  assert.deepEqual(await sentFor(rule, [csv], served(false)), [
    'create prometheusrules {"metadata":{"name":"p","labels":{"olm.managed":"true","olm.owner":"op.v1","olm.owner.kind":"ClusterServiceVersion","olm.owner.namespace":"ns"}}}',
    "Created",
  ]);
  assert.deepEqual(await sentFor(rule, [csv], { lookUp: async () => ({ kind: "unavailable", why: "down" }) }), [
    "Unknown: Unable to find GVK in discovery: monitoring.coreos.com v1 PrometheusRule: its server does not answer: down",
  ]);
  assert.deepEqual(await sentFor(rule, [csv], { serves: async () => false }), [
    "Unknown: api-server resource not found installing PrometheusRule p: GroupVersionKind monitoring.coreos.com/v1, Kind=PrometheusRule not found on the cluster. This API may have been deprecated and removed, see https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information.",
  ]);
  assert.deepEqual(await sentFor(rule, [csv], { serves: async () => true }), [
    "Unknown: Unable to find GVK in discovery: monitoring.coreos.com v1 PrometheusRule",
  ]);
});

test("owner references to CSVs that do not exist fail a step, those to other objects stay as they are", async () => {
  assert.deepEqual(await sentFor(role, []), [
    'Unknown: error generating ownerrefs for role r: clusterserviceversions.operators.coreos.com "op.v1" not found',
  ]);
  const owner = (name: string, uid: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid });
  const manifest = { metadata: { name: "r", ownerReferences: [owner("op.v1", "x"), owner("o", "y")] } };
  assert.deepEqual(await sentFor(step("Role", rbac, "r", manifest), [csv]), [
    'create roles {"metadata":{"name":"r","ownerReferences":["ConfigMap op.v1 x","ConfigMap o y"],"namespace":"ns","labels":{"olm.managed":"true"}}}',
    "Created",
  ]);
  assert.deepEqual(await sentFor(step("ConfigMap", "", "r", manifest), [csv]), [
    'create configmaps {"metadata":{"name":"r","ownerReferences":["ConfigMap o y","ClusterServiceVersion op.v1 uid-op"],"namespace":"ns","labels":{"olm.managed":"true"}}}',
    "Created",
  ]);
});
