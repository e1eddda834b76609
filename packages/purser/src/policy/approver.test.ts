import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { approvalAnnotations, approvedText, approverOf } from "./approver.ts";

const byField = {
  manager: "kubectl-edit",
  operation: "Update",
  time: "2026-11-24T12:00:00Z",
  fieldsV1: { "f:spec": { "f:approved": {} } },
};
const other = { manager: "argocd", operation: "Apply", fieldsV1: { "f:spec": { "f:approvedBy": {} } } };

function plan(
  managedFields: readonly object[] | undefined,
  annotations?: Readonly<Record<string, string>>,
): KubeObject {
  const metadata = { name: "install-a", managedFields, annotations };
  return { apiVersion: "operators.coreos.com/v1alpha1", kind: "InstallPlan", metadata } as unknown as KubeObject;
}

const rows: readonly (readonly [what: string, approver: string, object: KubeObject])[] = [
  ["no record", "someone", plan(undefined)],
  ["a record of another field", "someone", plan([other, { manager: "a", operation: "Update" }])],
  ["the field's record", "kubectl-edit at 2026-11-24T12:00:00Z", plan([other, byField])],
  ["a record without a manager", "someone at 2026-11-24T12:00:00Z", plan([{ ...byField, manager: undefined }])],
  ["a record without a time", "kubectl-edit", plan([{ ...byField, time: undefined }])],
  [
    "the user who approved, too",
    "ana, by kubectl-edit at 2026-11-24T12:00:00Z",
    plan([byField], { "purser.dev/approved-by": "ana" }),
  ],
  [
    "a reason, too",
    "ana (CHG-1182)",
    plan([], { "purser.dev/approved-by": "ana", "purser.dev/approval-reason": "CHG-1182" }),
  ],
  ["a reason without a user", "someone", plan([], { "purser.dev/approval-reason": "CHG-1182" })],
];
for (const [what, approver, object] of rows)
  test(`with ${what} an InstallPlan was approved by ${approver}`, () => {
    assert.equal(approverOf(object, "f:approved"), approver);
  });

test("an approval without user or reason removes those of a former one", () => {
  assert.deepEqual(approvalAnnotations("ana", undefined), {
    "purser.dev/approved-by": "ana",
    "purser.dev/approval-reason": null,
  });
  assert.deepEqual(approvalAnnotations(undefined, "x"), {
    "purser.dev/approved-by": null,
    "purser.dev/approval-reason": "x",
  });
});

test("the record names each change, its digest and who approved", () => {
  const upgrade = { from: "b.v1", to: "b.v2" };
  assert.equal(
    approvedText([upgrade], "sha256:1", "ana"),
    "b.v2 in place of b.v1 is installed with the changes sha256:1, approved by ana",
  );
  assert.equal(
    approvedText([upgrade, { to: "c.v1" }], undefined, "someone"),
    "b.v2 in place of b.v1 and c.v1 are installed whatever they change, approved by someone",
  );
});
