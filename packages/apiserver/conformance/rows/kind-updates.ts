import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { at } from "../scene.ts";
import { eventually } from "../eventually.ts";
import { assertAnswer, placed, type Row } from "../row.ts";
import type { Scene } from "../scene.ts";

const core = "/api/v1/namespaces/{ns}";
const apps = "/apis/apps/v1/namespaces/{ns}";
const named = { metadata: { name: "x" } };
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i:v1" }] } };
const workload = (more: JsonObject = {}): JsonObject => ({
  ...named,
  spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template, ...more },
});
const daemons = {
  ...named,
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { ...template, spec: { ...template.spec, nodeSelector: { none: "x" } } },
  },
};
const role = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };

interface Change {
  readonly what: string;
  /** The collection. */
  readonly where: string;
  readonly made: JsonObject;
  /** A merge patch. */
  readonly patch: JsonValue;
  readonly endpoint?: "/status" | "/scale";
  readonly message: string;
}

/** Changes that are refused. */
const refusals: readonly Change[] = [
  {
    what: "data of an immutable ConfigMap, before its keys are looked at",
    where: `${core}/configmaps`,
    made: { ...named, immutable: true, data: { a: "b" } },
    patch: { data: { "a b": "c" } },
    message:
      "ConfigMap \"x\" is invalid: [data: Forbidden: field is immutable when `immutable` is set, data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')]",
  },
  {
    what: "the type of a Secret",
    where: `${core}/secrets`,
    made: { ...named, data: { a: "aGk=" } },
    patch: { type: "example.com/t" },
    message: 'Secret "x" is invalid: type: Invalid value: "example.com/t": field is immutable',
  },
  {
    what: "the role that a binding gives",
    where: "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings",
    made: { ...named, roleRef: role },
    patch: { roleRef: { name: "other" } },
    message:
      'RoleBinding.rbac.authorization.k8s.io "x" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef',
  },
  {
    what: "the selector of a ReplicaSet with both kinds of requirements",
    where: `${apps}/replicasets`,
    made: workload(),
    patch: { spec: { selector: { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] } } },
    message:
      'ReplicaSet.apps "x" is invalid: spec.selector: Invalid value: {"matchLabels":{"a":"b"},"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}: field is immutable',
  },
  {
    what: "the selector of a DaemonSet, which is said first",
    where: `${apps}/daemonsets`,
    made: daemons,
    patch: { spec: { selector: { matchLabels: { a: null } } } },
    message:
      'DaemonSet.apps "x" is invalid: [spec.selector: Invalid value: {}: field is immutable, spec.selector: Invalid value: {}: empty selector is invalid for daemonset]',
  },
  {
    what: "the service of a StatefulSet",
    where: `${apps}/statefulsets`,
    made: workload({ serviceName: "s" }),
    patch: { spec: { serviceName: "t" } },
    message:
      "StatefulSet.apps \"x\" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  },
  {
    what: "the data of a revision",
    where: `${apps}/controllerrevisions`,
    made: { ...named, revision: 1, data: { a: 1 } },
    patch: { data: { a: 2 } },
    message: 'ControllerRevision.apps "x" is invalid: data: Invalid value: {"a":2}: field is immutable',
  },
  {
    what: "a Deployment's status to more available than ready",
    where: `${apps}/deployments`,
    made: workload({ paused: true }),
    endpoint: "/status",
    patch: { status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 } },
    message:
      'Deployment.apps "x" is invalid: status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
  },
  {
    what: "a ReplicaSet's status to less than nothing",
    where: `${apps}/replicasets`,
    made: workload(),
    endpoint: "/status",
    patch: { status: { fullyLabeledReplicas: -1 } },
    message:
      'ReplicaSet.apps "x" is invalid: status.fullyLabeledReplicas: Invalid value: -1: must be greater than or equal to 0',
  },
  {
    what: "a StatefulSet's status to more current than there are",
    where: `${apps}/statefulsets`,
    made: workload({ serviceName: "s" }),
    endpoint: "/status",
    patch: { status: { replicas: 1, currentReplicas: 2 } },
    message:
      'StatefulSet.apps "x" is invalid: status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas',
  },
  {
    what: "what a quota is said to have used",
    where: `${core}/resourcequotas`,
    made: { ...named, spec: { hard: { pods: "500" } } },
    endpoint: "/status",
    patch: { status: { used: { b: "1" } } },
    message:
      'ResourceQuota "x" is invalid: [status.used[b]: Invalid value: "b": must be a standard resource type or fully qualified, status.used[b]: Invalid value: "b": must be a standard resource for quota]',
  },
  {
    what: "what a claim is being given",
    where: `${core}/persistentvolumeclaims`,
    made: {
      ...named,
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "none",
      },
    },
    endpoint: "/status",
    patch: { status: { allocatedResources: { cpu: "1" } } },
    message:
      'PersistentVolumeClaim "x" is invalid: status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
  },
];

async function made(scene: Scene, { where, made: body }: Pick<Change, "where" | "made">): Promise<string> {
  const path = placed(where, scene);
  await scene.ok({ method: "POST", path, body });
  return `${path}/x`;
}

/** Labels, annotations and finalizers: how often an error is reported depends on how many validations check them. */
const repeated: readonly (readonly [
  kind: string,
  where: string,
  body: JsonObject,
  labels: number,
  finalizers: number,
])[] = [
  ["a ConfigMap", `${core}/configmaps`, named, 4, 2],
  ["a Deployment", `${apps}/deployments`, workload({ paused: true }), 3, 1],
  ["a LimitRange", `${core}/limitranges`, { ...named, spec: { limits: [] } }, 3, 1],
  ["a budget", "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets", { ...named, spec: { minAvailable: 1 } }, 2, 0],
  ["a revision", `${apps}/controllerrevisions`, { ...named, revision: 1, data: { a: 1 } }, 4, 2],
  ["a Role", "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", named, 4, 2],
];

const causes = async (scene: Scene, path: string, metadata: JsonObject): Promise<number> => {
  const answer = await scene.merge(`${path}?dryRun=All`, { metadata });
  return ((at(answer.object, "details", "causes") ?? []) as readonly JsonValue[]).length;
};

export const kindUpdateRows: readonly Row[] = [
  ...refusals.map((change): Row => ({
    row: 302,
    name: `an update cannot change ${change.what}`,
    run: async (scene) => {
      const path = await made(scene, change);
      // A controller may write in between.
      await eventually(async () => {
        const answer = await scene.merge(`${path}${change.endpoint ?? ""}?dryRun=All`, change.patch);
        assertAnswer(answer, { code: 422, message: change.message });
      });
    },
  })),
  ...repeated.map(([kind, where, body, labels, finalizers]): Row => ({
    row: 302,
    name: `invalid metadata of ${kind} is reported once per validation`,
    run: async (scene) => {
      const path = await made(scene, { where, made: body });
      assert.equal(await causes(scene, path, { labels: { "a b": "c" } }), labels);
      assert.equal(await causes(scene, path, { annotations: { "a b": "c" } }), labels);
      assert.equal(await causes(scene, path, { finalizers: ["x"] }), finalizers);
    },
  })),
  {
    row: 302,
    name: "a StatefulSet with half of its retention policy removed gets the default for it",
    run: async (scene) => {
      const policy = { whenDeleted: "Delete", whenScaled: "Delete" };
      const body = workload({ serviceName: "s", persistentVolumeClaimRetentionPolicy: policy });
      const path = await made(scene, { where: `${apps}/statefulsets`, made: body });
      const answer = await scene.merge(path, { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: null } } });
      assertAnswer(answer, {
        code: 200,
        contains: { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" } } },
      });
    },
  },
  {
    row: 302,
    name: "an empty struct differs from an absent one and increments the generation",
    run: async (scene) => {
      const path = await made(scene, { where: `${apps}/replicasets`, made: workload() });
      const answer = await scene.merge(path, { spec: { template: { spec: { affinity: {} } } } });
      assertAnswer(answer, { code: 200, contains: { metadata: { generation: 2 } } });
    },
  },
];
