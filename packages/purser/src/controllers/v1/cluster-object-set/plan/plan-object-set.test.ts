import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import { teardownFinalizer } from "../../../../apis/v1/labels.ts";
import { planObjectSet } from "./plan-object-set.ts";

const foreign = "example.com/keep";

function revisionOf(
  number: number,
  lifecycleState: "Active" | "Archived" = "Active",
  metadata: ClusterObjectSet["metadata"] = {},
  progress?: string,
): ClusterObjectSet {
  const condition = {
    type: "Progressing",
    status: "False",
    reason: progress ?? "",
    message: "",
    lastTransitionTime: "",
  };
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    metadata: { name: `ext-${number}`, uid: `uid-${number}`, finalizers: [teardownFinalizer], ...metadata },
    spec: { lifecycleState, revision: number, collisionProtection: "Prevent" },
    ...(progress === undefined ? {} : { status: { conditions: [condition] } }),
  } as ClusterObjectSet;
}

/** What a pass does, in one line. */
function planned(revision: ClusterObjectSet, ...family: readonly ClusterObjectSet[]): string {
  return planObjectSet({ revision, family: [revision, ...family] }, 0)
    .actions.map((action) => {
      if (action.kind === "reconcile")
        return `reconcile beside [${action.siblings.map(({ metadata }) => metadata.name).join(" ")}]`;
      const { write } = action;
      return write.verb === "patch" ? JSON.stringify(write.patch) : write.verb;
    })
    .join(", ");
}

const leaving = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const table: readonly (readonly [string, string, string])[] = [
  [
    "a new revision gets its finalizer before anything is applied",
    planned(revisionOf(1, "Active", { finalizers: [foreign] })),
    `{"metadata":{"finalizers":["${foreign}","${teardownFinalizer}"],"uid":"uid-1"}}`,
  ],
  ["an active revision is applied", planned(revisionOf(1)), "reconcile beside []"],
  [
    "siblings that are archived or being deleted are none",
    planned(revisionOf(2), revisionOf(1), revisionOf(3, "Archived"), revisionOf(4, "Active", leaving)),
    "reconcile beside [ext-1]",
  ],
  ["an archived revision is torn down", planned(revisionOf(1, "Archived")), "reconcile beside []"],
  [
    "a revision that is archived from the start is torn down without a finalizer",
    planned(revisionOf(1, "Archived", { finalizers: [] })),
    "reconcile beside []",
  ],
  [
    "a revision that is torn down loses its finalizer",
    planned(revisionOf(1, "Archived", { finalizers: [foreign, teardownFinalizer] }, "Archived")),
    `{"metadata":{"finalizers":["${foreign}"],"uid":"uid-1"}}`,
  ],
  [
    "a revision that is torn down and released is left alone",
    planned(revisionOf(1, "Archived", { finalizers: [] }, "Archived")),
    "",
  ],
  [
    "a deleted revision loses its finalizer, its objects go through their owner references",
    planned(revisionOf(1, "Active", leaving)),
    `{"metadata":{"finalizers":[],"uid":"uid-1"}}`,
  ],
  [
    "a deleted revision without our finalizer is left alone",
    planned(revisionOf(1, "Active", { ...leaving, finalizers: [foreign] })),
    "",
  ],
];

for (const [what, plan, expected] of table) test(what, () => assert.equal(plan, expected));

test("a revision that does not exist any more enqueues no key", () => {
  assert.deepEqual(planObjectSet(undefined, 0), { actions: [] });
});
