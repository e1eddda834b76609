import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "@purser/kubernetes/json";
import { type PolicyRule, rulesCover } from "@purser/kubernetes/object/rbac";
import { permissionChanges } from "./permission-changes.ts";

const rule = (
  verbs: readonly string[],
  resources: readonly string[],
  apiGroups: readonly string[] = [""],
): PolicyRule => ({
  apiGroups,
  resources,
  verbs,
});

/** A role of the kind with its binding to ServiceAccount ops/manager. */
function granted(kind: "Role" | "ClusterRole", rules: readonly PolicyRule[], namespace = "ops"): readonly JsonObject[] {
  const metadata = { name: "manager", ...(kind === "Role" ? { namespace } : {}) };
  return [
    { kind, metadata, rules: rules as unknown as JsonObject[] },
    {
      kind: `${kind}Binding`,
      metadata,
      subjects: [{ kind: "ServiceAccount", namespace: "ops", name: "manager" }],
      roleRef: { kind, name: "manager" },
    },
  ];
}

const flagsOf = (wanted: PolicyRule, kind: "Role" | "ClusterRole" = "Role"): readonly string[] =>
  permissionChanges([], granted(kind, [wanted])).flatMap(({ added }) => added.flatMap(({ flags }) => flags));

test("rules that are split or written otherwise are no change", () => {
  const whole = [rule(["get", "list"], ["pods", "secrets"])];
  const split = [rule(["list"], ["secrets"]), rule(["get"], ["secrets"]), rule(["get", "list"], ["pods"])];
  assert.deepEqual(permissionChanges(granted("Role", whole), granted("Role", split)), []);
});

test("a rule of one namespace that moves to the cluster is gained there and not lost", () => {
  const rules = [rule(["get"], ["pods"])];
  assert.deepEqual(permissionChanges(granted("Role", rules), granted("ClusterRole", rules)), [
    { account: "ops/manager", added: [{ rule: rules[0], flags: ["cluster-wide"] }], removed: [] },
  ]);
  assert.deepEqual(permissionChanges(granted("ClusterRole", rules), granted("Role", rules)), [
    { account: "ops/manager", added: [], removed: [{ rule: rules[0], flags: ["cluster-wide"] }] },
  ]);
});

test("a rule that is gained in the whole cluster and in a namespace is listed once", () => {
  const rules = [rule(["get"], ["pods"])];
  const both = [...granted("ClusterRole", rules), ...granted("Role", rules)];
  assert.deepEqual(
    permissionChanges([], both).map(({ namespace }) => namespace),
    [undefined],
  );
});

test("sensitive permissions carry their flags, others none", () => {
  const rbac = ["rbac.authorization.k8s.io"];
  assert.deepEqual(flagsOf(rule(["get"], ["pods"])), []);
  assert.deepEqual(flagsOf(rule(["get"], ["pods"]), "ClusterRole"), ["cluster-wide"]);
  assert.deepEqual(flagsOf(rule(["watch"], ["secrets"])), ["secrets"]);
  assert.deepEqual(flagsOf(rule(["delete"], ["secrets"])), []);
  assert.deepEqual(flagsOf(rule(["escalate"], ["roles"], rbac)), ["escalate"]);
  assert.deepEqual(flagsOf(rule(["bind"], ["clusterroles"], rbac)), ["bind"]);
  assert.deepEqual(flagsOf(rule(["bind"], ["pods"])), []);
  assert.deepEqual(flagsOf(rule(["impersonate"], ["users"])), ["impersonate"]);
  assert.deepEqual(flagsOf(rule(["create"], ["pods/exec"])), ["exec"]);
  assert.deepEqual(flagsOf(rule(["get"], ["nodes/proxy"])), ["node"]);
  assert.deepEqual(flagsOf(rule(["get"], ["nodes"])), []);
  assert.deepEqual(flagsOf(rule(["patch"], ["nodes"])), ["node"]);
  assert.deepEqual(flagsOf(rule(["*"], ["*"], ["*"])), [
    "wildcard",
    "secrets",
    "escalate",
    "bind",
    "impersonate",
    "exec",
    "node",
  ]);
  assert.deepEqual(flagsOf({ ...rule(["get"], ["secrets"]), resourceNames: ["own"] }), ["secrets"]);
});

test("a role that nothing binds gives nothing, and a RoleBinding keeps a ClusterRole in its namespace", () => {
  const [role = {}, binding = {}] = granted("ClusterRole", [rule(["get"], ["pods"])]);
  assert.deepEqual(permissionChanges([], [role]), []);
  const bound = { ...binding, kind: "RoleBinding", metadata: { name: "manager", namespace: "apps" } };
  assert.deepEqual(
    permissionChanges([], [role, bound]).map(({ account, namespace }) => [account, namespace]),
    [["ops/manager", "apps"]],
  );
});

const rules = fc.array(
  fc.record({
    apiGroups: fc.subarray(["", "apps", "*"], { minLength: 1 }),
    resources: fc.subarray(["pods", "pods/exec", "secrets", "*"], { minLength: 1 }),
    verbs: fc.subarray(["get", "list", "delete", "*"], { minLength: 1 }),
  }),
  { maxLength: 4 },
);

test("what is held and what is gained cover what is wanted, and nothing that is held is gained", () => {
  fc.assert(
    fc.property(rules, rules, (held, wanted) => {
      const [change] = permissionChanges(granted("ClusterRole", held), granted("ClusterRole", wanted));
      const [added, removed] = [change?.added ?? [], change?.removed ?? []].map((list) => list.map((one) => one.rule));
      assert.ok(rulesCover([...held, ...(added ?? [])], wanted));
      assert.ok(rulesCover([...wanted, ...(removed ?? [])], held));
      for (const one of added ?? []) assert.ok(rulesCover(wanted, [one]) && !rulesCover(held, [one]));
      assert.equal(change === undefined, rulesCover(held, wanted) && rulesCover(wanted, held));
    }),
  );
});

test("an aggregated role gives the rules of the roles that it selects, and cluster-admin gives everything", () => {
  const [, binding = {}] = granted("ClusterRole", []);
  const aggregated = {
    kind: "ClusterRole",
    metadata: { name: "manager" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: "manager" } }] },
    rules: [],
  };
  const part = (label: string): JsonObject => ({
    kind: "ClusterRole",
    metadata: { name: "part", labels: { part: label } },
    rules: [rule(["get"], ["pods"]) as unknown as JsonObject],
  });
  assert.deepEqual(permissionChanges([], [binding, aggregated, part("other")]), []);
  assert.deepEqual(
    permissionChanges(granted("ClusterRole", [rule(["get"], ["pods"])]), [binding, aggregated, part("manager")]),
    [],
  );
  const admin = { ...binding, roleRef: { kind: "ClusterRole", name: "cluster-admin" } };
  assert.ok(permissionChanges([], [admin]).some(({ added }) => added.some(({ flags }) => flags.includes("escalate"))));
});
