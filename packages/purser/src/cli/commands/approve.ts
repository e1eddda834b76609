import { shown } from "../output/shown.ts";
import { installPlans, subscriptions } from "../../apis/olm-resources.ts";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { confirm } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { withInstallation } from "../cluster/installations.ts";
import { reportRefusal } from "../report-refusal.ts";

export const approveCommand: CommandSpec = {
  name: "approve",
  group: "Change",
  summary: "Approve the InstallPlan that an installation waits for",
  arguments: [{ name: "installation", summary: "name, package or sub/NAMESPACE/NAME", required: true }],
  examples: [["purser approve operators/kube-green --yes", "let the waiting plan run"]],
  run: (invocation) =>
    withInstallation(invocation, (client, installation) => approve(invocation, client, installation)),
};

async function approve(invocation: Invocation, client: KubeClient, installation: Installation): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const namespace = installation.namespace ?? "";
  const subscription =
    installation.state === "Approve"
      ? await client.get(subscriptions, { namespace, name: installation.name })
      : undefined;
  const planName = subscription?.status?.installPlanRef?.name;
  if (planName === undefined)
    return {
      exitCode: exitCodes.done,
      human: shown(`Nothing waits for approval in ${installation.reference} (${installation.state})`),
    };
  const plan = await client.get(installPlans, { namespace, name: planName });
  terminal.err(`InstallPlan ${namespace}/${planName}: ${plan?.spec.clusterServiceVersionNames.join(", ")}`);
  if (!(await confirm(invocation, "Approve it?")))
    return { exitCode: exitCodes.failed, human: shown("Nothing was approved.") };
  const result = await client.write(
    {
      verb: "patch",
      type: installPlans,
      key: { namespace, name: planName },
      patchType: "merge",
      patch: { spec: { approved: true } },
    },
    signal,
  );
  if (!result.ok)
    return reportRefusal(terminal, `approve InstallPlan ${planName}`, result.problem, installation.reference);
  return {
    exitCode: exitCodes.done,
    human: shown(`${terminal.symbol("ok")} approved ${planName}; purser status ${installation.reference}`),
  };
}
