import { shown } from "../output/shown.ts";
import { clusterExtensions, clusterServiceVersions, subscriptions } from "../../apis/olm-resources.ts";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { textOption, UsageError } from "../command.ts";
import { confirm } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { withInstallation } from "../cluster/installations.ts";
import { reportRefusal } from "../report-refusal.ts";
import { waitForInstallation, waits } from "../wait-for.ts";

export const uninstallCommand: CommandSpec = {
  name: "uninstall",
  group: "Change",
  summary: "Remove an installation",
  description: [
    "keep-data removes the operator and keeps its CustomResourceDefinitions and custom resources (v0).",
    "everything removes the CustomResourceDefinitions too, and with them every custom resource (v1, as deleting a ClusterExtension does).",
  ].join("\n"),
  arguments: [{ name: "installation", summary: "name, package, sub/NAMESPACE/NAME or ext/NAME", required: true }],
  options: [
    { flags: "--mode MODE", summary: "what is removed (default keep-data)", choices: ["keep-data", "everything"] },
  ],
  examples: [
    ["purser uninstall operators/kube-green --yes", "the Subscription and its operator; data stays"],
    ["purser uninstall ext/kube-green --mode everything --yes", "a ClusterExtension with all its objects"],
  ],
  run: (invocation) =>
    withInstallation(invocation, (client, installation) => uninstall(invocation, client, installation)),
};

interface Deletion {
  readonly type: ResourceType;
  readonly key: { readonly namespace?: string; readonly name: string };
}

async function uninstall(invocation: Invocation, client: KubeClient, installation: Installation): Promise<Outcome> {
  const { terminal } = invocation;
  const mode = textOption(invocation, "mode") ?? "keep-data";
  if (installation.api === "v1" && mode === "keep-data")
    throw new UsageError(
      `deleting ${installation.reference} removes its CustomResourceDefinitions and every custom resource with them`,
      `if that is wanted: purser uninstall ${installation.reference} --mode everything`,
    );
  if (installation.api === "v0" && mode === "everything")
    throw new UsageError(
      "--mode everything is not available for Subscriptions in this version",
      "uninstall with keep-data, then delete the CustomResourceDefinitions with kubectl",
    );
  const deletions = deletionsOf(installation);
  terminal.err(`Uninstall ${installation.reference} (mode ${mode})`);
  for (const { type, key } of deletions)
    terminal.err(`  removes  ${type.kind} ${key.namespace === undefined ? "" : `${key.namespace}/`}${key.name}`);
  if (!(await confirm(invocation, "Continue?")))
    return { exitCode: exitCodes.failed, human: shown("Nothing was removed.") };
  return remove(invocation, client, installation, deletions);
}

function deletionsOf({ api, reference, namespace = "", name, bundle, target }: Installation): readonly Deletion[] {
  if (api === "v1") return [{ type: clusterExtensions, key: { name } }];
  const csvs = [...new Set([bundle, target])].flatMap((csv) =>
    csv === undefined ? [] : [{ type: clusterServiceVersions, key: { namespace, name: csv } }],
  );
  return [...(reference.startsWith("sub/") ? [{ type: subscriptions, key: { namespace, name } }] : []), ...csvs];
}

async function remove(
  invocation: Invocation,
  client: KubeClient,
  installation: Installation,
  deletions: readonly Deletion[],
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  for (const { type, key } of deletions) {
    const result = await client.write({ verb: "delete", type, key }, signal);
    if (!result.ok && result.problem.kind !== "notFound")
      return reportRefusal(terminal, `delete ${type.kind} ${key.name}`, result.problem, installation.reference);
  }
  if (waits(invocation)) {
    const waited = await waitForInstallation(invocation, client, installation.reference, "deleted");
    if (waited.kind === "timeout") {
      terminal.err(
        `${terminal.symbol("attention")} ${installation.reference} still exists; the deletion continues in the cluster`,
      );
      return { exitCode: exitCodes.timeout };
    }
  }
  return { exitCode: exitCodes.done, human: shown(`${terminal.symbol("ok")} ${installation.reference} is removed`) };
}
