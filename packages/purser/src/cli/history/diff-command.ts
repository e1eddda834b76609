import type { KubeClient } from "@purser/kubernetes/kube/client";
import { plainJson } from "@purser/kubernetes/json";
import { type History, readHistory } from "../../engine/history/read-history.ts";
import { revisionBundle } from "../../engine/history/revision-bundle.ts";
import { invalid } from "../../engine/review/review-bundle.ts";
import { knownBundles } from "../../engine/review/waiting-plan.ts";
import type { Installation } from "../../installation/installation.ts";
import type { InstallationRevision } from "../../installation/revisions.ts";

import { liveObjects } from "../../rollout/review/live-objects.ts";
import { installationArgument, withInstallation } from "../cluster/installations.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, UsageError } from "../command.ts";
import { openPulledBundles } from "../decision/decision-bundles.ts";
import { bundleDirectories, bundlesOption } from "../settings/shared-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { planOutcome } from "../review/change-plan-outcome.ts";
import { withoutHistory } from "./history-command.ts";
import { reviewChanges } from "../../rollout/review/review-changes.ts";

export const diffCommand: CommandSpec = {
  description: [
    "purser history lists the revisions. --live compares the cluster with a revision, by default the current one, and shows what",
    "applying that revision again would change.",
  ].join("\n"),
  arguments: [
    installationArgument,
    { name: "from", summary: "number of a revision" },
    { name: "to", summary: "number of another revision (default: the current one)" },
  ],
  options: [
    { flags: "--live", summary: "compare the revision with the cluster" },
    { flags: "--full", summary: "show the fields of all objects" },
    { flags: "--exit-code", summary: "exit code 3 when there are differences" },
    {
      ...bundlesOption,
      summary: "directory of bundles that a large InstallPlan refers to, to use instead of pulling images",
    },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["text", "json", "yaml", "markdown"] },
  ],
  examples: [
    ["purser diff data/etcd 3 5", "what revision 5 changed since revision 3"],
    ["purser diff ext/argocd --live", "what was changed on the cluster since the installation"],
    ["purser diff data/etcd 3 5 -o markdown", "the same in Markdown, for a comment"],
  ],
  run: (invocation) => withInstallation(invocation, (client, installation) => diff(invocation, client, installation)),
};

async function diff(invocation: Invocation, client: KubeClient, installation: Installation): Promise<Outcome> {
  const { reference } = installation;
  const history = await readHistory(client, installation);
  if (history === undefined) throw withoutHistory(reference);
  const [, first, second] = invocation.arguments;
  const isLive = flagOption(invocation, "live");
  if (isLive && second !== undefined)
    throw new UsageError("--live compares one revision with the cluster", `purser diff ${reference} ${first} --live`);
  if (!isLive && first === undefined)
    throw new UsageError("the revision to compare is missing", `purser history ${reference} lists them; or add --live`);
  const current = currentRevision(history, reference);
  const [from, to] = isLive
    ? [first === undefined ? current() : revisionNamed(history, first, reference)]
    : [
        revisionNamed(history, first ?? "", reference),
        second === undefined ? current() : revisionNamed(history, second, reference),
      ];
  const bundles = await openPulledBundles(invocation, bundleDirectories(invocation), client);
  try {
    const before = await revisionBundle(history, from, client, knownBundles(bundles));
    if (!before.ok) return { explanation: invalid(from.bundle, before.problem) };
    const after = to === undefined ? before : await revisionBundle(history, to, client, knownBundles(bundles));
    if (!after.ok) return { explanation: invalid(to?.bundle ?? "", after.problem) };
    const objects = [...before.value.objects, ...after.value.objects];
    const plan = reviewChanges({
      installation: reference,
      options: plainJson({ revisions: [from.revision, to?.revision ?? "live"] }) as never,
      from: before.value,
      path: [after.value],
      ...(isLive ? await liveObjects(client, objects) : {}),
      dependencies: [],
    });
    const differs = plan.total.objects.some(({ change, drift }) => change !== "kept" || drift.length > 0);
    const exitCode = differs && flagOption(invocation, "exit-code") ? exitCodes.changes : exitCodes.done;
    return { ...planOutcome(invocation, plan), exitCode };
  } finally {
    await bundles.close();
  }
}

/** @throws UsageError when there is no such revision */
export function revisionNamed({ revisions }: History, text: string, reference: string): InstallationRevision {
  const found = revisions.find(({ revision, name }) => String(revision) === text || name === text);
  if (found !== undefined) return found;
  const numbers = revisions.map(({ revision }) => revision).join(", ");
  throw new UsageError(
    `${reference} has no revision "${text}"`,
    numbers === "" ? `purser history ${reference}` : `revisions: ${numbers}; purser history ${reference}`,
  );
}

function currentRevision({ revisions }: History, reference: string): () => InstallationRevision {
  return () => {
    const found = revisions.find(({ outcome }) => outcome === "current");
    if (found !== undefined) return found;
    throw new UsageError(`no revision of ${reference} is installed`, `purser history ${reference}`);
  };
}
