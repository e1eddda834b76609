import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyRule } from "@purser/kubernetes/object/rbac";
import { missingRulesText } from "./missing-rules.ts";

const account = { namespace: "ops", name: "installer" };
const rule = (resource: string, verbs: readonly string[], more: Partial<PolicyRule> = {}): PolicyRule => ({
  apiGroups: [""],
  resources: [resource],
  verbs,
  ...more,
});
const text = (
  cluster: readonly PolicyRule[],
  here: readonly PolicyRule[],
  held: { readonly cluster?: readonly PolicyRule[]; readonly here?: readonly PolicyRule[] },
): string | undefined =>
  missingRulesText(
    account,
    { cluster, namespaces: new Map([["ops", here]]) },
    { cluster: held.cluster ?? [], namespaces: new Map([["ops", held.here ?? []]]) },
  );
const sentence = (rules: string): string =>
  `PermissionDenied: ServiceAccount ops/installer may not ${rules}. \`purser bundle rights BUNDLE --namespace ops --account installer\` writes the roles that it needs`;

test("says nothing about an account that has everything", () => {
  const nodes = rule("nodes", ["get"]);
  assert.equal(text([nodes], [rule("pods", ["get"])], { cluster: [nodes], here: [rule("*", ["*"])] }), undefined);
});

test("a right in the namespace is none in the whole cluster", () => {
  assert.equal(
    text([rule("pods", ["get", "list"])], [], { here: [rule("pods", ["*"])] }),
    sentence("get,list pods in the whole cluster"),
  );
});

test("names only the verbs that are missing, with group, name and namespace", () => {
  const wanted = { ...rule("configmaps", ["get", "update"], { resourceNames: ["settings"] }), apiGroups: ["x.org"] };
  assert.equal(
    text([], [wanted], { here: [{ ...rule("configmaps", ["get"]), apiGroups: ["x.org"] }] }),
    sentence("update configmaps.x.org settings in ops"),
  );
});

test("counts what is missing beyond eight rules", () => {
  const wanted = Array.from({ length: 10 }, (_, index) => rule(`r${index}`, ["get"]));
  const shown = Array.from({ length: 8 }, (_, index) => `get r${index} in ops`).join("; ");
  assert.equal(text([], wanted, {}), sentence(`${shown}; and 2 more`));
});
