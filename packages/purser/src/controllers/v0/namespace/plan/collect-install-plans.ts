import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { installPlans } from "../../../../apis/olm-resources.ts";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { NamespaceWorld } from "./world.ts";

const plansKept = 5;

/**
 * Deletes the InstallPlans beyond five, those of the lowest generations. One that a Subscription points at stays, and one that
 * has not ended: it may be pending approval.
 */
export function collectInstallPlans({
  installPlans: plans,
  subscriptions: subs,
  namespace,
}: Pick<NamespaceWorld, "installPlans" | "subscriptions" | "namespace">): readonly ObjectWrite[] {
  const referenced = new Set(subs.map((subscription) => subscription.status?.installPlanRef?.name));
  const age = ({ spec, metadata }: InstallPlan): string =>
    `${String(spec.generation ?? 0).padStart(12, "0")} ${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`;
  return plans
    .toSorted((a, b) => (age(a) < age(b) ? -1 : 1))
    .slice(0, Math.max(0, plans.length - plansKept))
    .filter((plan) => hasEnded(plan) && !referenced.has(plan.metadata.name))
    .map((plan) => ({
      verb: "delete",
      type: installPlans,
      key: { namespace, name: plan.metadata.name ?? "" },
    }));
}

const hasEnded = ({ status }: InstallPlan): boolean => status?.phase === "Complete" || status?.phase === "Failed";
