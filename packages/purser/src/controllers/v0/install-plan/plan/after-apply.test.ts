import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTime } from "@purser/kubernetes/clock";
import { clusterServiceVersions } from "../../../../apis/olm-resources.ts";
import type { InstallPlan, InstallPlanStatus, Step, StepStatus } from "../../../../apis/v0/install-plan.ts";
import type { StepFailure } from "../../../../rollout/plan/execution-outcome.ts";
import { afterApply, type InstallPlanOutcome } from "./after-apply.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const time = formatTime(now);

function stepAt(status: StepStatus): Step {
  const place = { manifest: "{}", sourceName: "cat", sourceNamespace: "olm" };
  return { resolving: "op.v1", resource: { name: "op", kind: "Role", group: "", version: "v1", ...place }, status };
}

const planAt = (change: Partial<InstallPlanStatus> = {}): InstallPlan => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "InstallPlan",
  metadata: { namespace: "ns", name: "p" },
  spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: ["op.v1"] },
  status: { phase: "Installing", catalogSources: [], plan: [stepAt("Unknown")], ...change },
});

const executed = (status: StepStatus, failure?: Partial<StepFailure>): InstallPlanOutcome => ({
  kind: "executed",
  steps: [stepAt(status)],
  events: [],
  ...(failure === undefined ? {} : { failure: { message: "no", forbidden: false, ...failure } }),
});

const none: ReadonlySet<string> = new Set();

/** The texts of the status and of the retry. */
function linesOf(plan: InstallPlan, outcome: InstallPlanOutcome, triedFor = 3_600_000): readonly string[] {
  const { actions, retry, recheckAfterMs, watches } = afterApply(
    { plan, replaced: none, triedSince: now - triedFor },
    outcome,
    now,
  );
  assert.equal(watches, undefined);
  const lines = actions.map((action) => {
    assert.ok(action.kind === "status");
    const { phase, message = "-", conditions = [], startTime, plan: steps = [] } = action.status;
    const shown = conditions.map((each) => `${each.type}=${each.status}/${each.reason ?? "-"}: ${each.message ?? "-"}`);
    return [phase, message, `since ${startTime}`, ...steps.map(({ status }) => status), ...shown].join("; ");
  });
  const latest = recheckAfterMs === undefined ? "" : ` within ${recheckAfterMs / 1000} s`;
  return retry === undefined && latest === "" ? lines : [...lines, `retry${latest}: ${retry}`];
}

const ago = (ms: number): string => formatTime(now - ms);
const failedFor = "Installed=False/InstallComponentFailed: no";
const table: readonly (readonly [string, InstallPlan, InstallPlanOutcome, readonly string[]])[] = [
  [
    "is complete when every step is done",
    planAt({ message: "retrying execution due to error: no", startTime: ago(5_000) }),
    executed("Created"),
    [`Complete; -; since ${ago(5_000)}; Created; Installed=True/-: -`],
  ],
  [
    "goes on while an API is not served",
    planAt(),
    executed("WaitingForApi"),
    [`Installing; -; since ${time}; WaitingForApi`],
  ],
  [
    "goes on while something was deleted",
    planAt(),
    executed("NotPresent"),
    [`Installing; -; since ${time}; NotPresent`],
  ],
  [
    "counts its minute from the first attempt",
    planAt(),
    executed("Unknown", {}),
    [`Installing; retrying execution due to error: no; since ${time}; Unknown`, "retry within 60 s: no"],
  ],
  [
    "is retried until its minute ends",
    planAt({ startTime: ago(59_000) }),
    executed("Unknown", {}),
    [`Installing; retrying execution due to error: no; since ${ago(59_000)}; Unknown`, "retry within 1 s: no"],
  ],
  [
    "fails when its minute is over",
    planAt({ startTime: ago(60_000) }),
    executed("Unknown", {}),
    [`Failed; no; since ${ago(60_000)}; Unknown; ${failedFor}`, "retry: no"],
  ],
  [
    "is retried without end when it lacks rights",
    planAt({ startTime: ago(3_600_000) }),
    executed("Unknown", { forbidden: true }),
    [`Installing; retrying execution due to error: no; since ${ago(3_600_000)}; Unknown`, "retry: no"],
  ],
  [
    "fails at once when a retry cannot help",
    planAt({ startTime: time }),
    executed("Unknown", { final: true, forbidden: true }),
    [`Failed; no; since ${time}; Unknown; ${failedFor}`, "retry: no"],
  ],
  ["keeps its status without an account", planAt(), { kind: "noAccount", message: "not found" }, ["retry: not found"]],
  ["keeps its status after a repair", planAt({ phase: "Complete" }), { kind: "repaired" }, []],
  [
    "keeps its status after a failed repair, which is retried",
    planAt({ phase: "Complete" }),
    { kind: "repaired", failure: { message: "no", forbidden: false } },
    ["retry: no"],
  ],
];

for (const [what, plan, outcome, expected] of table)
  test(`a plan ${what}`, () => {
    assert.deepEqual(linesOf(plan, outcome), expected);
  });

test("newer CSVs are marked once the steps of the former one were run again, and not after a failure", () => {
  const mark = {
    verb: "patch",
    type: clusterServiceVersions,
    key: { name: "op.v2" },
    patchType: "merge",
    patch: {},
  } as const;
  const world = { plan: planAt({ phase: "Complete" }), replaced: none, goingBack: { steps: [], marks: [mark] } };
  const failure = { message: "no", forbidden: false };
  assert.deepEqual(afterApply(world, { kind: "restored" }, now), { actions: [{ kind: "write", write: mark }] });
  assert.deepEqual(afterApply(world, { kind: "restored", failure }, now), { actions: [], retry: "no" });
});

for (const [what, triedFor, expected] of [
  ["its first attempt after a restart", 0, "retry within 60 s: no"],
  ["an attempt 59 s after that", 59_000, "retry within 1 s: no"],
] as const)
  test(`a plan of a former process does not fail with ${what}`, () => {
    const long = ago(3_600_000);
    assert.deepEqual(linesOf(planAt({ startTime: long }), executed("Unknown", {}), triedFor), [
      `Installing; retrying execution due to error: no; since ${long}; Unknown`,
      expected,
    ]);
  });

test("a plan of a former process fails a minute after its first attempt in this one", () => {
  const long = ago(3_600_000);
  assert.deepEqual(linesOf(planAt({ startTime: long }), executed("Unknown", {}), 60_000), [
    `Failed; no; since ${long}; Unknown; ${failedFor}`,
    "retry: no",
  ]);
});

test("an error is retried as long as the process was told to", () => {
  const outcome = executed("Unknown", {});
  const phaseAfter = (triedFor: number): unknown => {
    const plan = planAt({ startTime: ago(triedFor) });
    const world = { plan, replaced: none, triedSince: now - triedFor, retryMs: 90_000 };
    const { actions, recheckAfterMs } = afterApply(world, outcome, now);
    const [action] = actions;
    return [action?.kind === "status" ? action.status.phase : undefined, recheckAfterMs];
  };
  assert.deepEqual(phaseAfter(89_000), ["Installing", 1_000]);
  assert.deepEqual(phaseAfter(90_000), ["Failed", undefined]);
});

test("without an attempt of this process the minute begins now", () => {
  const plan = planAt({ startTime: ago(3_600_000) });
  const { recheckAfterMs } = afterApply({ plan, replaced: none }, executed("Unknown", {}), now);
  assert.equal(recheckAfterMs, 60_000);
});

for (const [what, steps, replaced, expected] of [
  [
    "is complete without the steps of an operator that was replaced",
    [
      stepAt("Created"),
      { ...stepAt("Unknown"), resolving: "old.v1" },
      { ...stepAt("NotPresent"), resolving: "old.v1" },
    ],
    ["old.v1"],
    "Complete: the remaining steps of old.v1 are skipped: a later version has replaced it",
  ],
  [
    "names each operator that was replaced once",
    ["old.v1", "old.v1", "ex.v1"].map((resolving) => ({ ...stepAt("WaitingForApi"), resolving })),
    ["old.v1", "ex.v1"],
    "Complete: the remaining steps of old.v1, ex.v1 are skipped: a later version has replaced them",
  ],
  [
    "says nothing of a replaced operator whose steps are done",
    [{ ...stepAt("Present"), resolving: "old.v1" }],
    ["old.v1"],
    "Complete: undefined",
  ],
  [
    "goes on while another operator of it waits",
    [stepAt("WaitingForApi"), { ...stepAt("Unknown"), resolving: "old.v1" }],
    ["old.v1"],
    "Installing: undefined",
  ],
] as const)
  test(`a plan ${what}`, () => {
    const plan = planAt({ message: "retrying execution due to error: no" });
    const outcome: InstallPlanOutcome = { kind: "executed", steps, events: [] };
    const [action] = afterApply({ plan, replaced: new Set<string>(replaced) }, outcome, now).actions;
    assert.ok(action?.kind === "status");
    assert.equal(`${action.status.phase}: ${action.status.message}`, expected);
    assert.equal(action.status.plan, steps);
  });

test("the events of an attempt are emitted with its status, once", () => {
  const event = { type: "Warning", reason: "CRDValidation", message: "doubt" } as const;
  const { actions } = afterApply(
    { plan: planAt(), replaced: none },
    { kind: "executed", steps: [], events: [event] },
    now,
  );
  assert.deepEqual(
    actions.map((action) => action.kind === "status" && action.events),
    [[event]],
  );
});

test("the condition of a plan changes in its place, and its transition time only with its status", () => {
  const other = { type: "Resolved", status: "True" } as const;
  const lastTransitionTime = "2025-01-01T00:00:00Z";
  const before = { type: "Installed", status: "False", reason: "X", lastTransitionTime } as const;
  const after = (outcome: InstallPlanOutcome) => {
    const [action] = afterApply(
      { plan: planAt({ conditions: [before, other] }), replaced: none },
      outcome,
      now,
    ).actions;
    return action?.kind === "status" ? action.status.conditions : undefined;
  };
  const refused = { status: "False", reason: "InstallComponentFailed", message: "no" } as const;
  assert.deepEqual(after(executed("Unknown", { final: true })), [
    { type: "Installed", ...refused, lastUpdateTime: time, lastTransitionTime },
    other,
  ]);
  assert.deepEqual(after(executed("Created")), [
    { type: "Installed", status: "True", lastUpdateTime: time, lastTransitionTime: time },
    other,
  ]);
});

test("of definitions that were written and are served one by one, only the last one is a reason to write the status", () => {
  const startTime = ago(5_000);
  const written = (
    before: readonly StepStatus[],
    after: readonly StepStatus[],
    change: Partial<InstallPlanStatus> = {},
  ) =>
    afterApply(
      { plan: planAt({ startTime, ...change, plan: before.map(stepAt) }), replaced: none, triedSince: now },
      { kind: "executed", steps: after.map(stepAt), events: [] },
      now,
    ).actions.length === 1;
  const waiting = ["WaitingForApi", "WaitingForApi"] as const;
  assert.equal(written(waiting, ["Created", "WaitingForApi"]), false);
  assert.equal(written(waiting, waiting), false);
  assert.equal(written(["Created", "WaitingForApi"], ["Created", "Created"]), true);
  assert.equal(written(["Unknown", "WaitingForApi"], ["Created", "WaitingForApi"]), true);
  assert.equal(written(waiting, ["NotPresent", "WaitingForApi"]), true);
  assert.equal(
    written(waiting, ["Created", "WaitingForApi"], { message: "retrying execution due to error: no" }),
    true,
  );
});
