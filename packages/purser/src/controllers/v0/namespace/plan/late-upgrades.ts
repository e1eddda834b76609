import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan, InstallPlanPhase } from "../../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../../apis/v0/subscription.ts";
import { subscriptionSubject } from "../../../../policy/installation-holds.ts";
import { asksForRollback, defaultDeadlineMinutes, type LateUpgrade } from "../../../plan/automatic-rollback.ts";
import { historyLimit } from "../../cluster-service-version/plan/phase-status.ts";
import { predecessor } from "../../cluster-service-version/plan/relations.ts";
import type { Shown } from "./shown-status.ts";
import { failsForward } from "./subscription-state.ts";
import type { NamespaceWorld } from "./world.ts";

/** An upgrade of a Subscription that is past its time. */
export interface UpgradeToLeave {
  readonly subscription: Subscription;
  readonly late: LateUpgrade;
  /** The first that replaces the former version. */
  readonly from: ClusterServiceVersion;
  readonly to: ClusterServiceVersion;
  /** The newest that brought each and has ended; undefined when there is none. */
  readonly fromPlan: InstallPlan | undefined;
  readonly toPlan: InstallPlan | undefined;
}

/** Where an upgrade stands that a policy wants to go back by itself. */
export type UpgradeTime =
  | { readonly kind: "waits"; readonly until: number }
  | { readonly kind: "past"; readonly upgrade: UpgradeToLeave };

/**
 * Undefined when nothing is being upgraded, no policy asks for it, or the namespace fails forward. An operator that forbids its upgrade
 * stops the time: the new version has not begun.
 */
export function upgradeTime(
  { policies, groups, csvs, installPlans }: NamespaceWorld,
  { subscription, status }: Shown,
  now: number,
): UpgradeTime | undefined {
  if (policies === undefined || failsForward(groups)) return undefined;
  if (!asksForRollback(policies, subscriptionSubject(subscription), now)) return undefined;
  const under = upgradeUnderWay(status.currentCSV, csvs);
  if (under === undefined || under.from.status?.reason === notUpgradeable) return undefined;
  const minutes = deadlineMinutes(under.from);
  const until = begunAt(under.from) + minutes * 60_000;
  if (until > now) return { kind: "waits", until };
  const { from, to } = under;
  const { name = "", namespace = "" } = subscription.metadata;
  const { name: bundle = "", uid } = from.metadata;
  const late = {
    reference: `sub/${namespace}/${name}`,
    bundle,
    to: to.metadata.name ?? "",
    minutes,
    now,
    ...(uid === undefined ? {} : { uid }),
  };
  const [fromPlan, toPlan] = [
    installPlanOf(from, installPlans, ["Complete", "Failed"]),
    installPlanOf(to, installPlans, ["Complete"]),
  ];
  return { kind: "past", upgrade: { subscription, late, from, to, fromPlan, toPlan } };
}

/** An operator may state that a Deployment of it takes longer, by `progressDeadlineSeconds`. */
function deadlineMinutes({ spec: { install } }: ClusterServiceVersion): number {
  const stated = (install.spec?.deployments ?? []).map(({ spec }) =>
    Math.ceil((spec.progressDeadlineSeconds ?? 0) / 60),
  );
  return Math.max(defaultDeadlineMinutes, ...stated);
}

const notUpgradeable = "OperatorConditionNotUpgradeable";

/** The former version, which succeeded and is being replaced, and the first one after it, none of which has succeeded. */
function upgradeUnderWay(
  current: string | undefined,
  csvs: readonly ClusterServiceVersion[],
): Pick<UpgradeToLeave, "from" | "to"> | undefined {
  const seen = new Set<ClusterServiceVersion>();
  for (
    let from = csvs.find(({ metadata }) => metadata.name === current);
    from !== undefined && !seen.has(from) && !hasSucceeded(from);
  ) {
    seen.add(from);
    const to = predecessor(from, csvs);
    if (to !== undefined && hasSucceeded(to)) {
      const isLeaving = from.metadata.deletionTimestamp !== undefined || to.metadata.deletionTimestamp !== undefined;
      return to.status?.phase === "Replacing" && !isLeaving ? { from, to } : undefined;
    }
    from = to;
  }
  return undefined;
}

const hasSucceeded = ({ status }: ClusterServiceVersion): boolean =>
  status?.phase === "Succeeded" || status?.conditions?.some(({ phase }) => phase === "Succeeded") === true;

/**
 * Epoch milliseconds: its first phase, or when the operator last allowed its upgrade again; both by our own clock. Its creation, by that
 * of the API server, where the first phases are not recorded any more.
 */
function begunAt({ metadata, status }: ClusterServiceVersion): number {
  const { conditions = [] } = status ?? {};
  const forbidden = conditions.findLastIndex(({ reason }) => reason === notUpgradeable);
  const isWhole = conditions.length < historyLimit;
  const began = forbidden >= 0 || isWhole ? conditions[forbidden + 1]?.lastUpdateTime : undefined;
  return Date.parse(began ?? metadata.creationTimestamp ?? "");
}

/** The newest InstallPlan with steps of a CSV, in one of these phases. */
export function installPlanOf(
  { metadata }: ClusterServiceVersion,
  plans: readonly InstallPlan[],
  phases: readonly InstallPlanPhase[],
): InstallPlan | undefined {
  return plans
    .filter(
      ({ status }) =>
        status !== undefined &&
        phases.includes(status.phase) &&
        status.plan?.some(({ resolving }) => resolving === metadata.name) === true,
    )
    .toSorted((left, right) => (right.spec.generation ?? 0) - (left.spec.generation ?? 0))[0];
}
