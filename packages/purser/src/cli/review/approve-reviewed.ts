import { installPlans, subscriptions } from "../../apis/olm-resources.ts";
import { planAnnotation } from "../../apis/v0/labels.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import { KeptCatalogs } from "../../engine/kept-catalogs.ts";
import { reviewWaitingPlan } from "../../engine/review/waiting-plan.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { done, type Result } from "@purser/kubernetes/result";
import { planSet, type PlanSet, type Staleness, staleness } from "../../review/change-plan/plan-set.ts";
import { approvingUser } from "../../engine/review/approving-user.ts";
import { approvalAnnotations } from "../../policy/approver.ts";
import { type Invocation, type Outcome, textOption } from "../command.ts";
import { openPulledBundles } from "../decision/decision-bundles.ts";
import { bundleDirectories } from "../settings/shared-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { heldApproval } from "../policy/held-approval.ts";
import { refusedWrite } from "../report-refusal.ts";
import { planSetDocument } from "./change-plan-outcome.ts";

/** The InstallPlan that the installation waits for; undefined when nothing waits. */
export async function waitingPlan(
  client: KubeClient,
  { state, namespace = "", name }: Installation,
): Promise<InstallPlan | undefined> {
  if (state !== "Approve") return undefined;
  const subscription = await client.get(subscriptions, { namespace, name });
  const planName = subscription?.status?.installPlanRef?.name;
  return planName === undefined ? undefined : client.get(installPlans, { namespace, name: planName });
}

/** What approving the plan changes now. */
export async function reviewedPlan(
  invocation: Invocation,
  client: KubeClient,
  plan: InstallPlan,
): Promise<Result<PlanSet, Explanation>> {
  const bundles = await openPulledBundles(invocation, bundleDirectories(invocation), client);
  try {
    const kept = new KeptCatalogs(defaultCacheDirectory(invocation.terminal.env));
    const plans = await reviewWaitingPlan(plan, { client, kept, bundles });
    return plans.ok ? done(planSet(plans.value)) : plans;
  } finally {
    await bundles.close();
  }
}

/** Approves what was shown: after the question everything is read and compared again, and a later change of the plan is refused. */
export async function approveReviewed(
  invocation: Invocation,
  client: KubeClient,
  installation: Installation,
  shownPlan: InstallPlan,
  set: PlanSet,
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const { namespace = "", name = "" } = shownPlan.metadata;
  const plan = await client.get(installPlans, { namespace, name });
  if (plan === undefined) {
    terminal.err(`${terminal.paint("bad", terminal.symbol("failed"))} InstallPlan ${name} was deleted meanwhile`);
    terminal.err(`  do    purser approve ${installation.reference}`);
    return { exitCode: exitCodes.conflict };
  }
  const held = await heldApproval(invocation, client, installation, plan);
  if (held !== undefined) return { explanation: held };
  const now = await reviewedPlan(invocation, client, plan);
  if (!now.ok) return { explanation: now.problem };
  const compared = staleness(set, now.value);
  if (compared.kind === "stale") return stale(invocation, installation, { ...compared, seen: set.digest }, now.value);
  const { resourceVersion } = plan.metadata;
  const record = approvalAnnotations(await approvingUser(client, signal), textOption(invocation, "reason"));
  const result = await client.write(
    {
      verb: "patch",
      type: installPlans,
      key: { namespace, name },
      patchType: "merge",
      patch: {
        metadata: {
          annotations: { [planAnnotation]: set.digest, ...record },
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        },
        spec: { approved: true },
      },
      fieldManager: "purser-cli",
    },
    signal,
  );
  if (!result.ok) return refusedWrite(`approve InstallPlan ${name}`, result.problem, installation.reference);
  return {
    exitCode: exitCodes.done,
    data: { ...planSetDocument(set), approved: true },
    human: shown(`${terminal.symbol("ok")} approved ${name}; purser status ${installation.reference}`),
  };
}

/** Limit of shown names. */
const mostInputs = 8;

/** Says that what was reviewed is no longer what would be applied. */
export function stale(
  { terminal }: Invocation,
  { reference }: Installation,
  { changed, seen }: Extract<Staleness, { readonly kind: "stale" }> & { readonly seen: string },
  now: PlanSet,
): Outcome {
  terminal.err(
    `${terminal.paint("bad", terminal.symbol("failed"))} Nothing was approved: the plan changed from ${seen} to ${now.digest}`,
  );
  if (changed === undefined) terminal.err("  why   the inputs of the reviewed plan are not kept on this machine");
  // What people change makes many live objects differ: it comes first.
  const isLive = (name: string): number => Number(name.startsWith("live "));
  const causes = changed?.toSorted((left, right) => isLive(left) - isLive(right)) ?? [];
  for (const name of causes.slice(0, mostInputs)) terminal.err(`  why   ${name} changed`);
  if ((changed?.length ?? 0) > mostInputs)
    terminal.err(`  why   and ${(changed?.length ?? 0) - mostInputs} more inputs changed`);
  terminal.err(`  do    purser approve ${reference} --digest ${now.digest}`);
  return { exitCode: exitCodes.conflict };
}
