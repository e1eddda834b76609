import { formatTime } from "@purser/kubernetes/clock";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { SubscriptionConditionType, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { waitOf } from "../../../../installation/csv-wait.ts";
import { withoutNextTry } from "../../../../catalog/failure-text.ts";
import { conditionCause, firstLine } from "../../../plan/condition-cause.ts";
import { stalledMessage, stalledOf } from "../../../../installation/stalled.ts";
import type { Readiness } from "../../../plan/readiness.ts";
import { installPlanReadiness } from "../../plan/install-plan-readiness.ts";
import type { MadeInstallPlan } from "./namespace-action.ts";
import type { Shown } from "./shown-status.ts";
import { conditionOf, setCondition, withoutConditions } from "./subscription-condition.ts";
import { planReferences } from "./subscription-state.ts";
import type { NamespaceWorld } from "./world.ts";

type ReadinessWorld = Pick<NamespaceWorld, "csvs" | "installPlans">;

/**
 * The statuses with the condition `Stalled` or `Reconciling` while one of them is True. As with OLM's own conditions of a
 * Subscription neither is there when it has nothing to report.
 */
export function withSubscriptionReadiness(
  shown: readonly Shown[],
  world: ReadinessWorld,
  now: number,
): readonly Shown[] {
  return shown.map(({ subscription, status }) => ({ subscription, status: withReadiness(status, world, now) }));
}

/** The same for the Subscriptions that will point at a new InstallPlan, so that no further write follows. */
export function withReadinessOfPlan(made: MadeInstallPlan, { csvs }: ReadinessWorld, now: number): MadeInstallPlan {
  const plan = made.existing ?? { ...made.wanted.object, status: made.wanted.status };
  const world = { csvs, installPlans: [plan] };
  const subscriptions = made.subscriptions.map((target) => {
    const pointed = { ...target.status, ...planReferences(plan), state: "UpgradePending" } as const;
    return { ...target, status: withReadiness(pointed, world, now) };
  });
  return { ...made, subscriptions };
}

function withReadiness(status: SubscriptionStatus, world: ReadinessWorld, now: number): SubscriptionStatus {
  const readiness = readinessOf(status, world);
  const time = formatTime(now);
  const { conditions } = status;
  const type = readiness.kind === "stalled" ? "Stalled" : readiness.kind === "reconciling" ? "Reconciling" : undefined;
  const others = withoutConditions(
    conditions,
    ...(["Stalled", "Reconciling"] as const).filter((each) => each !== type),
  );
  if (type === undefined)
    return others.length === (conditions ?? []).length ? status : { ...status, conditions: others };
  const lastTransitionTime = conditionOf(conditions, type)?.lastTransitionTime ?? time;
  const message =
    readiness.kind === "stalled"
      ? stalledMessage({ ...readiness, stuckSince: readiness.stuckSince ?? stalledOf(conditions)?.stuckSince ?? time })
      : readiness.message;
  const { reason } = readiness;
  return { ...status, conditions: setCondition(others, { type, status: "True", reason, message, lastTransitionTime }) };
}

const onChange = "when a Subscription, an operator or a catalog of the namespace changes";

/** What a Subscription waits for, by the conditions that it shows, its InstallPlan and its installed CSV. */
function readinessOf(status: SubscriptionStatus, { csvs, installPlans }: ReadinessWorld): Readiness {
  const { conditions, installedCSV, installPlanRef, state = "" } = status;
  const stalled = (type: SubscriptionConditionType, nextRetry: string): Readiness | undefined => {
    const condition = conditionOf(conditions, type);
    if (condition?.status !== "True") return undefined;
    const { reason, blockedBy } = conditionCause(condition);
    return { kind: "stalled", reason, blockedBy: withoutNextTry(blockedBy).text, nextRetry };
  };
  const isRetried = conditionOf(conditions, "ResolutionFailed")?.reason === "ErrorPreventedResolution";
  const refused =
    stalled("ResolutionFailed", isRetried ? `${onChange}, and every minute` : onChange) ??
    stalled("BundleUnpackFailed", `${onChange}, and every 5 minutes`) ??
    stalled("InstallPlanFailed", "when a catalog offers another version");
  if (refused !== undefined) return refused;
  if (conditionOf(conditions, "BundleUnpacking")?.status === "True")
    return { kind: "reconciling", reason: "BundleUnpacking", message: "the bundle is being read" };
  const csv = csvs.find(({ metadata }) => metadata.name === installedCSV);
  const isServing = csv?.status?.phase === "Succeeded";
  const plan = installPlans.find(({ metadata }) => metadata.name === installPlanRef?.name);
  if (state === "UpgradePending") return planReadiness(plan, isServing);
  if (csv === undefined)
    return {
      kind: "reconciling",
      reason: "Resolving",
      message: "No InstallPlan has been created for the Subscription",
    };
  return csvReadiness(csv);
}

function planReadiness(plan: InstallPlan | undefined, isServing: boolean): Readiness {
  const name = plan?.metadata.name ?? "";
  const readiness =
    plan === undefined ? ({ kind: "ready", reason: "Installing" } as const) : installPlanReadiness(plan);
  switch (readiness.kind) {
    case "stalled":
      return { ...readiness, blockedBy: `InstallPlan ${name}: ${readiness.blockedBy}`, isUsable: isServing };
    case "reconciling":
      // Whoever asked for approval has an operator that works: nothing is under way until it is given.
      return readiness.reason === "ApprovalRequired"
        ? {
            ...readiness,
            kind: isServing ? "ready" : "reconciling",
            message: `InstallPlan ${name} is pending approval`,
          }
        : { ...readiness, message: `InstallPlan ${name} is being executed` };
    case "ready":
    case "paused":
      return { kind: "reconciling", reason: "Installing", message: `InstallPlan ${name} is being executed` };
  }
}

function csvReadiness(csv: ClusterServiceVersion): Readiness {
  const { name = "" } = csv.metadata;
  const wait = waitOf(csv);
  if (wait !== undefined)
    return { kind: "stalled", ...wait, blockedBy: `ClusterServiceVersion ${name}: ${firstLine(wait.blockedBy)}` };
  if (csv.status?.phase === "Succeeded") return { kind: "ready", reason: "Succeeded", message: "" };
  return { kind: "reconciling", reason: "Installing", message: `ClusterServiceVersion ${name} has not succeeded yet` };
}
