import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../../apis/v0/subscription.ts";
import { judgesContents } from "../../../../policy/approval.ts";
import { isWithoutPolicies, subscriptionSubject } from "../../../../policy/installation-holds.ts";
import type { Hold } from "../../../../resolver/v0/input.ts";
import type { NamespaceOutcome } from "../../../../resolver/v0/outcome.ts";
import type { PlannedSet } from "./plan-sets.ts";
import type { NamespaceWorld } from "./world.ts";

/** An upgrade whose contents a policy judges. */
export interface UpgradeToJudge {
  /** Its ClusterServiceVersion. */
  readonly csv: string;
  readonly subscription: Subscription;
  /** The InstallPlan that would bring it. */
  readonly plan: InstallPlan;
}

/** The upgrades of planned InstallPlans that policies judge by what they hold and that were not looked at yet. */
export function upgradesToJudge(
  { policies, csvs, upgrades }: Pick<NamespaceWorld, "policies" | "csvs" | "upgrades">,
  planned: readonly PlannedSet[],
  now: number,
): readonly UpgradeToJudge[] {
  if (policies === undefined || isWithoutPolicies(policies)) return [];
  return planned.flatMap(({ set, install }) => {
    if (install.kind !== "complete" || install.plan === undefined) return [];
    const plan = { ...install.plan.object, status: install.plan.status };
    return set.updated.flatMap(({ subscription, currentCSV: csv }) => {
      const isUpgrade = csvs.some(({ metadata }) => metadata.name === subscription.status?.installedCSV);
      const isJudged = isUpgrade && judgesContents(policies, subscriptionSubject(subscription), now);
      return isJudged && upgrades?.has(csv) !== true ? [{ csv, subscription, plan }] : [];
    });
  });
}

/** Whether policies hold back what was chosen, since they know what it holds. */
export function isDenied(
  { operators }: Extract<NamespaceOutcome, { readonly kind: "resolved" }>,
  held: readonly Hold[],
): boolean {
  return operators.some(
    ({ bundle, upToDate }) =>
      !upToDate && held.some((hold) => hold.package === bundle.package && hold.bundles?.includes(bundle.name) === true),
  );
}
