import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { approvalFor } from "../../../../policy/approval.ts";
import { isWithoutPolicies, subscriptionSubject } from "../../../../policy/installation-holds.ts";
import type { KnownUpgrades } from "../../../../policy/upgrade-contents.ts";
import type { Policies } from "../../../../policy/effective-policy.ts";
import type { InstallSet } from "../../../../resolver/v0/outcome.ts";

/** Which policies ask for the approval of an InstallPlan that moves these Subscriptions; each once, with what it asks. */
export function approvalsOf(
  policies: Policies | undefined,
  { operators, updated }: Pick<InstallSet, "operators" | "updated">,
  csvs: readonly ClusterServiceVersion[],
  at: { readonly now: number; readonly upgrades?: KnownUpgrades | undefined },
): readonly string[] {
  if (policies === undefined || isWithoutPolicies(policies)) return [];
  const asked = updated.flatMap(({ subscription, currentCSV }) => {
    const bundle = operators.find((operator) => operator.bundle.name === currentCSV)?.bundle;
    const { namespace } = subscription.metadata;
    const csv = csvs.find(
      ({ metadata }) => metadata.name === subscription.status?.installedCSV && metadata.namespace === namespace,
    );
    const installed =
      csv === undefined ? undefined : { name: csv.metadata.name ?? "", version: csv.spec.version ?? "" };
    return bundle === undefined
      ? []
      : (approvalFor(policies, subscriptionSubject(subscription), bundle, installed, at) ?? []);
  });
  return [...new Set(asked)].toSorted();
}
