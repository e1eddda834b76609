import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import type { Policies } from "../../../policy/effective-policy.ts";
import { needsReview } from "./reviewed-changes.ts";

const plan = (approved: boolean, digest?: string, phase = "RequiresApproval"): InstallPlan =>
  ({
    metadata: { name: "p", ...(digest === undefined ? {} : { annotations: { "purser.dev/plan": digest } }) },
    spec: { approval: "Manual", approved, clusterServiceVersionNames: [] },
    status: { phase },
  }) as unknown as InstallPlan;
const policies = (...specs: readonly object[]): Policies =>
  ({
    updatePolicies: specs.slice(0, 1).map((spec) => ({ spec })),
    clusterUpdatePolicies: specs.slice(1).map((spec) => ({ spec })),
  }) as unknown as Policies;

test("the changes of a plan are looked at before it begins, when they were approved by digest or a policy judges them", () => {
  const judging = { permissionIncrease: "Deny" };
  const rows: readonly (readonly [plan: InstallPlan, policies: Policies, isNeeded: boolean])[] = [
    [plan(true), policies(), false],
    [plan(true), policies({}, {}), false],
    [plan(true, "d"), policies(), true],
    [plan(false, "d"), policies(judging), false],
    [plan(true), policies(judging), true],
    [plan(true), policies({}, { crdChange: "RequireApproval" }), true],
    [plan(true, "d", "Installing"), policies(judging), false],
    [plan(true, "d", "Complete"), policies(judging), false],
    [plan(true, "d", ""), policies(), true],
    [plan(true, "d", "Planning"), policies(), true],
  ];
  for (const [one, given, isNeeded] of rows)
    assert.equal(needsReview(one, given), isNeeded, JSON.stringify([one, given]));
});
