import { shown } from "../output/shown.ts";
import { installPlans, subscriptions } from "../../apis/olm-resources.ts";
import { planAnnotation } from "../../apis/v0/labels.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import { defaultCacheFolder } from "../../engine/folders.ts";
import { KeptCatalogs } from "../../engine/kept-catalogs.ts";
import { reviewInstallPlan } from "../../engine/review/waiting-plan.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { done, type Result } from "@purser/kubernetes/result";
import { planSet, type PlanSet, type Staleness, staleness } from "../../review/change-plan/plan-set.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { confirm } from "../confirm.ts";
import { openPulledBundles } from "../decision/decision-bundles.ts";
import { bundleFolders, bundlesOption } from "../engine-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { withInstallation } from "../cluster/installations.ts";
import { reportRefusal } from "../report-refusal.ts";
import { planSetDocument, planSetText } from "../review/change-plan-outcome.ts";
import { keepReviewed, reviewedInputs } from "../review/reviewed-plans.ts";

export const approveCommand: CommandSpec = {
  name: "approve",
  group: "Change",
  summary: "Show what the InstallPlan that an installation waits for changes, and approve it",
  description: [
    "The changes are those of the steps that the InstallPlan holds; what is approved is recorded by its digest in the",
    "annotation purser.dev/plan. When an input changed since the plan was shown, nothing is approved: exit code 7.",
  ].join("\n"),
  arguments: [{ name: "installation", summary: "name, package or sub/NAMESPACE/NAME", required: true }],
  options: [
    { flags: "--dry-run", summary: "show the changes, approve nothing" },
    {
      flags: "--digest DIGEST",
      summary: "approve only the changes with this digest, or one that starts so (8 digits)",
    },
    { flags: "--full", summary: "show the fields of all objects" },
    { ...bundlesOption, summary: "bundles that a large InstallPlan refers to, instead of pulling their images" },
  ],
  examples: [
    ["purser approve operators/kube-green --dry-run", "what the waiting plan changes, and its digest"],
    ["purser approve operators/kube-green --digest sha256:9b2c41d0 --yes", "exactly what was reviewed"],
    ["purser approve operators/kube-green --yes", "let the waiting plan run"],
  ],
  run: (invocation) =>
    withInstallation(invocation, (client, installation) => approve(invocation, client, installation)),
};

async function approve(invocation: Invocation, client: KubeClient, installation: Installation): Promise<Outcome> {
  const { terminal } = invocation;
  const plan = await waitingPlan(client, installation);
  const wanted = textOption(invocation, "digest");
  if (wanted !== undefined && !/^(sha256:)?[0-9a-f]{8,64}$/.test(wanted))
    throw new UsageError(
      `--digest "${wanted}" is not a digest`,
      `purser approve ${installation.reference} --dry-run shows it; 8 digits are enough`,
    );
  if (plan === undefined)
    return {
      exitCode: exitCodes.done,
      human: shown(`Nothing waits for approval in ${installation.reference} (${installation.state})`),
    };
  const set = await reviewed(invocation, client, plan);
  if (!set.ok) return { explanation: set.problem };
  const text = planSetText(terminal, set.value, flagOption(invocation, "full"));
  if (wanted !== undefined) {
    const inputs = await reviewedInputs(terminal.env, wanted);
    const compared = staleness({ digest: wanted, inputs }, set.value);
    if (compared.kind === "stale") {
      terminal.err(text);
      return stale(invocation, installation, compared, set.value);
    }
  }
  await keepReviewed(terminal.env, set.value);
  const data = planSetDocument(set.value);
  if (flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data, human: text };
  terminal.err(`InstallPlan ${plan.metadata.namespace}/${plan.metadata.name}`, text);
  if (!(await confirm(invocation, "Approve it?")))
    return { exitCode: exitCodes.failed, human: shown("Nothing was approved.") };
  return approveReviewed(invocation, client, installation, plan, set.value);
}

/** The InstallPlan that the installation waits for; undefined when nothing waits. */
async function waitingPlan(
  client: KubeClient,
  { state, namespace = "", name }: Installation,
): Promise<InstallPlan | undefined> {
  if (state !== "Approve") return undefined;
  const subscription = await client.get(subscriptions, { namespace, name });
  const planName = subscription?.status?.installPlanRef?.name;
  return planName === undefined ? undefined : client.get(installPlans, { namespace, name: planName });
}

/** What approving the plan changes now. */
async function reviewed(
  invocation: Invocation,
  client: KubeClient,
  plan: InstallPlan,
): Promise<Result<PlanSet, Explanation>> {
  const bundles = await openPulledBundles(invocation, bundleFolders(invocation), client);
  try {
    const kept = new KeptCatalogs(defaultCacheFolder(invocation.terminal.env));
    const plans = await reviewInstallPlan(plan, { client, kept, bundles });
    return plans.ok ? done(planSet(plans.value)) : plans;
  } finally {
    await bundles.close();
  }
}

/** Approves what was shown: after the question everything is read and compared again, and a later change of the plan is refused. */
async function approveReviewed(
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
  const now = await reviewed(invocation, client, plan);
  if (!now.ok) return { explanation: now.problem };
  const compared = staleness(set, now.value);
  if (compared.kind === "stale") return stale(invocation, installation, compared, now.value);
  const { resourceVersion } = plan.metadata;
  const result = await client.write(
    {
      verb: "patch",
      type: installPlans,
      key: { namespace, name },
      patchType: "merge",
      patch: {
        metadata: {
          annotations: { [planAnnotation]: set.digest },
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        },
        spec: { approved: true },
      },
    },
    signal,
  );
  if (!result.ok) return reportRefusal(terminal, `approve InstallPlan ${name}`, result.problem, installation.reference);
  return {
    exitCode: exitCodes.done,
    data: { ...planSetDocument(set), approved: true },
    human: shown(`${terminal.symbol("ok")} approved ${name}; purser status ${installation.reference}`),
  };
}

/** Limit of shown names. */
const mostInputs = 8;

/** Says that what was reviewed is no longer what would be applied. */
function stale(
  { terminal }: Invocation,
  { reference }: Installation,
  { changed }: Extract<Staleness, { readonly kind: "stale" }>,
  now: PlanSet,
): Outcome {
  terminal.err(
    `${terminal.paint("bad", terminal.symbol("failed"))} Nothing was approved: the plan is stale, its changes are others now`,
  );
  if (changed === undefined) terminal.err("  why   the inputs of the reviewed plan are not kept on this machine");
  for (const name of (changed ?? []).slice(0, mostInputs)) terminal.err(`  why   ${name} changed`);
  if ((changed?.length ?? 0) > mostInputs)
    terminal.err(`  why   and ${(changed?.length ?? 0) - mostInputs} more inputs changed`);
  terminal.err(`  do    purser approve ${reference} --digest ${now.digest}`);
  return { exitCode: exitCodes.conflict };
}
