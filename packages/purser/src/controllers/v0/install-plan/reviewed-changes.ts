import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import { planAnnotation } from "../../../apis/v0/labels.ts";
import type { Policies } from "../../../policy/effective-policy.ts";
import { hasNotBegun } from "../../../policy/held-install-plan.ts";
import { type KnownUpgrades, looksAtContents } from "../../../policy/upgrade-contents.ts";
import { planSet } from "../../../review/change-plan/plan-set.ts";
import { upgradeContents } from "../../../review/change-plan/upgrade-contents.ts";
import type { ReviewedChanges } from "./plan/plan-install-plan.ts";
import { type InstallPlanPorts, reviewInstallPlan } from "./review-install-plan.ts";

/** Whether somebody has to know what the plan changes before it begins: it was approved by a digest, or a policy judges what it holds. */
export function needsReview(plan: InstallPlan, { updatePolicies, clusterUpdatePolicies }: Policies): boolean {
  if (!hasNotBegun(plan) || !plan.spec.approved) return false;
  return (
    plan.metadata.annotations?.[planAnnotation] !== undefined ||
    [...updatePolicies, ...clusterUpdatePolicies].some(({ spec }) => looksAtContents(spec))
  );
}

/** What the plan changes now, and what its upgrades hold for policies. */
export async function reviewedChanges(
  plan: InstallPlan,
  ports: InstallPlanPorts,
): Promise<{ readonly changes: ReviewedChanges; readonly upgrades: KnownUpgrades }> {
  const reviewed = await reviewInstallPlan(plan, ports);
  if (!reviewed.ok) {
    const { csv, message } = reviewed.problem;
    return { changes: { kind: "unknown", message: `${csv}: ${message}` }, upgrades: new Map() };
  }
  const plans = reviewed.value.map((one) => one.plan);
  return {
    changes: {
      kind: "known",
      digest: planSet(plans).digest,
      changes: plans.map(({ from, to }) => ({ from: from?.name, to: to.name })),
    },
    upgrades: new Map(reviewed.value.map((one) => [one.csv, upgradeContents(one.plan)])),
  };
}
