import { shown } from "../output/shown.ts";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { staleness } from "../../review/change-plan/plan-set.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { bundlesOption } from "../engine-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { withInstallation } from "../cluster/installations.ts";
import { approveReviewed, reviewedPlan, stale, waitingPlan } from "../review/approve-reviewed.ts";
import { heldApproval } from "../policy/held-approval.ts";
import { planSetDocument, planSetText } from "../review/change-plan-outcome.ts";
import { keepReviewed, reviewedInputs } from "../review/reviewed-plans.ts";

export const approveCommand: CommandSpec = {
  name: "approve",
  group: "Change",
  summary: "Show what the InstallPlan that an installation waits for changes, and approve it",
  description: [
    "The changes are those of the steps that the InstallPlan holds; what is approved is recorded by its digest in the",
    "annotation purser.dev/plan. When an input changed since the plan was shown, nothing is approved: exit code 7. What an",
    "update policy or a hold holds back is not approved: exit code 4.",
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
  const held = await heldApproval(invocation, client, installation, plan);
  if (held !== undefined) return { explanation: held };
  if (plan === undefined)
    return {
      exitCode: exitCodes.done,
      human: shown(`Nothing waits for approval in ${installation.reference} (${installation.state})`),
    };
  const set = await reviewedPlan(invocation, client, plan);
  if (!set.ok) return { explanation: set.problem };
  const text = planSetText(terminal, set.value, flagOption(invocation, "full"));
  if (wanted !== undefined) {
    const inputs = await reviewedInputs(terminal.env, wanted);
    const compared = staleness({ digest: wanted, inputs }, set.value);
    if (compared.kind === "stale") {
      terminal.err(...text.split("\n"));
      return stale(invocation, installation, compared, set.value);
    }
  }
  await keepReviewed(terminal.env, set.value);
  const data = planSetDocument(set.value);
  if (flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data, human: text };
  terminal.err(`InstallPlan ${plan.metadata.namespace}/${plan.metadata.name}`, ...text.split("\n"));
  if (!(await confirm(invocation, "Approve it?"))) return notConfirmed("approved");
  return approveReviewed(invocation, client, installation, plan, set.value);
}
