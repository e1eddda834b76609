import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { planNamespaceLabels } from "./plan-namespace-labels.ts";

const groupOf = (uid: string, namespaces: readonly string[], metadata: object = {}): OperatorGroup => ({
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace: "operators", name: uid, uid, ...metadata },
  status: { namespaces, lastUpdated: "" },
});

const of = (uid: string): string => `olm.operatorgroup.uid/${uid}`;

/** Labels that the pass over namespace `a` changes. */
function changed(
  groups: readonly OperatorGroup[],
  labels: Record<string, string> = {},
  metadata: object = {},
): unknown {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "a", labels, ...metadata } };
  const [action] = planNamespaceLabels({ namespace, groups }).actions;
  if (action === undefined) return undefined;
  assert.ok(action.write.verb === "patch");
  return (action.write.patch as { readonly metadata: { readonly labels: unknown } }).metadata.labels;
}

const rows: readonly (readonly [string, unknown, unknown])[] = [
  [
    "every group that targets the namespace",
    changed([groupOf("1", ["a"]), groupOf("2", ["b", "a"])]),
    { [of("1")]: "", [of("2")]: "" },
  ],
  ["no group that targets other namespaces", changed([groupOf("1", ["b"])]), undefined],
  ["no group that targets every namespace", changed([groupOf("1", [""])]), undefined],
  ["no group that is being deleted", changed([groupOf("1", ["a"], { deletionTimestamp: "x" })]), undefined],
  ["a group whose label has a value", changed([groupOf("1", ["a"])], { [of("1")]: "x" }), { [of("1")]: "" }],
  ["nothing when the label exists", changed([groupOf("1", ["a"])], { [of("1")]: "", other: "x" }), undefined],
  ["nothing while it is being deleted", changed([groupOf("1", ["a"])], {}, { deletionTimestamp: "x" }), undefined],
];
for (const [what, labels, expected] of rows)
  test(`a namespace is labelled with ${what}`, () => assert.deepEqual(labels, expected));

test("labels of groups that no longer target the namespace are removed, and others stay", () => {
  const held = { [of("1")]: "", [of("gone")]: "", "olm.operatorgroup": "x", other: "y" };
  assert.deepEqual(changed([groupOf("1", ["b"])], held), { [of("1")]: null, [of("gone")]: null });
});
