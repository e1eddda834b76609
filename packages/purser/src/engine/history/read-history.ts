import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { clusterObjectSets, installPlans, subscriptions } from "../../apis/olm-resources.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import { ownerNameLabel } from "../../apis/v1/labels.ts";
import type { Installation } from "../../installation/installation.ts";
import { extensionRevisions, type InstallationRevision, subscriptionRevisions } from "../../installation/revisions.ts";
import { approverOf } from "../../policy/approver.ts";

/** The revisions of an installation that still exist, the newest first, with the objects that hold them. */
export type History =
  | {
      readonly api: "v0";
      readonly subscription: Subscription;
      readonly plans: readonly InstallPlan[];
      readonly revisions: readonly InstallationRevision[];
    }
  | {
      readonly api: "v1";
      readonly sets: readonly ClusterObjectSet[];
      readonly revisions: readonly InstallationRevision[];
    };

/** Undefined for a ClusterServiceVersion without a Subscription, which nothing records. */
export async function readHistory(
  client: ObjectReader,
  { api, namespace = "", name, reference }: Installation,
): Promise<History | undefined> {
  if (api === "v1") {
    const sets = await client.list(clusterObjectSets, { labelSelector: `${ownerNameLabel}=${name}` });
    return { api, sets, revisions: extensionRevisions(sets) };
  }
  const subscription = reference.startsWith("csv/") ? undefined : await client.get(subscriptions, { namespace, name });
  if (subscription === undefined) return undefined;
  const plans = await client.list(installPlans, { namespace });
  const revisions = subscriptionRevisions(subscription, plans, (plan) => approverOf(plan, "f:approved"));
  return { api, subscription, plans, revisions };
}
