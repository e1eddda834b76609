import type { Log } from "@purser/kubernetes/kube/log";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { applyCrds, ownCrds } from "../../engine/own-manifests.ts";
import { connect } from "../cluster/connect.ts";
import type { CommandFamily, Invocation, Outcome } from "../command.ts";
import { crdSetOf, crdSetOption, familiesOf, familiesOption } from "../settings/shared-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";

/** `purser crds ...`: our CustomResourceDefinitions in a cluster. */
export const crdsCommand: CommandFamily = {
  members: [
    {
      name: "apply",
      summary: "Create or change the CustomResourceDefinitions and wait until they are served",
      description:
        "Definitions of an older OLM are updated too; stored objects are kept. The Helm chart runs this before an upgrade.",
      options: [familiesOption, crdSetOption],
      examples: [["purser crds apply --apis v1", "only those of OLM v1"]],
      run: apply,
    },
  ],
};

async function apply(invocation: Invocation): Promise<Outcome> {
  const families = familiesOf(invocation);
  const connection = connect(invocation);
  try {
    const { signal, terminal } = invocation;
    const log: Log = (_level, message, { definitions } = {}) =>
      terminal.err(typeof definitions === "string" ? `${message}: ${definitions}` : message);
    await applyCrds(connection.client, { clock: systemClock, log, signal }, families, crdSetOf(invocation));
  } finally {
    connection.close();
  }
  const names = (await ownCrds(families)).map(({ metadata: { name = "" } }) => name);
  return {
    exitCode: exitCodes.done,
    data: names,
    human: shown(`${names.length} CustomResourceDefinitions are served`),
  };
}
