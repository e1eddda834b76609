import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { permissionsOf } from "./csv-permissions.ts";

function csv(strategy: string, permissions: readonly string[] = ["a"], cluster: readonly string[] = []) {
  const of = (accounts: readonly string[]) =>
    accounts.map((serviceAccountName) => ({ serviceAccountName, rules: [{ verbs: ["get"] }] }));
  const spec = { deployments: [], permissions: of(permissions), clusterPermissions: of(cluster) };
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "ns", name: "op.v1", uid: "u" },
    spec: { displayName: "op", install: { strategy, spec } },
  } as ClusterServiceVersion;
}

for (const strategy of ["", "helm", "Deployment"])
  test(`permissions of the strategy ${JSON.stringify(strategy)} are refused, whatever it holds`, () =>
    assert.deepEqual(permissionsOf(csv(strategy)), { ok: false, problem: "unrecognized install strategy" }));

test("accounts come in order of first appearance, each with its Roles before its ClusterRoles", () => {
  const found = permissionsOf(csv("deployment", ["b", "a", "b"], ["a", "c"]));
  assert.ok(found.ok);
  assert.deepEqual(
    found.value.map(
      ({ serviceAccountName, objects }) => `${serviceAccountName}: ${objects.map(({ type }) => type).join(" ")}`,
    ),
    [
      "b: ServiceAccount Role Role RoleBinding RoleBinding",
      "a: ServiceAccount Role RoleBinding ClusterRole ClusterRoleBinding",
      "c: ServiceAccount ClusterRole ClusterRoleBinding",
    ],
  );
});
