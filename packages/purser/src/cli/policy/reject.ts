import type { KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterUpdatePolicies, updatePolicies } from "../../apis/olm-resources.ts";
import { decideExtension } from "../../engine/snapshot/snapshot-decision.ts";
import type { Installation } from "../../installation/installation.ts";
import { withApprovable } from "../review/named-install-plan.ts";
import { type CommandSpec, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { openWorld } from "../decision/decision-world.ts";
import { withoutNotes } from "../output/held-notes.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { waitingPlan } from "../review/approve-reviewed.ts";
import { writeHold } from "./hold.ts";
import { packagesOfInstallation } from "../../engine/snapshot/snapshot-holds.ts";

export const rejectCommand: CommandSpec = {
  description: [
    "Denies the version by an UpdatePolicy (a ClusterUpdatePolicy for a ClusterExtension), in addition to those rejected earlier.",
    "Newer versions are still offered; purser unhold ends the rejection.",
  ].join("\n"),
  arguments: [
    {
      name: "installation",
      summary: "name, package, sub/NAMESPACE/NAME, ext/NAME, or NAMESPACE/INSTALLPLAN",
      required: true,
    },
  ],
  options: [
    { flags: "--reason TEXT", summary: "reason (required), shown with the rejection" },
    { flags: "--until DATE", summary: "end of the rejection: 2026-12-31, or 2026-12-31T22:00:00Z" },
    { flags: "--dry-run", summary: "print the policy, write nothing" },
  ],
  examples: [["purser reject data/etcd --reason 'breaks backups'", "do not install this version"]],
  run: (invocation) => withApprovable(invocation, (client, one) => reject(invocation, client, one)),
};

async function reject(invocation: Invocation, client: KubeClient, installation: Installation): Promise<Outcome> {
  const { reference, state } = installation;
  if ((textOption(invocation, "reason") ?? "").trim() === "")
    throw new UsageError("the reason for the rejection is missing", `purser reject ${reference} --reason TEXT`);
  const version = await waitingVersion(invocation, client, installation);
  if (version === undefined)
    return {
      exitCode: exitCodes.done,
      human: shown(
        `No version of ${reference} is pending approval (${state}); purser hold ${reference} --version VERSION`,
      ),
    };
  const earlier = await deniedBefore(client, installation);
  return writeHold(invocation, client, installation, { versions: { denied: [...new Set([...earlier, version])] } });
}

/** The version that waits for approval; undefined when none does. */
async function waitingVersion(
  invocation: Invocation,
  client: KubeClient,
  installation: Installation,
): Promise<string | undefined> {
  const plan = installation.api === "v0" ? await waitingPlan(client, installation) : undefined;
  if (installation.api === "v0" && plan === undefined) return undefined;
  const opened = await openWorld(withoutNotes(invocation), { bundles: "none" });
  if (!opened.ok) return undefined;
  try {
    const { world, kubeVersion } = opened.value;
    if (plan !== undefined) {
      const bundles = packagesOfInstallation(world, installation).flatMap(({ channels }) =>
        channels.flatMap((channel) => channel.bundles),
      );
      return bundles.find(({ name }) => plan.spec.clusterServiceVersionNames.includes(name))?.version;
    }
    const extension = world.snapshot.clusterExtensions.find(({ metadata }) => metadata.name === installation.name);
    if (extension === undefined || installation.state !== "Approve") return undefined;
    const { chosen } = decideExtension({ ...world, approvesAll: true }, extension, { clock: systemClock, kubeVersion });
    return chosen.find(({ upToDate }) => !upToDate)?.version;
  } finally {
    await opened.value.close();
  }
}

/** The versions that an earlier rejection of the installation denies. */
async function deniedBefore(
  client: KubeClient,
  { api, name, namespace = "" }: Installation,
): Promise<readonly string[]> {
  const key = `hold-${name}`;
  const policy =
    api === "v1"
      ? await client.get(clusterUpdatePolicies, { name: key })
      : await client.get(updatePolicies, { namespace, name: key });
  return policy?.spec.versions?.denied ?? [];
}
