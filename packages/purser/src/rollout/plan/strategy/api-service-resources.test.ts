import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { checkApiServiceResources } from "./api-service-resources.ts";
import { hashOfAuthority } from "./serving-authority.ts";
import type { StrategyWorld } from "./strategy-world.ts";

const caBundle = btoa("authority");
const hash = hashOfAuthority(caBundle);
const annotations = { olmcahash: String(hash) };
const metadata = { namespace: "ns", name: "op.v1", uid: "op" };
const csv = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata,
  spec: {
    apiservicedefinitions: { owned: [{ group: "g.io", version: "v1", kind: "A", name: "as", deploymentName: "d" }] },
  },
} as unknown as ClusterServiceVersion;
const owner = {
  "olm.owner": "op.v1",
  "olm.owner.namespace": "ns",
  "olm.owner.kind": "ClusterServiceVersion",
};
const apiService = (change: object = {}): object => ({
  metadata: { name: "v1.g.io", labels: owner },
  spec: { service: { name: "d-service", namespace: "ns" }, caBundle, ...change },
});
const deployment = (own: object = { annotations }, serviceAccountName = "sa"): Deployment =>
  ({
    metadata: { name: "d" },
    spec: { template: { metadata: own, spec: { serviceAccountName } } },
  }) as unknown as Deployment;
const one = (name: string, object: object = {}): ReadonlyMap<string, never> => new Map([[name, object as never]]);
const none: ReadonlyMap<string, never> = new Map<string, never>();
const whole = {
  csv,
  deployments: [deployment()],
  siblings: [csv],
  operatorGroups: [],
  apiServices: one("v1.g.io", apiService()),
  services: one("d-service"),
  secrets: one("d-service-cert", { metadata: { annotations } }),
  certificates: none,
  unreadableAuthorities: none,
  roles: one("d-service-cert"),
  roleBindings: one("d-service-cert"),
  authDelegators: one("d-service-system:auth-delegator"),
  authReaders: one("d-service-auth-reader"),
  serviceAccounts: one("sa"),
} as unknown as StrategyWorld;

const verdict = (change: Partial<StrategyWorld>): string => {
  const found = checkApiServiceResources({ ...whole, ...change });
  return found.kind === "consistent" ? found.kind : `${found.kind}: ${found.message}`;
};
const mismatch = (what: string): string => `repairable: ${what} CA cert hash does not match expected`;

for (const [what, change, expected] of [
  ["everything is there", {}, "consistent"],
  [
    "the APIService is missing",
    { apiServices: none },
    'repairable: apiservice.apiregistration.k8s.io "v1.g.io" not found',
  ],
  ["the Service is missing", { services: none }, 'repairable: service "d-service" not found'],
  [
    "the APIService leads to another Service",
    { apiServices: one("v1.g.io", apiService({ service: { name: "other", namespace: "ns" } })) },
    "repairable: found APIService and service reference mismatch",
  ],
  [
    "the APIService leads to another namespace",
    { apiServices: one("v1.g.io", apiService({ service: { name: "d-service", namespace: "other" } })) },
    "repairable: found APIService and service reference mismatch",
  ],
  [
    "the authority cannot be read",
    { unreadableAuthorities: one("v1.g.io", "bad authority" as never) },
    "repairable: bad authority",
  ],
  ["the Secret is missing", { secrets: none }, 'repairable: secret "d-service-cert" not found'],
  [
    "the certificate cannot be read",
    { certificates: one("d", { unreadable: "bad certificate" }) },
    "repairable: bad certificate",
  ],
  [
    "the Secret is of another authority",
    { secrets: one("d-service-cert", { metadata: { annotations: { olmcahash: "x" } } }) },
    mismatch("secret d-service-cert"),
  ],
  [
    "the Secret says nothing of its authority",
    { secrets: one("d-service-cert", { metadata: {} }) },
    mismatch("secret d-service-cert"),
  ],
  ["the Deployment is missing", { deployments: [] }, 'repairable: deployment.apps "d" not found'],
  ["the Deployment says nothing of the authority", { deployments: [deployment({})] }, mismatch("deployment d")],
  ["the account is missing", { serviceAccounts: none }, 'repairable: serviceaccounts "sa" not found'],
  ["the Role is missing", { roles: none }, 'repairable: role.rbac.authorization.k8s.io "d-service-cert" not found'],
  [
    "the RoleBinding is missing",
    { roleBindings: none },
    'repairable: rolebinding.rbac.authorization.k8s.io "d-service-cert" not found',
  ],
  [
    "everything beside its certificate is missing",
    { serviceAccounts: none, roles: none, roleBindings: none, authDelegators: none, authReaders: none },
    'repairable: [serviceaccounts "sa" not found, role.rbac.authorization.k8s.io "d-service-cert" not found, rolebinding.rbac.authorization.k8s.io "d-service-cert" not found, clusterrolebinding.rbac.authorization.k8s.io "d-service-system:auth-delegator" not found, rolebinding.rbac.authorization.k8s.io "d-service-auth-reader" not found]',
  ],
] as const)
  test(`an owned API of which ${what} is ${expected}`, () =>
    assert.equal(verdict(change as Partial<StrategyWorld>), expected));
