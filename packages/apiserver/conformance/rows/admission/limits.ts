import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Expectation, Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer, placed } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at } from "../../scene.ts";

const row = 304;

function collection(scene: Scene, plural: string): string {
  return `/api/v1/namespaces/${scene.ns}/${plural}`;
}

function pod(name: string, resources: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const { metadata, ...spec } = more;
  return {
    metadata: { name, ...(metadata as JsonObject | undefined) },
    spec: { schedulingGates: [{ name: "ex.io/wait" }], containers: [{ name: "c", image: "x", resources }], ...spec },
  };
}

async function ready(scene: Scene): Promise<void> {
  await eventually(async () => {
    await scene.ok({ path: `${collection(scene, "serviceaccounts")}/default` });
  });
}

/** A quota whose status is up to date. */
async function quota(scene: Scene, hard: JsonObject, spec: JsonObject = {}): Promise<void> {
  await ready(scene);
  const path = collection(scene, "resourcequotas");
  await scene.ok({ method: "POST", path, body: { metadata: { name: "q" }, spec: { hard, ...spec } } });
  await eventually(async () => assertContains(await scene.ok({ path: `${path}/q` }), { status: { hard } }));
}

async function range(scene: Scene, ...limits: readonly JsonObject[]): Promise<void> {
  await ready(scene);
  const path = collection(scene, "limitranges");
  await scene.ok({ method: "POST", path, body: { metadata: { name: "l" }, spec: { limits } } });
}

/** Retries until the plug-in's cache is up to date. */
function tried(
  name: string,
  prepare: (scene: Scene) => Promise<void>,
  plural: string,
  body: JsonObject,
  expected: Expectation,
): Row {
  return {
    row,
    name,
    run: async (scene) => {
      await prepare(scene);
      await eventually(async () => {
        const path = `${collection(scene, plural)}?dryRun=All`;
        assertAnswer(await scene.ask({ method: "POST", path, body }), placed(expected, scene));
      });
    },
  };
}

const used = (scene: Scene, amounts: JsonObject): Promise<void> =>
  eventually(async () =>
    assertContains(await scene.ok({ path: `${collection(scene, "resourcequotas")}/q` }), { status: { used: amounts } }),
  );

function quotaOfCritical(scene: Scene): ReturnType<typeof quota> {
  const matchExpressions = [
    { scopeName: "PriorityClass", operator: "In", values: ["system-node-critical"] },
  ] as unknown as JsonValue;
  return quota(scene, { pods: "0" }, { scopeSelector: { matchExpressions } });
}

export const limitRows: readonly Row[] = [
  {
    row,
    name: "a quota reports usage of countable resources",
    run: async (scene) => {
      const storageClass = "gold.storageclass.storage.k8s.io";
      const counted = {
        "count/configmaps": "9",
        "count/deployments.apps": "9",
        "count/leases.coordination.k8s.io": "9",
        "count/limitranges": "9",
        "count/pods": "9",
        cpu: "9",
        [`${storageClass}/persistentvolumeclaims`]: "9",
        [`${storageClass}/requests.storage`]: "9Gi",
        "hugepages-2Mi": "1Gi",
        pods: "9",
        replicationcontrollers: "9",
        "requests.example.com/gpu": "9",
        [`requests.${storageClass}/x`]: "9",
        "requests.hugepages-2Mi": "1Gi",
        "services.nodeports": "9",
      };
      const uncounted = {
        "count/bindings": "9",
        "count/events": "9",
        "count/events.events.k8s.io": "9",
        "count/namespaces": "9",
        "count/nothings.example.com": "9",
        "count/widgets": "9",
        "example.com/foo": "9",
        [`${storageClass}/other`]: "9",
        "limits.example.com/gpu": "9",
        "requests.x.kubernetes.io/y": "9",
      };
      await quota(scene, { ...counted, ...uncounted });
      const path = collection(scene, "resourcequotas");
      const usedOf = async (name: string): Promise<unknown> =>
        at(await scene.ok({ path: `${path}/${name}` }), "status", "used");
      const nothing = Object.fromEntries(Object.keys(counted).map((name) => [name, "0"]));
      assert.deepEqual(await usedOf("q"), { ...nothing, "count/configmaps": "2" });
      await scene.ok({ method: "POST", path, body: { metadata: { name: "none" }, spec: { hard: uncounted } } });
      await eventually(async () =>
        assertContains(await scene.ok({ path: `${path}/none` }), { status: { hard: uncounted } }),
      );
      assert.equal(await usedOf("none"), undefined);
    },
  },
  tried(
    "a quota of requests requires requests of every container",
    (scene) => quota(scene, { "requests.cpu": "1", "limits.memory": "1Gi" }),
    "pods",
    pod("x"),
    {
      code: 403,
      message: 'pods "x" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    },
  ),
  tried(
    "a quota of requests is exceeded",
    (scene) => quota(scene, { "requests.cpu": "1", cpu: "1" }),
    "pods",
    pod("x", { requests: { cpu: "1500m" } }),
    {
      code: 403,
      message:
        'pods "x" is forbidden: exceeded quota: q, requested: cpu=1500m,requests.cpu=1500m, used: cpu=0,requests.cpu=0, limited: cpu=1,requests.cpu=1',
    },
  ),
  tried(
    "a BestEffort quota does not count other pods",
    (scene) => quota(scene, { pods: "0" }, { scopes: ["BestEffort"] }),
    "pods",
    pod("x"),
    {
      code: 403,
      message: 'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    },
  ),
  tried(
    "a pod with requests is not BestEffort",
    (scene) => quota(scene, { pods: "0" }, { scopes: ["BestEffort"] }),
    "pods",
    pod("x", { requests: { cpu: "1" } }),
    { code: 201 },
  ),
  tried(
    "a quota with scope Terminating",
    (scene) => quota(scene, { pods: "0" }, { scopes: ["Terminating"] }),
    "pods",
    pod("x", {}, { activeDeadlineSeconds: 5 }),
    {
      code: 403,
      message: 'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    },
  ),
  tried("a quota of a priority", quotaOfCritical, "pods", pod("x", {}, { priorityClassName: "system-node-critical" }), {
    code: 403,
    message: 'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
  }),
  tried("a quota of a priority leaves others alone", quotaOfCritical, "pods", pod("x"), { code: 201 }),
  tried(
    "a quota of node ports is exceeded",
    (scene) => quota(scene, { "services.nodeports": "1", "services.loadbalancers": "0" }),
    "services",
    {
      metadata: { name: "s" },
      spec: {
        type: "NodePort",
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 81 },
        ],
      },
    },
    {
      code: 403,
      message:
        'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1',
    },
  ),
  tried(
    "a quota of load balancers is exceeded",
    (scene) => quota(scene, { "services.loadbalancers": "0" }),
    "services",
    { metadata: { name: "s" }, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } },
    {
      code: 403,
      message:
        'services "s" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
    },
  ),
  {
    row,
    name: "an update of a Service that increases usage is checked",
    run: async (scene) => {
      await quota(scene, { "services.nodeports": "0" });
      const path = collection(scene, "services");
      await scene.ok({ method: "POST", path, body: { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } } });
      await eventually(async () =>
        assertAnswer(await scene.merge(`${path}/s?dryRun=All`, { spec: { type: "NodePort" } }), {
          code: 403,
          message:
            'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=0, limited: services.nodeports=0',
        }),
      );
    },
  },
  tried(
    "a quota of storage, in total and per class",
    (scene) =>
      quota(scene, { "requests.storage": "1Gi", "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "0" }),
    "persistentvolumeclaims",
    {
      metadata: { name: "v" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "fast",
        resources: { requests: { storage: "2Gi" } },
      },
    },
    {
      code: 403,
      message:
        'persistentvolumeclaims "v" is forbidden: exceeded quota: q, requested: fast.storageclass.storage.k8s.io/persistentvolumeclaims=1,requests.storage=2Gi, used: fast.storageclass.storage.k8s.io/persistentvolumeclaims=0,requests.storage=0, limited: fast.storageclass.storage.k8s.io/persistentvolumeclaims=0,requests.storage=1Gi',
    },
  ),
  {
    row,
    name: "a quota counts pods by scopes",
    run: async (scene) => {
      await quota(scene, { pods: "5", "requests.cpu": "5" }, { scopes: ["NotBestEffort", "NotTerminating"] });
      const path = collection(scene, "pods");
      const resources = { requests: { cpu: "1" } };
      await scene.ok({ method: "POST", path, body: pod("none") });
      await scene.ok({ method: "POST", path, body: pod("counted", resources) });
      await scene.ok({ method: "POST", path, body: pod("short", resources, { activeDeadlineSeconds: 60 }) });
      await used(scene, { pods: "1", "requests.cpu": "1" });
    },
  },
  tried(
    "a LimitRange sets container defaults and an annotation",
    (scene) => range(scene, { type: "Container", default: { cpu: "2", memory: "1Gi" }, defaultRequest: { cpu: "1" } }),
    "pods",
    pod("x"),
    {
      code: 201,
      contains: {
        metadata: {
          annotations: {
            "kubernetes.io/limit-ranger":
              "LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c",
          },
        },
      },
    },
  ),
  tried(
    "a limit/request ratio is exceeded",
    (scene) => range(scene, { type: "Container", maxLimitRequestRatio: { cpu: "2" } }),
    "pods",
    pod("x", { requests: { cpu: "1" }, limits: { cpu: "3" } }),
    {
      code: 403,
      message:
        'pods "x" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    },
  ),
  tried(
    "a limit/request ratio without request is refused",
    (scene) => range(scene, { type: "Pod", maxLimitRequestRatio: { memory: "2" } }),
    "pods",
    pod("x"),
    {
      code: 403,
      message:
        'pods "x" is forbidden: memory max limit to request ratio per Pod is 2, but no request is specified or request is 0',
    },
  ),
  tried(
    "a claim larger than max is refused",
    (scene) => range(scene, { type: "PersistentVolumeClaim", max: { storage: "1Gi" } }),
    "persistentvolumeclaims",
    {
      metadata: { name: "v" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
    },
    {
      code: 403,
      message:
        'persistentvolumeclaims "v" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
    },
  ),
  tried("a priority that the class does not have", ready, "pods", pod("x", {}, { priority: 5 }), {
    code: 403,
    message:
      'pods "x" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  }),
  tried("an account that is missing", ready, "pods", pod("x", {}, { serviceAccountName: "nope" }), {
    code: 403,
    message: 'pods "x" is forbidden: error looking up service account {ns}/nope: serviceaccount "nope" not found',
  }),
  tried("a runtime class that is missing", ready, "pods", pod("x", {}, { runtimeClassName: "nope" }), {
    code: 403,
    message: 'pods "x" is forbidden: pod rejected: RuntimeClass "nope" not found',
  }),
  tried("a runtime class without a name", ready, "pods", pod("x", {}, { runtimeClassName: "" }), {
    code: 500,
    message: "resource name may not be empty",
  }),
  ...[{ cpu: "1" }, {}].map((overhead) =>
    tried(`overhead ${JSON.stringify(overhead)} without a class`, ready, "pods", pod("x", {}, { overhead }), {
      code: 403,
      message:
        'pods "x" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    }),
  ),
  tried(
    "secrets that the service account does not list are refused",
    async (scene) => {
      await ready(scene);
      const annotations = { "kubernetes.io/enforce-mountable-secrets": "true" };
      const path = collection(scene, "serviceaccounts");
      await scene.ok({ method: "POST", path, body: { metadata: { name: "strict", annotations } } });
    },
    "pods",
    pod("x", {}, { serviceAccountName: "strict", volumes: [{ name: "v", secret: { secretName: "s" } }] }),
    {
      code: 403,
      message:
        'pods "x" is forbidden: volume with secret.secretName="s" is not allowed because service account strict does not reference that secret',
    },
  ),
  tried(
    "pull secrets that the service account does not list are refused",
    async (scene) => {
      await ready(scene);
      const annotations = { "kubernetes.io/enforce-mountable-secrets": "1" };
      const path = collection(scene, "serviceaccounts");
      await scene.ok({ method: "POST", path, body: { metadata: { name: "strict", annotations } } });
    },
    "pods",
    pod("x", {}, { serviceAccountName: "strict", imagePullSecrets: [{ name: "s" }] }),
    {
      code: 403,
      message:
        'pods "x" is forbidden: imagePullSecrets[0].name="s" is not allowed because service account strict does not reference that imagePullSecret',
    },
  ),
  ...(
    [
      [
        "an operator that the scope does not support",
        { scopeName: "BestEffort", operator: "In", values: ["a"] },
        `spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`,
      ],
      [
        "no values",
        { scopeName: "PriorityClass", operator: "In" },
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      ],
      [
        "values with operator Exists",
        { scopeName: "PriorityClass", operator: "Exists", values: ["a"] },
        `spec.scopeSelector.matchExpressions.values: Invalid value: ["a"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
      ],
      [
        "an unknown operator",
        { scopeName: "PriorityClass", operator: "Nope" },
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "Nope": not a valid selector operator',
      ],
      [
        "a resource that the scope does not support",
        { scopeName: "PriorityClass", operator: "Exists" },
        'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityClass","Operator":"Exists","Values":null}]}: unsupported scope applied to resource',
        { configmaps: "1" },
      ],
    ] as const
  ).map(([what, requirement, said, hard = { pods: "1" }]): Row => ({
    row,
    name: `a scope selector is refused: ${what}`,
    ask: {
      method: "POST",
      path: "/api/v1/namespaces/{ns}/resourcequotas?dryRun=All",
      body: { metadata: { name: "q" }, spec: { hard, scopeSelector: { matchExpressions: [requirement] } } },
    },
    code: 422,
    message: `ResourceQuota "q" is invalid: ${said}`,
  })),
];
