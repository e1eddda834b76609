import type { ObjectReference } from "@purser/kubernetes/apis/core";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import { generatedByAnnotation } from "../../../../apis/v0/labels.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import type { Subscription, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { bundlesOfPlan } from "../../../../installation/plan-bundles.ts";
import { endedByPlan, withoutConditions } from "./subscription-condition.ts";
import type { NamespaceWorld } from "./world.ts";

function referenceTo(plan: InstallPlan): ObjectReference {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = plan.metadata;
  return { apiVersion: "operators.coreos.com/v1alpha1", kind: "InstallPlan", namespace, name, uid, resourceVersion };
}

/** The two status fields that name a plan: the current one and its older mirror. */
export function planReferences(plan: InstallPlan): Pick<SubscriptionStatus, "installPlanRef" | "installplan"> {
  const reference = referenceTo(plan);
  return {
    installPlanRef: reference,
    installplan: {
      apiVersion: reference.apiVersion ?? "",
      kind: "InstallPlan",
      name: reference.name ?? "",
      uuid: reference.uid ?? "",
    },
  };
}

/** Whether the namespace leaves failed versions for newer ones. */
export function failsForward(groups: readonly OperatorGroup[]): boolean {
  return groups[0]?.spec?.upgradeStrategy === "TechPreviewUnsafeFailForward";
}

/**
 * Where a Subscription stands, judged by its InstallPlan and by whether its current CSV exists.
 * A dependency's Subscription that a plan generated takes over that plan's reference.
 */
export function judgeState(
  subscription: Subscription,
  world: Pick<NamespaceWorld, "csvs" | "groups" | "installPlans">,
): SubscriptionStatus {
  const held: SubscriptionStatus = subscription.status ?? { lastUpdated: "" };
  const planFailed = (name: string | undefined): boolean =>
    failsForward(world.groups) &&
    world.installPlans.find((plan) => plan.metadata.name === name)?.status?.phase === "Failed";
  const generatedBy = subscription.metadata.annotations?.[generatedByAnnotation];
  let status = held;
  if (held.installPlanRef === undefined && generatedBy !== undefined) {
    const plan = world.installPlans.find((candidate) => candidate.metadata.name === generatedBy);
    if (plan !== undefined)
      status = {
        ...held,
        ...planReferences(plan),
        state: planFailed(generatedBy) ? "UpgradeFailed" : "UpgradePending",
        ...(subscription.spec.startingCSV === undefined ? {} : { currentCSV: subscription.spec.startingCSV }),
        ...(plan.spec.generation === undefined ? {} : { installPlanGeneration: plan.spec.generation }),
      };
  }
  status = takeUp(subscription, status, world.installPlans);
  const { currentCSV } = status;
  if (currentCSV === undefined || currentCSV === "") return status;
  if (world.csvs.some((csv) => csv.metadata.name === currentCSV))
    return { ...status, state: "AtLatestKnown", installedCSV: currentCSV };
  return { ...status, state: planFailed(status.installPlanRef?.name) ? "UpgradeFailed" : "UpgradePending" };
}

/**
 * False while the Subscription waits for its InstallPlan. One that has failed is left for another version as soon as there is
 * one; with OLM, which makes one plan per namespace, only when another Subscription wants a resolution.
 */
export function wantsResolution(
  { state, installPlanRef }: SubscriptionStatus,
  { plansPer, installPlans }: Pick<NamespaceWorld, "plansPer" | "installPlans">,
): boolean {
  if (state !== "UpgradePending" || installPlanRef === undefined) return true;
  return (
    plansPer === "set" &&
    installPlans.find(({ metadata }) => metadata.name === installPlanRef.name)?.status?.phase === "Failed"
  );
}

/**
 * The InstallPlan that was created for this Subscription by a process that ended before it wrote the reference. Without it
 * the operator of that plan would block its own Subscription.
 */
function takeUp(
  { metadata, spec }: Subscription,
  status: SubscriptionStatus,
  plans: readonly InstallPlan[],
): SubscriptionStatus {
  const made = plans
    .filter(
      (plan) =>
        (plan.spec.generation ?? 0) > (status.installPlanGeneration ?? 0) &&
        plan.status?.phase !== "Failed" &&
        plan.metadata.ownerReferences?.some(({ uid }) => uid !== "" && uid === metadata.uid) === true,
    )
    .toSorted((a, b) => (b.spec.generation ?? 0) - (a.spec.generation ?? 0));
  const { conditions } = status;
  for (const plan of made) {
    const brought = bundlesOfPlan(plan).find(({ packageName }) => packageName === spec.name);
    if (brought !== undefined)
      return {
        ...status,
        ...(conditions === undefined ? {} : { conditions: withoutConditions(conditions, ...endedByPlan) }),
        ...planReferences(plan),
        currentCSV: brought.csv,
        state: "UpgradePending",
        installPlanGeneration: plan.spec.generation ?? 0,
      };
  }
  return status;
}
