import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorGroups } from "../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { World } from "./testing/world.ts";

let world: World;
const namespace = "unlabelled";
const csv = { namespace, name: "keeper.v1" };
const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }];
const clusterRules = [{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }];
const rbac = "rbac.authorization.k8s.io/v1";
const subjects = [{ kind: "ServiceAccount", namespace, name: "keeper" }];
const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: "keeper" });

/** Objects that a user made, without any label. */
const made = [
  [serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: "keeper" } }],
  [roles, { apiVersion: rbac, kind: "Role", metadata: { namespace, name: "keeper" }, rules }],
  [
    roleBindings,
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { namespace, name: "keeper" },
      subjects,
      roleRef: roleRef("Role"),
    },
  ],
  [clusterRoles, { apiVersion: rbac, kind: "ClusterRole", metadata: { name: "keeper" }, rules: clusterRules }],
  [
    clusterRoleBindings,
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: { name: "keeper" },
      subjects,
      roleRef: roleRef("ClusterRole"),
    },
  ],
] as unknown as readonly (readonly [ResourceType, KubeObject])[];

const reaches = (phase: string): Promise<ClusterServiceVersion> =>
  world.reaches(clusterServiceVersions, csv, phase, ({ status }) => status?.phase === phase);

before(async () => {
  world = await World.open();
  await world.tenant(namespace);
  for (const [type, object] of made) await world.create(type, object);
  await world.create(clusterServiceVersions, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: csv,
    spec: {
      displayName: "keeper",
      install: {
        strategy: "deployment",
        spec: {
          deployments: [],
          permissions: [{ serviceAccountName: "keeper", rules }],
          clusterPermissions: [{ serviceAccountName: "keeper", rules: clusterRules }],
        },
      },
      installModes: [{ type: "OwnNamespace", supported: true }],
    },
  });
  await reaches("Succeeded");
});
after(() => world.stop());

for (const [type, object] of made)
  test(`an unlabelled ${type.kind} that is deleted ends Succeeded, and another one restores it`, async () => {
    const { namespace: place, name = "" } = object.metadata;
    await world.settled();
    await world.remove(type, place === undefined ? { name } : { namespace: place, name });
    const waiting = await reaches("Pending");
    assert.equal(waiting.status?.reason, "RequirementsNotMet");
    await world.create(type, object);
    await reaches("Succeeded");
  });

test("a group with an empty name among its targets fails its CSVs until it is corrected", async () => {
  await world.settled();
  const group = { namespace, name: "group" };
  await world.merge(operatorGroups, group, { spec: { targetNamespaces: [namespace, ""] } });
  const failed = await reaches("Failed");
  assert.equal(failed.status?.reason, "NoTargetNamespaces");
  assert.equal(failed.metadata.annotations?.["olm.targetNamespaces"], undefined);
  const stalled = await world.client.get(operatorGroups, group);
  assert.deepEqual(stalled?.status?.namespaces, []);
  await world.merge(operatorGroups, group, { spec: { targetNamespaces: [namespace] } });
  await reaches("Succeeded");
  assert.deepEqual((await world.client.get(operatorGroups, group))?.status?.namespaces, [namespace]);
});
