import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterUpdatePolicy } from "../../apis/policy/cluster-update-policy.ts";
import { policyDocument, ruleWords, selectionWords } from "./policy-list.ts";

type Spec = ClusterUpdatePolicy["spec"];

for (const [selector, words] of [
  [{}, "everything"],
  [undefined, "everything"],
  [{ names: ["etcd", "kiln"], namespaces: ["data"] }, "etcd and kiln, in data"],
  [{ packages: ["etcd"], kinds: ["Subscription"] }, "package etcd, Subscription"],
  [{ labels: { matchLabels: { a: "b" } } }, "by labels"],
] as const)
  test(`a policy that selects ${JSON.stringify(selector)} shows "${words}"`, () =>
    assert.equal(selectionWords(selector === undefined ? {} : { selector }), words));

const rules: readonly (readonly [spec: Spec, words: string])[] = [
  [{}, ""],
  [{ level: "none" }, "no upgrades"],
  [{ level: "patch" }, "level patch"],
  [
    { versions: { range: "<2", allowed: ["1.0.0", "1.1.0"], denied: ["1.2.0"] } },
    "range <2, only 1.0.0 and 1.1.0, not 1.2.0",
  ],
  [
    { windows: [{ schedule: "0 22 * * 6", duration: "4h", timeZone: "Europe/Berlin" }] },
    "in windows 0 22 * * 6 for 4h (Europe/Berlin)",
  ],
  [{ windows: [{ schedule: "0 1 * * *", duration: "1h" }], soak: "3d" }, "in windows 0 1 * * * for 1h (UTC), soak 3d"],
  [{ approval: {} }, ""],
  [{ approval: { install: "Automatic", patch: "Automatic" } }, ""],
  [{ approval: { install: "Manual" } }, "approval of installations"],
  [{ approval: { minor: "Manual", major: "Manual", patch: "Automatic" } }, "approval of minor and major upgrades"],
  [{ approval: { install: "Manual", patch: "Manual" } }, "approval of installations and patch upgrades"],
  [{ permissionIncrease: "Allow", crdChange: "Allow" }, ""],
  [{ permissionIncrease: "Deny" }, "no new permissions"],
  [{ permissionIncrease: "RequireApproval" }, "approval of new permissions"],
  [{ crdChange: "Deny" }, "no CRDs that may break stored objects"],
  [{ crdRules: { enum: "Warn", type: "Error", default: "Off" } }, "enum Warn, default Off"],
  [{ dependencies: "Install", rollback: "Never" }, "dependencies Install, rollback Never"],
];
for (const [spec, words] of rules)
  test(`the rules ${JSON.stringify(spec)} show "${words}"`, () => assert.equal(ruleWords(spec), words));

test("the document of a policy is the object without its managers", () => {
  const metadata = { name: "nights", generation: 2 };
  const managedFields = [{ manager: "purser", operation: "Apply", apiVersion: "purser.dev/v1alpha1" }] as const;
  const type = { apiVersion: "purser.dev/v1alpha1", kind: "ClusterUpdatePolicy" } as const;
  const policy = { ...type, spec: { level: "patch" }, status: { installations: 1 } } as const;
  assert.deepEqual(policyDocument({ ...policy, metadata: { ...metadata, managedFields } }), { ...policy, metadata });
});
