import { formatTime } from "@purser/kubernetes/clock";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import type { WantedInstallPlan } from "../../../../resolver/v0/install-plan/wanted-install-plan.ts";
import { planReferences } from "./subscription-state.ts";
import type { NamespaceWorld } from "./world.ts";

/**
 * A plan for the same CSVs and Subscriptions that no Subscription points at yet, made by a pass that was cut short;
 * undefined when there is none, or it has ended.
 */
export function unfinished(
  world: Pick<NamespaceWorld, "subscriptions" | "installPlans">,
  { object }: WantedInstallPlan,
): InstallPlan | undefined {
  const referenced = new Set(world.subscriptions.map((subscription) => subscription.status?.installPlanRef?.name));
  const wanted = object.spec.clusterServiceVersionNames.join("\n");
  return world.installPlans.find(
    (plan) =>
      !referenced.has(plan.metadata.name) &&
      plan.metadata.deletionTimestamp === undefined &&
      plan.status?.phase !== "Failed" &&
      plan.status?.phase !== "Complete" &&
      plan.spec.clusterServiceVersionNames.join("\n") === wanted &&
      (object.metadata.ownerReferences ?? []).every(
        ({ uid }) => plan.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true,
      ),
  );
}

/** A Subscription's status once its plan exists. */
export function pointedAt(
  status: SubscriptionStatus,
  plan: InstallPlan,
  currentCSV: string,
  now: number,
): SubscriptionStatus {
  return {
    ...status,
    ...planReferences(plan),
    currentCSV,
    state: "UpgradePending",
    installPlanGeneration: plan.spec.generation ?? 0,
    lastUpdated: formatTime(now),
  };
}
