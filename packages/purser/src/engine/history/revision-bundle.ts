import type { KubeClient } from "@purser/kubernetes/kube/client";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { InstallationRevision } from "../../installation/revisions.ts";
import { type InstallPlanPorts, revisionOfPlan } from "../../controllers/v0/install-plan/review-install-plan.ts";
import type { ReviewedBundle } from "../../review/change-plan/change-plan.ts";
import { installedVersion } from "../../rollout/review/review-extension.ts";
import type { History } from "./read-history.ts";

/** A revision as the objects that it keeps; the problem is why they are not known. */
export async function revisionBundle(
  history: History,
  { name, bundle }: InstallationRevision,
  client: KubeClient,
  bundlesFor: InstallPlanPorts["bundlesFor"],
): Promise<Result<ReviewedBundle, string>> {
  if (history.api === "v1") {
    const set = history.sets.find(({ metadata }) => metadata.name === name);
    return set === undefined ? failed(`ClusterObjectSet ${name} does not exist`) : installedVersion(set, client);
  }
  const plan = history.plans.find(({ metadata }) => metadata.name === name);
  if (plan === undefined) return failed(`InstallPlan ${name} does not exist`);
  const found = await revisionOfPlan(plan, bundle, history.subscription, { client, bundlesFor });
  return found.ok ? done(found.value) : found;
}
