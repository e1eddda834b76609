import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlanStatus } from "../../../apis/v0/install-plan.ts";
import { withInstallPlanReadiness } from "./install-plan-readiness.ts";

const at = (hour: number): string => `2026-01-01T0${hour}:00:00Z`;
const after = (status: Partial<InstallPlanStatus>, hour = 0, approved = true): InstallPlanStatus =>
  withInstallPlanReadiness(
    { spec: { approved, approval: "Manual", clusterServiceVersionNames: ["a.v1"] } },
    { phase: "Installing", catalogSources: [], ...status },
    Date.parse(at(hour)),
  );
const lines = ({ conditions }: InstallPlanStatus): readonly string[] | undefined =>
  conditions?.map(({ type, status, reason = "", message = "" }) => `${type}=${status} ${reason}: ${message}`);
const refused = { type: "Installed", status: "False", reason: "VersionHeld", message: "1.0.0 is held" } as const;
const begun = { type: "Installed", status: "False", reason: "Unknown" } as const;

for (const [what, status, approved, expected] of [
  [
    "one that waits for approval",
    { phase: "RequiresApproval" },
    false,
    ["Reconciling=True ApprovalRequired: it is pending approval"],
  ],
  ["one under way", {}, true, ["Reconciling=True Installing: it is being executed"]],
  [
    "one that goes on after an obstacle",
    { conditions: [begun] },
    true,
    ["Installed=False Unknown: ", "Reconciling=True Installing: it is being executed"],
  ],
  [
    "one that a policy holds back",
    { conditions: [refused] },
    true,
    [
      "Installed=False VersionHeld: 1.0.0 is held",
      `Stalled=True VersionHeld: stuckSince ${at(0)}; blockedBy 1.0.0 is held; nextRetry when the cluster changes, and with back-off`,
    ],
  ],
  [
    "one whose step is retried",
    { message: "retrying execution due to error: no" },
    true,
    [
      `Stalled=True InstallComponentFailed: stuckSince ${at(0)}; blockedBy no; nextRetry when the cluster changes, and with back-off`,
    ],
  ],
  [
    "one that failed",
    { phase: "Failed", message: "no", conditions: [{ ...refused, reason: "InstallComponentFailed", message: "no" }] },
    true,
    [
      "Installed=False InstallComponentFailed: no",
      `Stalled=True InstallComponentFailed: stuckSince ${at(0)}; blockedBy no; nextRetry when a catalog offers another version`,
    ],
  ],
  [
    "one that is complete",
    {
      phase: "Complete",
      conditions: [
        { type: "Installed", status: "True" },
        { type: "Reconciling", status: "True" },
      ],
    },
    true,
    ["Installed=True : "],
  ],
  ["one that is complete without conditions", { phase: "Complete" }, true, undefined],
] as const)
  test(`kstatus reads the state of an InstallPlan: ${what}`, () =>
    assert.deepEqual(lines(after(status, 0, approved)), expected));

test("an InstallPlan in the same state keeps its condition with all times", () => {
  for (const status of [{ conditions: [refused] }, {}]) {
    const first = after(status);
    assert.deepEqual(after(first, 1), first);
  }
});

test("another cause of the same stall keeps the time since when it lasts", () => {
  const first = after({ message: "retrying execution due to error: one" });
  const second = after({ ...first, message: "retrying execution due to error: two" }, 1);
  const [stalled] = second.conditions ?? [];
  assert.match(stalled?.message ?? "", /^stuckSince 2026-01-01T00:00:00Z; blockedBy two; /);
  assert.deepEqual([stalled?.lastTransitionTime, stalled?.lastUpdateTime], [at(0), at(1)]);
});
