import assert from "node:assert/strict";
import { test } from "node:test";
import { type GroupObstacles, withGroupReadiness } from "./operator-group-readiness.ts";

const time = "2026-01-01T00:00:00Z";
const none: GroupObstacles = { targets: undefined, hasNeighbours: false, missingAccount: undefined };
const shown = (obstacles: Partial<GroupObstacles>): readonly string[] =>
  withGroupReadiness([], { ...none, ...obstacles }, { observedGeneration: 3, time }).map(
    ({ type, status, reason, message, observedGeneration }) =>
      [`${type}=${status}`, observedGeneration, reason, message].join(" ").trimEnd(),
  );
const stalled = (reason: string, blockedBy: string, nextRetry: string): readonly string[] => [
  `Ready=False 3 ${reason} ${blockedBy}`,
  `Reconciling=False 3 ${reason}`,
  `Stalled=True 3 ${reason} stuckSince ${time}; blockedBy ${blockedBy}; nextRetry ${nextRetry}`,
];

const invalid = "no. Correct spec.targetNamespaces or spec.selector; without both, the group targets every namespace";
for (const [what, obstacles, expected] of [
  [
    "a group that serves its targets is ready",
    {},
    ["Ready=True 3 Serving", "Reconciling=False 3 Serving", "Stalled=False 3 Serving"],
  ],
  [
    "a group with invalid targets is stalled, whatever else is wrong",
    { targets: "no", hasNeighbours: true },
    stalled("InvalidTargets", invalid, "when the OperatorGroup changes"),
  ],
  [
    "several groups of a namespace are stalled until one is left",
    { hasNeighbours: true, missingAccount: "bob" },
    stalled(
      "OperatorGroupAmbiguous",
      "the namespace has several OperatorGroups. Delete all but one",
      "when an OperatorGroup of the namespace is deleted",
    ),
  ],
  [
    "a group whose ServiceAccount does not exist is stalled until it does",
    { missingAccount: "bob" },
    stalled(
      "ServiceAccountNotFound",
      "ServiceAccount bob does not exist. Create it or correct spec.serviceAccountName",
      "every 2 seconds",
    ),
  ],
] as const)
  test(what, () => assert.deepEqual(shown(obstacles), expected));
