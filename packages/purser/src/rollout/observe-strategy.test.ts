import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { RecordingCluster } from "../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { observeStrategy } from "./observe-strategy.ts";

const namespace = "ns";
const labels = {
  "olm.owner": "op.v1",
  "olm.owner.namespace": namespace,
  "olm.owner.kind": "ClusterServiceVersion",
};
const csv = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { namespace, name: "op.v1", uid: "op" },
  spec: {
    displayName: "op",
    apiservicedefinitions: {
      owned: [{ group: "g.io", version: "v1", kind: "A", name: "as", deploymentName: "server" }],
    },
    webhookdefinitions: [
      { type: "ConversionWebhook", deploymentName: "hooks", generateName: "h.g.io", conversionCRDs: ["bs.g.io"] },
    ],
    install: {
      strategy: "deployment",
      spec: { deployments: ["server", "hooks", "plain"].map((name) => ({ name, spec: {} })) },
    },
  },
} as unknown as ClusterServiceVersion;

const object = (apiVersion: string, kind: string, name: string, more: object = {}, where?: string): object => ({
  apiVersion,
  kind,
  ...more,
  metadata: { name, ...(where === undefined ? {} : { namespace: where }), ...("labels" in more ? { labels } : {}) },
});
const rbac = "rbac.authorization.k8s.io/v1";
const admission = "admissionregistration.k8s.io/v1";
const deployment = (name: string, serviceAccountName: string, where = namespace): object =>
  object("apps/v1", "Deployment", name, { labels, spec: { template: { spec: { serviceAccountName } } } }, where);

const held = [
  csv,
  deployment("server", "serves"),
  deployment("hooks", "hooks"),
  deployment("plain", "plain"),
  deployment("server", "elsewhere", "elsewhere"),
  object("apps/v1", "Deployment", "foreign", {}, namespace),
  ...["serves", "hooks", "plain", "elsewhere"].map((name) => object("v1", "ServiceAccount", name, {}, namespace)),
  ...["server", "hooks", "plain", "other"].flatMap((name) => [
    object("v1", "Service", `${name}-service`, {}, namespace),
    object("v1", "Secret", `${name}-service-cert`, {}, namespace),
    object(rbac, "Role", `${name}-service-cert`, {}, namespace),
    object(rbac, "RoleBinding", `${name}-service-cert`, {}, namespace),
    object(rbac, "ClusterRoleBinding", `${name}-service-system:auth-delegator`),
    object(rbac, "RoleBinding", `${name}-service-auth-reader`, {}, "kube-system"),
    object(rbac, "RoleBinding", `${name}-service-auth-reader`, {}, namespace),
  ]),
  object("apiregistration.k8s.io/v1", "APIService", "v1.g.io", { spec: {} }),
  object("apiregistration.k8s.io/v1", "APIService", "v2.g.io", { spec: {} }),
  object(admission, "ValidatingWebhookConfiguration", "ours", { labels }),
  object(admission, "ValidatingWebhookConfiguration", "theirs"),
  object(admission, "MutatingWebhookConfiguration", "ours", { labels }),
  object(admission, "MutatingWebhookConfiguration", "theirs"),
  object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "bs.g.io", { spec: {} }),
  object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "cs.g.io", { spec: {} }),
  object("operators.coreos.com/v1alpha1", "Subscription", "ours", { spec: {} }, namespace),
  object("operators.coreos.com/v1alpha1", "Subscription", "theirs", { spec: {} }, "elsewhere"),
  object("operators.coreos.com/v1", "OperatorGroup", "ours", { spec: {} }, namespace),
  object("operators.coreos.com/v1", "OperatorGroup", "theirs", { spec: {} }, "elsewhere"),
] as unknown as readonly KubeObject[];

test("an install reads what serves for its APIs and webhooks, what it owns, and nothing of others", async () => {
  const world = await observeStrategy(new RecordingCluster(held), csv);
  const names = (objects: readonly KubeObject[] | ReadonlyMap<string, KubeObject>): readonly string[] =>
    [...objects.values()].map(({ metadata: { name = "", namespace: where } }) =>
      where === undefined || where === namespace ? name : `${where}/${name}`,
    );
  assert.deepEqual(
    {
      deployments: names(world.deployments),
      siblings: names(world.siblings),
      subscriptions: names(world.subscriptions),
      groups: names(world.operatorGroups),
      apiServices: names(world.apiServices),
      services: names(world.services),
      secrets: names(world.secrets),
      roles: names(world.roles),
      roleBindings: names(world.roleBindings),
      authDelegators: names(world.authDelegators),
      authReaders: names(world.authReaders),
      accounts: names(world.serviceAccounts),
      validating: names(world.validatingWebhooks),
      mutating: names(world.mutatingWebhooks),
      crds: names(world.crds),
    },
    {
      deployments: ["server", "hooks", "plain"],
      siblings: ["op.v1"],
      subscriptions: ["ours"],
      groups: ["ours"],
      apiServices: ["v1.g.io"],
      services: ["server-service", "hooks-service"],
      secrets: ["server-service-cert", "hooks-service-cert"],
      roles: ["server-service-cert", "hooks-service-cert"],
      roleBindings: ["server-service-cert", "hooks-service-cert"],
      // A webhook needs no rights of an extension API server.
      authDelegators: ["server-service-system:auth-delegator"],
      authReaders: ["kube-system/server-service-auth-reader"],
      accounts: ["serves"],
      validating: ["ours"],
      mutating: ["ours"],
      crds: ["bs.g.io"],
    },
  );
});

test("an install without APIs and webhooks reads its Deployments alone", async () => {
  const { apiservicedefinitions: _, webhookdefinitions: __, ...spec } = csv.spec;
  const world = await observeStrategy(new RecordingCluster(held), { ...csv, spec });
  const { deployments, ...others } = world;
  assert.equal(deployments.length, 3);
  for (const read of [
    "apiServices",
    "services",
    "secrets",
    "roles",
    "roleBindings",
    "serviceAccounts",
    "crds",
  ] as const)
    assert.deepEqual([...others[read].keys()], [], read);
});
