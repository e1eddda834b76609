import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { formatTime } from "@purser/kubernetes/clock";
import { clusterServiceVersions, subscriptions } from "../../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { Subscription } from "../../../../apis/v0/subscription.ts";
import { conditionText } from "../../../../explanation/condition-text.ts";
import {
  type RolledBack,
  rolledBackAnnotation,
  rolledBackOf,
  rolledBackSentence,
  rolledBackText,
} from "../../../../apis/policy/rolled-back.ts";
import { rolledBackCondition } from "../../../plan/automatic-rollback.ts";
import { type GoingBack, goingBack, leftFor } from "../../plan/left-versions.ts";
import { upgradeTime, type UpgradeToLeave } from "./late-upgrades.ts";
import type { NamespaceAction } from "./namespace-action.ts";
import type { Shown } from "./shown-status.ts";
import { setCondition, withoutConditions } from "./subscription-condition.ts";
import { asInstalled } from "./withdrawn-plans.ts";
import type { NamespaceWorld } from "./world.ts";

/** What automatic rollbacks mean for the Subscriptions of a namespace. */
export interface Rollbacks {
  /** One that goes back shows its former version. */
  readonly shown: readonly Shown[];
  /** Upgrades past their time that have to be compared with the cluster first. */
  readonly unknown: readonly UpgradeToLeave[];
  /** The records of upgrades that go back now, each after its event. */
  readonly begin: readonly NamespaceAction[];
  /** Versions to leave whose former version has no InstallPlan to run again. */
  readonly leave: readonly NamespaceAction[];
  /** Whether a version that was left still exists: nothing is resolved then. */
  readonly isGoing: boolean;
  /** Epoch milliseconds at which the next upgrade is past its time. */
  readonly until: number;
}

export function rollbacksOf(world: NamespaceWorld, projected: readonly Shown[], now: number): Rollbacks {
  const unknown: UpgradeToLeave[] = [];
  const begin: NamespaceAction[] = [];
  const leave: NamespaceAction[] = [];
  let [isGoing, until] = [false, Infinity];
  const shown = projected.map((one): Shown => {
    const going = goingBack(one.subscription, world.csvs);
    if (going !== undefined) {
      isGoing = true;
      const back = atFormer(one, going, world);
      if (back.status.installPlanRef === undefined) leave.push(...leaving(going, world.csvs));
      return withRolledBack(back, now);
    }
    const time = upgradeTime(world, one, now);
    if (time?.kind === "waits") until = Math.min(until, time.until);
    if (time?.kind !== "past") return withRolledBack(one, now);
    const decision = world.rollbacks?.get(one.subscription.metadata.name ?? "");
    switch (decision?.kind) {
      case undefined:
        unknown.push(time.upgrade);
        return one;
      case "due":
        begin.push(...recorded(one.subscription, decision.rolledBack));
        return one;
      case "refused": {
        const { code } = decision.explanation;
        return withCondition(one, "False", code, conditionText(decision.explanation), now);
      }
    }
  });
  return { shown, unknown, begin, leave, isGoing, until };
}

/** At the version that it goes back to, with the InstallPlan that brought it where that exists. */
function atFormer({ subscription, status }: Shown, { record }: GoingBack, { installPlans }: NamespaceWorld): Shown {
  if (status.currentCSV === record.to) return { subscription, status };
  return { subscription, status: asInstalled({ ...status, installedCSV: record.to }, installPlans) };
}

/** The condition from when an upgrade went back until another version is installed. */
function withRolledBack(one: Shown, now: number): Shown {
  const { subscription, status } = one;
  const record = rolledBackOf(subscription.metadata);
  if (record !== undefined && status.installedCSV === record.to) {
    const message = `${rolledBackSentence(record)}. End the hold: purser unhold ${referenceOf(subscription)}`;
    return withCondition(one, "True", "BeforeReady", message, now);
  }
  const conditions = withoutConditions(status.conditions, rolledBackCondition);
  return conditions.length === (status.conditions ?? []).length
    ? one
    : { subscription, status: { ...status, conditions } };
}

function withCondition(
  { subscription, status }: Shown,
  value: "True" | "False",
  reason: string,
  message: string,
  now: number,
): Shown {
  const condition = {
    type: rolledBackCondition,
    status: value,
    reason,
    message,
    lastTransitionTime: formatTime(now),
  } as const;
  return { subscription, status: { ...status, conditions: setCondition(status.conditions, condition) } };
}

const referenceOf = ({ metadata: { namespace, name } }: Subscription): string => `sub/${namespace}/${name}`;

/** All that follows reads the record, so that a process may end after it at any point. */
function recorded(subscription: Subscription, rolledBack: RolledBack): readonly NamespaceAction[] {
  const { namespace = "", name = "" } = subscription.metadata;
  const message = `${rolledBackSentence(rolledBack)}; it is held back until: purser unhold ${referenceOf(subscription)}`;
  const patch = { metadata: { annotations: { [rolledBackAnnotation]: rolledBackText(rolledBack) } } };
  return [
    { kind: "announce", subscription, reason: "RolledBack", message },
    {
      kind: "write",
      write: { verb: "patch", type: subscriptions, key: { namespace, name }, patchType: "merge", patch },
    },
  ];
}

const leaving = (going: GoingBack, csvs: readonly ClusterServiceVersion[]): readonly NamespaceAction[] =>
  marksOf(going, csvs).map((write) => ({ kind: "write", write }));

/** Marks the versions that are left, that of the record last: while it has no mark the steps of the former version are run again. */
export function marksOf(
  { record, left }: Pick<GoingBack, "record" | "left">,
  csvs: readonly ClusterServiceVersion[],
): readonly ObjectWrite[] {
  return left
    .filter((csv) => leftFor(csv, csvs) === undefined)
    .map(({ metadata: { namespace = "", name = "" } }) => ({
      verb: "patch",
      type: clusterServiceVersions,
      key: { namespace, name },
      patchType: "merge",
      patch: { metadata: { annotations: { [rolledBackAnnotation]: rolledBackText(record) } } },
    }));
}
