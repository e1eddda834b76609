import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { formatTime } from "@purser/kubernetes/clock";
import { plainJson } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { subscriptions } from "../../../../apis/olm-resources.ts";
import type {
  Subscription,
  SubscriptionCondition,
  SubscriptionConditionType,
  SubscriptionStatus,
} from "../../../../apis/v0/subscription.ts";
import { replaceStatus } from "../../../plan/metadata-patch.ts";
import { projectCatalogHealth } from "./catalog-health.ts";
import { isReading } from "./catalogs-reading.ts";
import { projectDeprecation } from "./deprecation.ts";
import { projectInstallPlan } from "./install-plan-projection.ts";
import { setCondition, withoutConditions } from "./subscription-condition.ts";
import { judgeState } from "./subscription-state.ts";
import type { NamespaceWorld } from "./world.ts";

/** A Subscription with the status that it should show. */
export interface Shown {
  readonly subscription: Subscription;
  readonly status: SubscriptionStatus;
}

/**
 * What OLM's Subscription controller shows: the InstallPlan, the health of the catalogs, deprecations. While a catalog
 * is being read for the first time health stays as it was.
 */
export function subscriptionStatus(
  subscription: Subscription,
  {
    installPlans,
    catalogs,
    catalogsElsewhere,
  }: Pick<NamespaceWorld, "installPlans" | "catalogs" | "catalogsElsewhere">,
  now: number,
): SubscriptionStatus {
  const planned = projectInstallPlan(subscription.status ?? { lastUpdated: "" }, installPlans, now);
  const healthy = isReading(catalogs, now) ? planned : projectCatalogHealth(subscription, planned, catalogs, now);
  return projectDeprecation(subscription, healthy, [...catalogs, ...catalogsElsewhere], now);
}

/** The statuses before resolution. */
export function projectStatuses(world: NamespaceWorld, now: number): readonly Shown[] {
  return world.subscriptions.map((subscription) => {
    const status = subscriptionStatus(subscription, world, now);
    return { subscription, status: judgeState({ ...subscription, status }, world) };
  });
}

/** Whether the state machine moved: resolution then waits for the next pass, which sees the written states. */
export function statesMoved(shown: readonly Shown[]): boolean {
  return shown.some(
    ({ subscription: { status: held }, status }) =>
      (held?.state ?? "") !== (status.state ?? "") ||
      held?.installedCSV !== status.installedCSV ||
      held?.currentCSV !== status.currentCSV ||
      held?.installPlanRef?.name !== status.installPlanRef?.name,
  );
}

/** Writes of the statuses that differ from the stored ones in more than `lastUpdated`. */
export function statusWrites(shown: readonly Shown[], now: number): readonly ObjectWrite[] {
  return shown.flatMap(({ subscription, status }): readonly ObjectWrite[] => {
    const { lastUpdated: _before, ...held } = subscription.status ?? { lastUpdated: "" };
    const { lastUpdated: _after, ...next } = status;
    if (deepEqual(plainJson(held), plainJson(next))) return [];
    return [replaceStatus(subscriptions, subscription, { ...status, lastUpdated: formatTime(now) })];
  });
}

/** Sets `condition` on every Subscription of the namespace and removes the conditions of the types in `removed`. */
export function withCondition(
  shown: readonly Shown[],
  condition: SubscriptionCondition | undefined,
  ...removed: readonly SubscriptionConditionType[]
): readonly Shown[] {
  return shown.map(({ subscription, status }) => {
    const rest = withoutConditions(status.conditions, ...removed);
    const conditions = condition === undefined ? rest : setCondition(rest, condition);
    return {
      subscription,
      status: conditions.length === 0 && status.conditions === undefined ? status : { ...status, conditions },
    };
  });
}
