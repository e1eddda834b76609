import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { permissionsHoldEverywhere } from "./permission.ts";
import type { RbacWorld } from "./world.ts";

const rule = (verbs: readonly string[], resources: readonly string[] = ["pods"]): PolicyRule => ({
  apiGroups: [""],
  resources: [...resources],
  verbs: [...verbs],
});

/** Whether the accounts `a` and `b` may do what the CSV asks for, while `a` holds `held` in every namespace and `b` in one. */
function holds(
  permissions: readonly (readonly [account: string, rules: readonly PolicyRule[] | undefined])[],
  held: readonly PolicyRule[],
) {
  const csv = {
    metadata: { namespace: "ns", name: "op.v1" },
    spec: {
      install: {
        strategy: "deployment",
        spec: { permissions: permissions.map(([serviceAccountName, rules]) => ({ serviceAccountName, rules })) },
      },
    },
  } as unknown as ClusterServiceVersion;
  const of = (name: string) => [{ kind: "ServiceAccount", name, namespace: "ns" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "all" };
  const rbac = {
    roles: [],
    clusterRoles: [{ metadata: { name: "all" }, rules: held }],
    clusterRoleBindings: [{ metadata: { name: "a" }, roleRef, subjects: of("a") }],
    roleBindings: [{ metadata: { name: "b", namespace: "ns" }, roleRef, subjects: of("b") }],
  } as unknown as RbacWorld;
  return permissionsHoldEverywhere(csv, rbac);
}

const held = [rule(["get", "list"]), rule(["get"], ["secrets"])];
const rows: readonly (readonly [what: string, ...Parameters<typeof holds>, expected: boolean])[] = [
  ["every verb of a rule", [["a", [rule(["get", "list"])]]], held, true],
  ["some verbs of a rule alone", [["a", [rule(["get", "watch"])]]], held, false],
  ["some resources of a rule alone", [["a", [rule(["list"], ["pods", "secrets"])]]], held, false],
  ["some rules alone", [["a", [rule(["get"]), rule(["watch"])]]], held, false],
  [
    "some permissions alone",
    [
      ["a", [rule(["get"])]],
      ["a", [rule(["watch"])]],
    ],
    held,
    false,
  ],
  ["rules in one namespace alone", [["b", [rule(["get"])]]], held, false],
  ["a permission without rules", [["b", undefined]], held, true],
  ["no permissions", [], [], true],
];
for (const [what, permissions, rules, expected] of rows)
  test(`an account that holds ${what} ${expected ? "holds" : "does not hold"} the permissions of its CSV everywhere`, () =>
    assert.equal(holds(permissions, rules), expected));
