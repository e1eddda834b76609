import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import type { ObjectSetOutcome } from "../../../../rollout/plan/object-set-outcome.ts";
import { afterApply } from "./after-apply.ts";

const created = "2026-01-01T00:00:00Z";
const minute = (number: number): number => Date.parse(created) + number * 60_000;

const fresh: ClusterObjectSet = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterObjectSet",
  metadata: { name: "ext-1", uid: "uid-1", generation: 1, creationTimestamp: created },
  spec: { lifecycleState: "Active", revision: 1, collisionProtection: "Prevent" },
};
const patient: ClusterObjectSet = {
  ...fresh,
  spec: { lifecycleState: "Active", revision: 1, collisionProtection: "Prevent", progressDeadlineMinutes: 30 },
};
const archived: ClusterObjectSet = {
  ...fresh,
  spec: { lifecycleState: "Archived", revision: 1, collisionProtection: "Prevent" },
};
const reached = { content: [], types: [] };
const waitingFor = (name: string, fault = "not ready"): ObjectSetOutcome => ({
  kind: "rollingOut",
  faults: [`Object Deployment.apps/v1 ns/${name}: ${fault}`],
  ...reached,
});
const complete: ObjectSetOutcome = { kind: "complete", ...reached };

/** The revision with the status that a pass at that minute leaves. */
function passed(revision: ClusterObjectSet, outcome: ObjectSetOutcome, at: number): ClusterObjectSet {
  for (const action of afterApply({ revision, family: [revision] }, outcome, minute(at)).actions)
    if (action.kind === "write" && action.write.verb === "replace")
      return { ...revision, status: action.write.object.status as NonNullable<ClusterObjectSet["status"]> };
  return revision;
}

/** `TYPE REASON: MESSAGE` of the conditions of readiness that are True. */
const shown = ({ status }: ClusterObjectSet): readonly string[] =>
  (status?.conditions ?? []).flatMap(({ type, status: value, reason, message }) =>
    ["Ready", "Reconciling", "Stalled"].includes(type) && value === "True" ? [`${type} ${reason}: ${message}`] : [],
  );

const table: readonly (readonly [string, ClusterObjectSet, ObjectSetOutcome, readonly string[]])[] = [
  ["objects that are ready", fresh, complete, ["Ready Succeeded: All objects of the revision are available"]],
  [
    "an object that is not ready",
    fresh,
    waitingFor("a"),
    [`Reconciling RollingOut: since ${created}: Object Deployment.apps/v1 ns/a: not ready`],
  ],
  [
    "a missing namespace",
    fresh,
    { kind: "refused", errors: ["no ns"], missing: [{ kind: "namespace", name: "ns" }], ...reached },
    [
      `Stalled RolloutFailed: stuckSince ${created}; blockedBy Namespace "ns" does not exist; nextRetry when an object changes, and with back-off, every 2 minutes at the latest`,
    ],
  ],
  [
    "a missing kind",
    fresh,
    { kind: "refused", errors: ["no A"], missing: [{ kind: "api", apiVersion: "g.io/v1", served: "A" }], ...reached },
    [
      `Stalled ClusterIncompatible: stuckSince ${created}; blockedBy The cluster does not serve kind A of g.io/v1; nextRetry when an object changes, and with back-off, every 2 minutes at the latest`,
    ],
  ],
  [
    "a refused write",
    fresh,
    { kind: "refused", errors: ["one", "two"], missing: [], ...reached },
    [
      `Stalled RolloutFailed: stuckSince ${created}; blockedBy one; nextRetry when an object changes, and with back-off, every 2 minutes at the latest`,
    ],
  ],
  [
    "content that changed",
    fresh,
    { kind: "blocked", message: "content has changed" },
    [
      `Stalled RolloutFailed: stuckSince ${created}; blockedBy content has changed; nextRetry when an object changes, and every 10 s`,
    ],
  ],
  [
    "objects of an archived revision that are being removed",
    archived,
    { kind: "tearingDown", types: [] },
    ["Reconciling Archiving: removing revision resources that are not owned by another revision"],
  ],
  [
    "objects of an archived revision that cannot be removed",
    archived,
    { kind: "refused", errors: ["denied"], missing: [], types: [] },
    [
      `Stalled RolloutFailed: stuckSince ${created}; blockedBy denied; nextRetry when an object changes, and with back-off, every 2 minutes at the latest`,
    ],
  ],
  [
    "an archived revision whose objects are deleted",
    archived,
    { kind: "tornDown" },
    ["Ready Archived: revision is archived"],
  ],
];

for (const [what, revision, outcome, expected] of table)
  test(`after ${what} the revision shows what it waits for`, () =>
    assert.deepEqual(shown(passed(revision, outcome, 0)), expected));

const stuck = (name: string, fault = "not ready"): readonly string[] => [
  `Stalled RolloutStuck: stuckSince ${created}; blockedBy Object Deployment.apps/v1 ns/${name}: ${fault}; nextRetry when an object of the revision changes`,
];

test("a roll-out is stuck when it waits for the same object for ten minutes", () => {
  const waiting = passed(fresh, waitingFor("a"), 0);
  const nearly = passed(waiting, waitingFor("a", "0 of 1 pods"), 9);
  assert.deepEqual(shown(nearly), [
    `Reconciling RollingOut: since ${created}: Object Deployment.apps/v1 ns/a: 0 of 1 pods`,
  ]);
  const late = passed(nearly, waitingFor("a"), 10);
  assert.deepEqual(shown(late), stuck("a"));
  assert.deepEqual(shown(passed(late, waitingFor("a", "0 of 1 pods"), 20)), stuck("a", "0 of 1 pods"));
  assert.equal(passed(late, waitingFor("a"), 20), late, "nothing is written while nothing changes");
});

test("a roll-out that gets to another object makes progress, also when it was stuck", () => {
  assert.match(
    shown(passed(passed(fresh, waitingFor("a"), 0), waitingFor("b"), 9))[0] ?? "",
    /^Reconciling RollingOut: since 2026-01-01T00:09:00Z: /,
  );
  const late = passed(passed(fresh, waitingFor("a"), 0), waitingFor("a"), 10);
  const moved = passed(late, waitingFor("b"), 11);
  assert.deepEqual(shown(moved), [
    "Reconciling RollingOut: since 2026-01-01T00:11:00Z: Object Deployment.apps/v1 ns/b: not ready",
  ]);
  assert.deepEqual(shown(passed(moved, complete, 12)), ["Ready Succeeded: All objects of the revision are available"]);
});

test("the deadline of a revision is also the time after which its roll-out is stuck", () => {
  const waiting = passed(patient, waitingFor("a"), 0);
  assert.match(shown(passed(waiting, waitingFor("a"), 29))[0] ?? "", /^Reconciling /);
  assert.deepEqual(shown(passed(waiting, waitingFor("a"), 30)), stuck("a"));
});

test("a roll-out is looked at again when it will be stuck, and not for that reason afterwards", () => {
  const at = (revision: ClusterObjectSet, time: number): number | undefined =>
    afterApply({ revision, family: [revision] }, waitingFor("a"), minute(time)).recheckAfterMs;
  const waiting = passed(fresh, waitingFor("a"), 0);
  assert.deepEqual(
    [at(fresh, 0), at(waiting, 4), at(passed(waiting, waitingFor("a"), 10), 11)],
    [600_000, 360_000, 600_000],
  );
});
