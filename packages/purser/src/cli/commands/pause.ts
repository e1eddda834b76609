import type { KubeClient } from "@purser/kubernetes/kube/client";
import { clusterExtensions } from "../../apis/olm-resources.ts";
import { pausedAnnotation } from "../../apis/v1/labels.ts";
import type { Installation } from "../../installation/installation.ts";
import { withInstallation } from "../cluster/installations.ts";
import { type CommandSpec, type Invocation, type Outcome, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";

const argument = { name: "installation", summary: "name, package or ext/NAME", required: true } as const;

export const pauseCommand: CommandSpec = {
  description: `Sets the annotation ${pausedAnnotation}: nothing is upgraded, rolled out or repaired. Deleting the extension still removes its objects.`,
  arguments: [argument],
  examples: [["purser pause ext/kube-green --yes", "change its objects by hand for a while"]],
  run: (invocation) => withInstallation(invocation, (client, one) => setPaused(invocation, client, one, true)),
};

export const resumeCommand: CommandSpec = {
  arguments: [argument],
  examples: [["purser resume ext/kube-green --yes", "its objects are repaired, and it is upgraded again"]],
  run: (invocation) => withInstallation(invocation, (client, one) => setPaused(invocation, client, one, false)),
};

async function setPaused(
  invocation: Invocation,
  client: KubeClient,
  { api, reference, name, state }: Installation,
  pause: boolean,
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  if (api === "v0")
    throw new UsageError(
      `only a ClusterExtension can be paused, and ${reference} is not one`,
      `to hold back its upgrades: purser hold ${reference}`,
    );
  if ((state === "Paused") === pause)
    return { exitCode: exitCodes.done, human: shown(`${reference} is ${pause ? "paused already" : "not paused"}`) };
  terminal.err(`${pause ? "Pause" : "Resume"} ${reference}`);
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("changed");
  const patch = { metadata: { annotations: { [pausedAnnotation]: pause ? "true" : null } } };
  const result = await client.write(
    { verb: "patch", type: clusterExtensions, key: { name }, patchType: "merge", patch },
    signal,
  );
  if (!result.ok) return refusedWrite(`patch ClusterExtension ${name}`, result.problem, reference);
  const done = pause
    ? `paused ${reference}; purser resume ${reference}`
    : `resumed ${reference}; purser status ${reference}`;
  return { exitCode: exitCodes.done, human: shown(`${terminal.symbol("ok")} ${done}`) };
}
