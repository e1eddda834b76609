import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { PolicyRule } from "@purser/kubernetes/object/rbac";
import { installerManifests, type Tier, tiers } from "./installer-manifests.ts";
import type { InstallerRights } from "./installer-rights.ts";

const gets = (resource: string): PolicyRule => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
const account = { namespace: "ns", name: "acc" };
const rights: InstallerRights = {
  cluster: [gets("nodes")],
  namespaces: new Map([
    ["ns", [gets("pods")]],
    ["kube-system", [gets("configmaps")]],
  ]),
};
const apiVersion = "rbac.authorization.k8s.io/v1";
const serviceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "acc", namespace: "ns" } };
const binding = (metadata: JsonObject, kind: string, name: string): JsonObject => ({
  apiVersion,
  kind: metadata["namespace"] === undefined ? "ClusterRoleBinding" : "RoleBinding",
  metadata,
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
  subjects: [{ kind: "ServiceAccount", namespace: "ns", name: "acc" }],
});
const role = (
  metadata: JsonObject & { readonly name: string },
  kind: string,
  rule: PolicyRule,
): readonly JsonObject[] => [
  { apiVersion, kind, metadata, rules: [rule as unknown as JsonObject] },
  binding(metadata, kind, metadata.name),
];
const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
const here = { name: "acc", namespace: "ns" };

const expected: Readonly<Record<Tier, readonly JsonObject[]>> = {
  "cluster-admin": [serviceAccount, binding({ name: "ns-acc" }, "ClusterRole", "cluster-admin")],
  "namespace-bounded": [serviceAccount, ...role(here, "Role", everything)],
  "least-privilege": [
    serviceAccount,
    ...role(here, "Role", gets("pods")),
    ...role({ name: "ns-acc", namespace: "kube-system" }, "Role", gets("configmaps")),
    ...role({ name: "ns-acc" }, "ClusterRole", gets("nodes")),
  ],
};
for (const tier of tiers)
  test(`an account of the tier ${tier} is applied as`, () =>
    assert.deepEqual(installerManifests(account, tier, rights), expected[tier]));

test("an account that needs nothing outside its namespace gets no ClusterRole", () => {
  const bounded = { ...rights, cluster: [] };
  assert.deepEqual(installerManifests(account, "least-privilege", bounded), expected["least-privilege"].slice(0, -2));
});
