import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import { riskyRights, ruleWords } from "./package-details.ts";

const rule = (verbs: string, groups: string, resources: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(","),
  apiGroups: groups.split(","),
  resources: resources.split(","),
  ...more,
});
const all = "all rights everywhere";
const secrets = "reads Secrets everywhere";
const more = "may give itself more rights";
const commands = "runs commands in pods";
const paths: PolicyRule = { verbs: ["*"], nonResourceURLs: ["*"] };

for (const [what, asked, expected] of [
  ["everything", rule("*", "*", "*"), [all, secrets, more, commands]],
  ["every verb on every resource of a group", rule("*", "apps", "*"), [more]],
  ["every verb on one resource of every group", rule("*", "*", "pods"), []],
  ["reading every resource of every group", rule("get", "*", "*"), [secrets, commands]],
  ["getting Secrets", rule("get", "", "secrets"), [secrets]],
  ["listing Secrets among others", rule("create,list", "apps,", "pods,secrets"), [secrets]],
  ["watching Secrets", rule("watch", "", "secrets"), [secrets]],
  ["every verb on Secrets", rule("*", "", "secrets"), [secrets]],
  ["writing Secrets", rule("create,update,delete", "", "secrets"), []],
  ["secrets of another group", rule("get", "g.io", "secrets"), []],
  ["getting one Secret by name", rule("get", "", "secrets", { resourceNames: ["own"] }), []],
  ["getting ConfigMaps", rule("get", "", "configmaps"), []],
  ["escalating", rule("escalate", "rbac.authorization.k8s.io", "roles"), [more]],
  ["binding among others", rule("get,bind", "rbac.authorization.k8s.io", "clusterroles"), [more]],
  ["impersonating", rule("impersonate", "", "users"), [more]],
  ["every verb on Roles", rule("*", "rbac.authorization.k8s.io", "roles"), [more]],
  ["every verb on ClusterRoles", rule("*", "rbac.authorization.k8s.io", "clusterroles"), [more]],
  ["creating Roles", rule("create", "rbac.authorization.k8s.io", "roles"), []],
  ["creating pods/exec", rule("create", "", "pods/exec"), [commands]],
  ["getting pods/exec", rule("get", "", "pods/exec"), [commands]],
  ["deleting pods/exec", rule("delete", "", "pods/exec"), []],
  ["creating pods", rule("create", "", "pods"), []],
  ["pods/exec of another group", rule("create", "g.io", "pods/exec"), []],
  ["every path", paths, []],
] as const)
  test(`${what} is ${expected.length === 0 ? "no risk" : expected.join(", ")}`, () =>
    assert.deepEqual(riskyRights([{ account: "op", scope: "cluster", rule: asked }]), expected));

test("rights in namespaces are no risk, and each risk is named once, the heaviest first", () => {
  const exec = { account: "op", rule: rule("create", "", "pods/exec") } as const;
  const read = { account: "op", scope: "cluster", rule: rule("get", "", "secrets") } as const;
  assert.deepEqual(riskyRights([{ ...exec, scope: "namespace" }]), []);
  assert.deepEqual(riskyRights([{ ...exec, scope: "cluster" }, read, read]), [secrets, commands]);
});

for (const [given, verbs, on] of [
  [rule("get,list", "", "pods,secrets"), "get, list", "pods, secrets"],
  [rule("get", "apps,,batch", "jobs"), "get", "jobs (apps, batch)"],
  [rule("get", "", "pods", { resourceNames: ["a", "b"] }), "get", "pods named a and b"],
  [
    rule("get", "", "pods", { resourceNames: "a,b,c,d,e,f,g".split(",") }),
    "get",
    "pods named a, b, c, d, e and 2 more",
  ],
  [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/metrics"] }, "get", "/healthz, /metrics"],
  [{ verbs: ["get"] }, "get", ""],
] as const)
  test(`a rule as words: ${verbs} on ${on === "" ? "nothing" : on}`, () =>
    assert.deepEqual(ruleWords(given as PolicyRule), { verbs, on }));
