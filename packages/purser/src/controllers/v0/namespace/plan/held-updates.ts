import { formatTime } from "@purser/kubernetes/clock";
import { conditionText } from "../../../../explanation/condition-text.ts";
import { judgesContents } from "../../../../policy/approval.ts";
import type { Policies } from "../../../../policy/effective-policy.ts";
import {
  type InstallationHolds,
  isWithoutPolicies,
  noHolds,
  subscriptionHolds,
  subscriptionSubject,
} from "../../../../policy/installation-holds.ts";
import type { Hold } from "../../../../resolver/v0/input.ts";
import type { Shown } from "./shown-status.ts";
import { setCondition, withoutConditions } from "./subscription-condition.ts";
import type { NamespaceWorld } from "./world.ts";

/** What update policies mean for each Subscription, in their order. */
export function namespaceHolds(
  world: NamespaceWorld,
  shown: readonly Shown[],
  now: number,
): readonly InstallationHolds[] {
  const { policies, csvs } = world;
  if (policies === undefined || isWithoutPolicies(policies)) return shown.map(() => noHolds);
  return shown.map(({ subscription, status }) => {
    const { spec } = subscription;
    const packages = world.catalogs.flatMap(({ source: { metadata }, content }) => {
      const isNamed =
        spec.source === "" || (metadata.name === spec.source && metadata.namespace === spec.sourceNamespace);
      const found = isNamed && content.kind === "present" ? content.index.package(spec.name) : undefined;
      return found === undefined ? [] : [found];
    });
    const csv = csvs.find(({ metadata }) => metadata.name === status.installedCSV);
    const installed =
      csv === undefined ? undefined : { name: csv.metadata.name ?? "", version: csv.spec.version ?? "" };
    return subscriptionHolds(policies, subscription, installed, packages, now, world.upgrades);
  });
}

/** As resolution takes them. */
export function resolverHolds(shown: readonly Shown[], holds: readonly InstallationHolds[]): readonly Hold[] {
  return shown.flatMap(({ subscription }, index) =>
    (holds[index]?.held ?? []).map((held) => ({ package: subscription.spec.name, ...held })),
  );
}

/**
 * The statuses with the condition UpdateHeld where an upgrade is held back, and without it elsewhere. Before this pass has looked at
 * what upgrades hold, the condition stays where a policy judges by that.
 */
export function withHeldUpdates(
  shown: readonly Shown[],
  holds: readonly InstallationHolds[],
  now: number,
  unjudged: Policies | undefined,
): readonly Shown[] {
  return shown.map(({ subscription, status }, index) => {
    const waiting = holds[index]?.waiting;
    if (waiting === undefined) {
      if (unjudged !== undefined && judgesContents(unjudged, subscriptionSubject(subscription), now))
        return { subscription, status };
      const conditions = withoutConditions(status.conditions, "UpdateHeld");
      const isUnchanged = conditions.length === (status.conditions ?? []).length;
      return { subscription, status: isUnchanged ? status : { ...status, conditions } };
    }
    const conditions = setCondition(status.conditions, {
      type: "UpdateHeld",
      status: "True",
      reason: waiting.code,
      message: conditionText(waiting),
      lastTransitionTime: formatTime(now),
    });
    return { subscription, status: { ...status, conditions } };
  });
}
