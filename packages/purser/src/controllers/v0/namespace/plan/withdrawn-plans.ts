import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { heldInstallPlan } from "../../../../policy/held-install-plan.ts";
import type { InstallationHolds } from "../../../../policy/installation-holds.ts";
import type { Shown } from "./shown-status.ts";
import { withoutConditions } from "./subscription-condition.ts";
import { planReferences } from "./subscription-state.ts";
import type { NamespaceWorld } from "./world.ts";

/**
 * The statuses without the InstallPlans that wait and bring what a policy holds back: each of their Subscriptions shows again what
 * is installed, so that the next pass looks for a version that is allowed. The InstallPlan itself stays, and is taken up again when
 * the policy allows it; until then its controller carries it out for nobody.
 */
export function withoutWithdrawnPlans(
  { installPlans }: Pick<NamespaceWorld, "installPlans">,
  shown: readonly Shown[],
  holds: readonly InstallationHolds[],
): readonly Shown[] {
  const held = holds.flatMap((one) => one.held);
  if (held.length === 0) return shown;
  const withdrawn = new Set(
    installPlans.filter((plan) => heldInstallPlan(plan, held) !== undefined).map(({ metadata }) => metadata.name),
  );
  const others = installPlans.filter(({ metadata }) => !withdrawn.has(metadata.name));
  return shown.map(({ subscription, status }) =>
    withdrawn.has(status.installPlanRef?.name)
      ? { subscription, status: asInstalled(status, others) }
      : { subscription, status },
  );
}

/** As it was before the InstallPlan: at what is installed, with the InstallPlan that brought that where it still exists. */
export function asInstalled(status: SubscriptionStatus, plans: readonly InstallPlan[]): SubscriptionStatus {
  const { installPlanRef: _ref, installplan: _mirror, currentCSV: _current, ...rest } = status;
  const conditions = withoutConditions(status.conditions, "InstallPlanPending");
  const { installedCSV } = status;
  if (installedCSV === undefined || installedCSV === "") return { ...rest, state: "", conditions };
  const [brought] = plans
    .filter(({ spec }) => spec.clusterServiceVersionNames.includes(installedCSV))
    .toSorted((a, b) => (b.spec.generation ?? 0) - (a.spec.generation ?? 0));
  return {
    ...rest,
    ...(brought === undefined ? {} : planReferences(brought)),
    currentCSV: installedCSV,
    state: "AtLatestKnown",
    conditions,
  };
}
