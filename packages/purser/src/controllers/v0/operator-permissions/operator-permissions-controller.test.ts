import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ApplyContext } from "@purser/kubernetes/kube/controller/controller";
import type { ListScope } from "@purser/kubernetes/kube/object-reader";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { improved } from "../../../compat.ts";
import { operatorPermissionsController } from "./operator-permissions-controller.ts";
import { permissionNames, tenantBinding, tenantRole } from "./plan/granted-roles.ts";

const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
const key = { namespace: "ops", name: "op.v1" };
const csv = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: {
    ...key,
    uid: "csv-uid",
    annotations: {
      "olm.operatorGroup": "group",
      "olm.operatorNamespace": "ops",
      "olm.targetNamespaces": "ops,tenant",
    },
  },
  spec: {
    displayName: "op",
    install: { strategy: "deployment", spec: { deployments: [], permissions: [{ serviceAccountName: "sa", rules }] } },
  },
  status: { phase: "Succeeded", reason: "InstallSucceeded" },
} as unknown as ClusterServiceVersion;
const group = {
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace: "ops", name: "group" },
  spec: { targetNamespaces: ["ops", "tenant"] },
  status: { namespaces: ["ops", "tenant"] },
};
const [name = ""] = permissionNames(csv);
const apiVersion = "rbac.authorization.k8s.io/v1";
/** As an older OLM left it. */
const metadata = {
  namespace: "ops",
  name,
  labels: { "olm.owner": "op.v1", "olm.owner.namespace": "ops", "olm.owner.kind": "ClusterServiceVersion" },
  ownerReferences: [{ apiVersion: "a", kind: "ClusterServiceVersion", name: "op.v1", uid: "csv-uid" }],
};
const role: Role = { apiVersion, kind: "Role", metadata, rules };
const binding: RoleBinding = {
  apiVersion,
  kind: "RoleBinding",
  metadata,
  subjects: [{ kind: "ServiceAccount", name: "sa", namespace: "ops" }],
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
};
const held = [
  csv,
  group,
  role,
  binding,
  tenantRole(role, "tenant", undefined),
  tenantBinding(binding, "tenant", undefined),
] as unknown as readonly KubeObject[];

/** Informers of labelled and of unlabelled objects; a list without a word about the label is a request. */
class Informers extends RecordingCluster {
  live = 0;
  /** Whether the operator's own objects are in neither informer, as between two events of one change. */
  between = false;

  override async list<Type extends KubeObject>(
    type: ResourceType<Type>,
    scope: ListScope = {},
  ): Promise<readonly Type[]> {
    const isCached = scope.labelSelector?.includes("olm.managed") === true;
    if (!isCached) this.live++;
    return isCached && this.between && scope.namespace === "ops" ? [] : super.list(type, scope);
  }
}

/** @param scoped receives what is written as the group's account */
async function passOver(cluster: Informers, scoped: RecordingCluster = cluster): Promise<readonly string[]> {
  const cache = {
    cached: ({ kind }: ResourceType, { namespace }: ObjectKey) => {
      if (kind === "ClusterServiceVersion") return namespace === "ops" ? csv : undefined;
      return { metadata: {} };
    },
  };
  const identities = { serviceAccount: () => scoped };
  const context = { reader: cluster, writer: cluster, identities, cache, now: 0, signal: new AbortController().signal };
  await operatorPermissionsController({ compat: improved }).reconcile(key, context as unknown as ApplyContext);
  return cluster.requests.map(({ verb, type }) => `${verb} ${type.kind}`);
}

test("an operator's own unlabelled permissions keep their copies in other namespaces, without a request", async () => {
  const cluster = new Informers(held);
  assert.deepEqual(await passOver(cluster), []);
  assert.equal(cluster.live, 0);
});

test("copies stay while informers show no original but the API server has it", async () => {
  const cluster = new Informers(held);
  cluster.between = true;
  assert.deepEqual(await passOver(cluster), []);
  assert.equal(cluster.live, 2);
});

test("copies go when the API server has no original either", async () => {
  const cluster = new Informers(held.filter((object) => object !== (role as KubeObject) && object !== binding));
  assert.deepEqual(await passOver(cluster), ["delete RoleBinding", "delete Role"]);
  assert.equal(cluster.live, 2);
});

test("permissions are granted as the group's account and revoked with the engine's own rights", async () => {
  const bounded = {
    ...group,
    spec: { ...group.spec, serviceAccountName: "installer" },
    status: { ...group.status, serviceAccountRef: { name: "installer", namespace: "ops" } },
  };
  const others = held.filter((object) => object !== (group as unknown));
  const withGroup = (objects: readonly KubeObject[]) => new Informers([...objects, bounded as unknown as KubeObject]);
  const granting = withGroup(others.filter(({ metadata: { namespace } }) => namespace !== "tenant"));
  const scoped = new RecordingCluster([]);
  assert.deepEqual(await passOver(granting, scoped), []);
  assert.deepEqual(
    scoped.requests.map(({ verb, type }) => `${verb} ${type.kind}`),
    ["create Role", "create RoleBinding"],
  );
  const revoking = withGroup(others.filter((object) => object !== (role as KubeObject) && object !== binding));
  const unused = new RecordingCluster([]);
  assert.deepEqual(await passOver(revoking, unused), ["delete RoleBinding", "delete Role"]);
  assert.deepEqual(unused.requests, []);
});
