// What a revision's conditions and its readiness show of its state.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import { stalledMessage } from "../../../../installation/stalled.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import type { Explanation } from "../../../../explanation/explanation.ts";
import { readinessOf, stuckAt } from "./object-set-readiness.ts";
import { objectSetConditions, type ObjectSetState, progressDeadline } from "./object-set-status.ts";

const begun = Date.UTC(2026, 0, 2, 3, 0, 0);
const minute = 60_000;
const at = (minutes: number): string => new Date(begun + minutes * minute).toISOString().replace(".000", "");

function revisionOf(spec: object = {}, conditions: readonly object[] = [], metadata: object = {}): ClusterObjectSet {
  const annotations = { "olm.operatorframework.io/bundle-version": "1.2.3" };
  return {
    metadata: { name: "r-1", generation: 4, creationTimestamp: at(0), annotations, ...metadata },
    spec: { lifecycleState: "Active", revision: 1, ...spec },
    status: { conditions },
  } as unknown as ClusterObjectSet;
}
const condition = (type: string, status: string, message = "", reason = "R"): Condition =>
  ({ type, status, reason, message, lastTransitionTime: at(-5) }) as Condition;

const rolling = (...faults: readonly string[]): ObjectSetState => ({ kind: "rollingOut", faults });
const retrying = (message: string, unknown = false): ObjectSetState => ({ kind: "retrying", message, unknown });
const text = "Revision 1.2.3 is rolling out.";
const late = (last: string): string => `Revision has not rolled out for 2 minute(s). Last status: ${last}`;
const available = condition("Available", "True");

const shown: readonly (readonly [
  what: string,
  revision: ClusterObjectSet,
  state: ObjectSetState,
  minutes: number,
  lines: readonly string[],
])[] = [
  [
    "that is complete",
    revisionOf(),
    { kind: "complete" },
    0,
    [
      "Progressing True Succeeded: Revision 1.2.3 has rolled out.",
      "Available True ProbesSucceeded: Objects are available and pass all probes.",
      "Succeeded True Succeeded: Revision succeeded rolling out.",
    ],
  ],
  [
    "that rolls out",
    revisionOf(),
    rolling(),
    0,
    [`Available False RollingOut: ${text}`, `Progressing True RollingOut: ${text}`],
  ],
  [
    "that waits for objects",
    revisionOf(),
    rolling("a", "b"),
    99,
    ["Available False ProbeFailure: a\nb", `Progressing True RollingOut: ${text}`],
  ],
  [
    "just before its deadline",
    revisionOf({ progressDeadlineMinutes: 2 }),
    rolling("a"),
    1.99,
    ["Available False ProbeFailure: a", `Progressing True RollingOut: ${text}`],
  ],
  [
    "at its deadline",
    revisionOf({ progressDeadlineMinutes: 2 }),
    rolling("a"),
    2,
    ["Available False ProbeFailure: a", `Progressing False ProgressDeadlineExceeded: ${late(text)}`],
  ],
  ["that is retried", revisionOf(), retrying("m"), 0, ["Progressing True Retrying: m"]],
  [
    "that is retried past its deadline",
    revisionOf({ progressDeadlineMinutes: 2 }),
    retrying("m"),
    3,
    [`Progressing False ProgressDeadlineExceeded: ${late("m")}`],
  ],
  [
    "whose objects are unknown",
    revisionOf({}, [available]),
    retrying("m", true),
    0,
    ["Available Unknown Reconciling: m", "Progressing True Retrying: m"],
  ],
  ["whose objects are unknown from the start", revisionOf(), retrying("m", true), 0, ["Progressing True Retrying: m"]],
  [
    "that was available and is retried",
    revisionOf({}, [available]),
    retrying("m"),
    0,
    ["Available True R: ", "Progressing True Retrying: m"],
  ],
  ["that is blocked", revisionOf(), { kind: "blocked", message: "m" }, 0, ["Progressing False Blocked: m"]],
  [
    "that is archived",
    revisionOf(),
    { kind: "archived" },
    0,
    ["Progressing False Archived: revision is archived", "Available Unknown Archived: revision is archived"],
  ],
];
for (const [what, revision, state, minutes, lines] of shown)
  test(`the conditions of a revision ${what}`, () => {
    const conditions = objectSetConditions(revision, state, begun + minutes * minute);
    assert.deepEqual(
      conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`),
      lines,
    );
  });

test("a deadline runs from the creation on, while the revision is active and has never succeeded", () => {
  const spec = { progressDeadlineMinutes: 2 };
  assert.equal(progressDeadline(revisionOf(spec)), begun + 2 * minute);
  assert.equal(progressDeadline(revisionOf(spec, [condition("Succeeded", "False")])), begun + 2 * minute);
  for (const none of [
    revisionOf(),
    revisionOf(spec, [condition("Succeeded", "True")]),
    revisionOf({ ...spec, lifecycleState: "Archived" }),
    revisionOf(spec, [], { deletionTimestamp: at(1) }),
    revisionOf(spec, [], { creationTimestamp: undefined }),
  ])
    assert.equal(progressDeadline(none), undefined);
});

const fault = "Object Deployment.v1 ns/a: not available";
const since = (minutes: number, message = fault): object =>
  condition("Reconciling", "True", `since ${at(minutes)}: ${message}`);
const stuck = (minutes: number, blockedBy = fault, reason = "RolloutStuck"): object =>
  condition("Stalled", "True", stalledMessage({ stuckSince: at(minutes), blockedBy, nextRetry: "x" }), reason);
const explained = { code: "OwnedElsewhere", summary: "somebody has it" } as unknown as Explanation;

const readiness: readonly (readonly [
  what: string,
  ClusterObjectSet,
  ObjectSetState,
  Explanation | undefined,
  minutes: number,
  line: string,
])[] = [
  [
    "complete",
    revisionOf(),
    { kind: "complete" },
    undefined,
    0,
    "ready Succeeded: All objects of the revision are available",
  ],
  ["archived", revisionOf(), { kind: "archived" }, undefined, 0, "ready Archived: revision is archived"],
  [
    "rolling out without faults",
    revisionOf(),
    rolling(),
    undefined,
    0,
    `reconciling RollingOut: since ${at(0)}: Revision is rolling out`,
  ],
  [
    "waiting for an object",
    revisionOf({}, [since(0)]),
    rolling(fault, "b"),
    undefined,
    9.99,
    `reconciling RollingOut: since ${at(0)}: ${fault}`,
  ],
  [
    "waiting for an object in another way",
    revisionOf({}, [since(0, "Object Deployment.v1 ns/a: missing")]),
    rolling(fault),
    undefined,
    5,
    `reconciling RollingOut: since ${at(0)}: ${fault}`,
  ],
  [
    "waiting for another object",
    revisionOf({}, [since(0, "Object Pod.v1 ns/b: missing")]),
    rolling(fault),
    undefined,
    20,
    `reconciling RollingOut: since ${at(20)}: ${fault}`,
  ],
  [
    "waiting for ten minutes",
    revisionOf({}, [since(0)]),
    rolling(fault),
    undefined,
    10,
    `stalled RolloutStuck: ${fault}; when an object of the revision changes; ${at(0)}`,
  ],
  [
    "waiting for its own deadline",
    revisionOf({ progressDeadlineMinutes: 3 }, [since(0)]),
    rolling(fault),
    undefined,
    3,
    `stalled RolloutStuck: ${fault}; when an object of the revision changes; ${at(0)}`,
  ],
  [
    "stuck since long",
    revisionOf({}, [stuck(-60)]),
    rolling(fault),
    undefined,
    0,
    `stalled RolloutStuck: ${fault}; when an object of the revision changes; ${at(-60)}`,
  ],
  [
    "stuck at another object before",
    revisionOf({}, [stuck(-60, "Object Pod.v1 ns/b: missing")]),
    rolling(fault),
    undefined,
    0,
    `reconciling RollingOut: since ${at(0)}: ${fault}`,
  ],
  [
    "stalled for another reason before",
    revisionOf({}, [stuck(-60, fault, "RolloutFailed")]),
    rolling(fault),
    undefined,
    0,
    `reconciling RollingOut: since ${at(0)}: ${fault}`,
  ],
  ["blocked", revisionOf(), { kind: "blocked", message: "a\nb" }, undefined, 0, "stalled RolloutFailed: a; in 5s; "],
  ["retried", revisionOf(), retrying("a\nb"), undefined, 0, "stalled RolloutFailed: a; in 5s; "],
  [
    "retried for a known cause",
    revisionOf(),
    retrying("a\nb"),
    explained,
    0,
    "stalled OwnedElsewhere: somebody has it; in 5s; ",
  ],
  [
    "being taken down",
    revisionOf({ lifecycleState: "Archived" }),
    retrying("a"),
    undefined,
    0,
    "reconciling Archiving: a",
  ],
  [
    "not taken down because its objects are unknown",
    revisionOf({ lifecycleState: "Archived" }),
    retrying("a", true),
    undefined,
    0,
    "stalled RolloutFailed: a; in 5s; ",
  ],
];
for (const [what, revision, state, explanation, minutes, line] of readiness)
  test(`the readiness of a revision that is ${what}`, () => {
    const found = readinessOf(revision, state, explanation, "in 5s", begun + minutes * minute);
    const rest =
      found.kind === "stalled" ? `${found.blockedBy}; ${found.nextRetry}; ${found.stuckSince ?? ""}` : found.message;
    assert.equal(`${found.kind} ${found.reason}: ${rest}`, line);
  });

test("a roll-out is stuck ten minutes after it began to wait for the object, or after its deadline", () => {
  const now = begun + 5 * minute;
  const found = (revision: ClusterObjectSet, state = rolling(fault)): number | undefined => {
    const when = stuckAt(revision, state, now);
    return when === undefined ? undefined : (when - begun) / minute;
  };
  assert.deepEqual(
    [
      found(revisionOf({}, [since(1)])),
      found(revisionOf({ progressDeadlineMinutes: 1 }, [since(1)])),
      found(revisionOf()),
      found(revisionOf(), retrying("a")),
    ],
    [11, 2, 15, undefined],
  );
});
