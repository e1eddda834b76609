import { installPlans, subscriptions } from "../../apis/resources.ts";
import type { CommandSpec } from "../command.ts";
import { textOption } from "../command.ts";
import { confirm } from "../confirm.ts";
import { connect } from "../connect.ts";
import { exitCodes } from "../exit-code.ts";
import { findInstallation, notFound, readInstallations } from "../installations.ts";
import { reportRefusal } from "../report-refusal.ts";

export const approveCommand: CommandSpec = {
  name: "approve",
  group: "Change",
  summary: "Approve the InstallPlan that an installation waits for",
  arguments: [{ name: "installation", summary: "name, package or sub/NAMESPACE/NAME", required: true }],
  examples: [["purser approve operators/kube-green --yes", "let the waiting plan run"]],
  async run(invocation) {
    const { terminal, signal } = invocation;
    const connection = connect(invocation);
    try {
      const { client } = connection;
      const [name = ""] = invocation.arguments;
      const found = findInstallation(
        name,
        await readInstallations(client, undefined),
        textOption(invocation, "namespace"),
      );
      if (found.kind === "missing") return notFound(terminal, name, found.near);
      const { installation } = found;
      const namespace = installation.namespace ?? "";
      const subscription =
        installation.state === "Approve"
          ? await client.get(subscriptions, { namespace, name: installation.name })
          : undefined;
      const planName = subscription?.status?.installPlanRef?.name;
      if (planName === undefined)
        return {
          exitCode: exitCodes.done,
          human: `Nothing waits for approval in ${installation.reference} (${installation.state})`,
        };
      const plan = await client.get(installPlans, { namespace, name: planName });
      terminal.err(`InstallPlan ${namespace}/${planName}: ${plan?.spec.clusterServiceVersionNames.join(", ")}`);
      if (!(await confirm(invocation, "Approve it?")))
        return { exitCode: exitCodes.failed, human: "Nothing was approved." };
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
        human: `${terminal.symbol("ok")} approved ${planName}; purser status ${installation.reference}`,
      };
    } finally {
      connection.close();
    }
  },
};
