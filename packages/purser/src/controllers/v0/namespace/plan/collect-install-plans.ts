import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { installPlans } from "../../../../apis/olm-resources.ts";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import { installPlanOf } from "./late-upgrades.ts";
import type { NamespaceWorld } from "./world.ts";

const plansKept = 5;

/**
 * Deletes the InstallPlans beyond five, those of the lowest generations. One that a Subscription points at stays, and one that
 * has not ended: it may be pending approval. Where a policy lets upgrades go back by themselves, those of existing CSVs stay, too.
 */
export function collectInstallPlans({
  installPlans: plans,
  subscriptions: subs,
  namespace,
  csvs,
  policies,
}: Pick<NamespaceWorld, "installPlans" | "subscriptions" | "namespace" | "csvs" | "policies">): readonly ObjectWrite[] {
  const referenced = new Set(subs.map((subscription) => subscription.status?.installPlanRef?.name));
  const { updatePolicies = [], clusterUpdatePolicies = [] } = policies ?? {};
  const goesBack = [...updatePolicies, ...clusterUpdatePolicies].some(({ spec }) => spec.rollback === "BeforeReady");
  for (const csv of goesBack ? csvs : []) referenced.add(installPlanOf(csv, plans, ["Complete"])?.metadata.name);
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
