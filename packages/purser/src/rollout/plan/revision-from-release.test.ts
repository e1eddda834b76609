import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import { isBeingMigrated, migratedRevision } from "./revision-from-release.ts";

const base = migratedRevision(
  {
    labels: { "olm.operatorframework.io/owner-name": "ext" },
    annotations: {},
    collisionProtection: "None",
    progressionProbes: [],
    phases: [],
  },
  { name: "ext", uid: "u" },
);
const succeeded = (status: Condition["status"]): ClusterObjectSet["status"] => ({
  conditions: [{ type: "Succeeded", status, reason: "Succeeded", message: "", lastTransitionTime: "" }],
});
const spec = (change: Partial<NonNullable<ClusterObjectSet["spec"]>>): ClusterObjectSet =>
  ({ ...base, spec: { ...base.spec, ...change } }) as ClusterObjectSet;

const rows: readonly (readonly [what: string, ClusterObjectSet, isBeingMigrated: boolean])[] = [
  ["one that has just been made", base, true],
  ["one whose success is not known", { ...base, status: succeeded("Unknown") } as ClusterObjectSet, true],
  ["one that succeeded", { ...base, status: succeeded("True") } as ClusterObjectSet, false],
  ["one without the label", { ...base, metadata: { ...base.metadata, labels: {} } }, false],
  ["a later one with the label", spec({ revision: 2 }), false],
  ["one that was archived", spec({ lifecycleState: "Archived" }), false],
  [
    "one that is being deleted",
    { ...base, metadata: { ...base.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
    false,
  ],
];
for (const [what, revision, expected] of rows)
  test(`of revisions from a Helm release, ${what} is ${expected ? "" : "not "}shown as installed next`, () => {
    assert.equal(isBeingMigrated(revision), expected);
  });

test("the revision from a release is the first one, labelled, and owned by its extension", () => {
  assert.deepEqual(base.metadata, {
    name: "ext-1",
    labels: { "olm.operatorframework.io/owner-name": "ext", "olm.operatorframework.io/migrated-from-helm": "true" },
    annotations: {},
    ownerReferences: [
      {
        apiVersion: "olm.operatorframework.io/v1",
        kind: "ClusterExtension",
        name: "ext",
        uid: "u",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
  assert.deepEqual([base.spec?.revision, base.spec?.lifecycleState], [1, "Active"]);
});
