import type { Explanation } from "../../explanation/explanation.ts";
import type { Installation } from "../../installation/installation.ts";
import type { Result } from "@purser/kubernetes/result";
import type { PlanSet } from "../../review/change-plan/plan-set.ts";
import type { Invocation } from "../command.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { reviewedPlan, waitingPlan } from "./approve-reviewed.ts";
import { keepReviewed } from "./reviewed-plans.ts";

/**
 * What approving the InstallPlan changes that the installation waits for, with the digest that `approve` takes; undefined
 * without a cluster and when nothing waits.
 */
export async function waitingChanges(
  invocation: Invocation,
  { client }: OpenedWorld,
  installation: Installation | undefined,
): Promise<Result<PlanSet, Explanation> | undefined> {
  if (client === undefined || installation === undefined) return undefined;
  const plan = await waitingPlan(client, installation);
  if (plan === undefined) return undefined;
  const set = await reviewedPlan(invocation, client, plan);
  if (set.ok) await keepReviewed(invocation.terminal.env, set.value);
  return set;
}
