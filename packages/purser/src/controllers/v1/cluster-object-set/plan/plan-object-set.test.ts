import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import { teardownFinalizer } from "../../../../apis/v1/labels.ts";
import { planObjectSet, stateOfOwner } from "./plan-object-set.ts";

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
    "a deleted revision keeps the finalizer with which the server waits for its objects",
    planned(revisionOf(1, "Active", { ...leaving, finalizers: ["foregroundDeletion", teardownFinalizer] })),
    `{"metadata":{"finalizers":["foregroundDeletion"],"uid":"uid-1"}}`,
  ],
  [
    "a deleted revision without our finalizer is left alone",
    planned(revisionOf(1, "Active", { ...leaving, finalizers: [foreign] })),
    "",
  ],
];

for (const [what, plan, expected] of table) test(what, () => assert.equal(plan, expected));

const owner = { apiVersion: "olm.operatorframework.io/v1", kind: "ClusterExtension", name: "ext", uid: "uid-ext" };
const owned: ClusterObjectSet["metadata"] = { ownerReferences: [owner] };
const extension = (annotations: Readonly<Record<string, string>>): ClusterExtension =>
  ({ metadata: { name: "ext", annotations } }) as ClusterExtension;

/** How many actions a pass over the revision has, by its extension. */
function actionsWith(revision: ClusterObjectSet, owning: ClusterExtension | undefined): number {
  return planObjectSet({ revision, family: [revision], ...stateOfOwner(revision, owning) }, 0).actions.length;
}

test("an active revision is left alone while its extension is paused, and once its extension is deleted", () => {
  const active = revisionOf(1, "Active", owned);
  assert.deepEqual(
    [extension({}), extension({ "purser.dev/paused": "true" }), undefined].map((one) => actionsWith(active, one)),
    [1, 0, 0],
  );
});

test("a revision that no ClusterExtension owns is rolled out without one", () => {
  const adopted = { ownerReferences: [{ ...owner, kind: "ConfigMap" }] };
  assert.deepEqual(
    [{}, adopted].map((metadata) => actionsWith(revisionOf(1, "Active", metadata), undefined)),
    [1, 1],
  );
});

test("an archived revision is torn down while its extension is paused, and once its extension is deleted", () => {
  const archived = revisionOf(1, "Archived", owned);
  assert.deepEqual(
    [extension({ "purser.dev/paused": "true" }), undefined].map((one) => actionsWith(archived, one)),
    [1, 1],
  );
});

test("a revision that does not exist any more enqueues no key", () => {
  assert.deepEqual(planObjectSet(undefined, 0), { actions: [] });
});
