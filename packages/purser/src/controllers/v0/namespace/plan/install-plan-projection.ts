import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { SubscriptionCondition, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { formatTime } from "@purser/kubernetes/clock";
import { conditionOf, setCondition, withoutConditions } from "./subscription-condition.ts";

/** Shows the referenced InstallPlan in the Subscription's conditions. A missing plan is reported, or its reference removed in state UpgradePending. */
export function projectInstallPlan(
  status: SubscriptionStatus,
  plans: readonly InstallPlan[],
  now: number,
): SubscriptionStatus {
  const { installPlanRef } = status;
  if (installPlanRef === undefined) return status;
  const plan = plans.find((candidate) => candidate.metadata.name === installPlanRef.name);
  const time = formatTime(now);
  if (plan === undefined) {
    const conditions = withoutConditions(status.conditions, "InstallPlanPending", "InstallPlanFailed");
    if (status.state === "UpgradePending") {
      const { installPlanRef: _ref, installplan: _mirror, currentCSV: _current, ...rest } = status;
      return { ...rest, state: "", conditions: withoutConditions(conditions, "InstallPlanMissing") };
    }
    const { message } = conditionOf(conditions, "InstallPlanMissing") ?? {};
    const missing: SubscriptionCondition = {
      type: "InstallPlanMissing",
      status: "True",
      reason: "ReferencedInstallPlanNotFound",
      ...(message === undefined ? {} : { message }),
      lastTransitionTime: time,
    };
    return { ...status, conditions: setCondition(conditions, missing) };
  }
  const shown = planCondition(plan, time);
  const others = withoutConditions(
    status.conditions,
    "InstallPlanMissing",
    ...(["InstallPlanPending", "InstallPlanFailed"] as const).filter((type) => type !== shown?.type),
  );
  return { ...status, conditions: shown === undefined ? others : setCondition(others, shown) };
}

function planCondition(plan: InstallPlan, lastTransitionTime: string): SubscriptionCondition | undefined {
  const installed = plan.status?.conditions?.find(({ type }) => type === "Installed");
  const judged = installed?.status === "Unknown" ? "" : (installed?.message ?? "");
  const text = [judged, unpackingText(plan)].find((said) => said !== "") ?? "";
  const message = text === "" ? {} : { message: text };
  const pending = (reason: string): SubscriptionCondition => ({
    type: "InstallPlanPending",
    status: "True",
    reason,
    ...message,
    lastTransitionTime,
  });
  switch (plan.status?.phase) {
    case undefined:
    case "":
      return pending("InstallPlanNotYetReconciled");
    case "Planning":
    case "Installing":
    case "RequiresApproval":
      return pending(plan.status.phase);
    case "Failed": {
      const reason =
        installed?.status === "False" && installed.reason !== undefined ? installed.reason : "InstallPlanFailed";
      return { type: "InstallPlanFailed", status: "True", reason, ...message, lastTransitionTime };
    }
    case "Complete":
      return undefined;
  }
}

/** InstallPlans that OLM created can still wait for bundles; Purser creates them after the bundles are read. */
function unpackingText({ status }: InstallPlan): string {
  return (status?.bundleLookups ?? [])
    .flatMap(({ conditions = [] }) => conditions)
    .filter(({ type, message = "" }) => type === "BundleLookupPending" && message !== "")
    .map(({ message }) => `${message}.`)
    .join(" ");
}
