import type { KubeClient } from "@purser/kubernetes/kube/client";
import { type JsonObject, plainJson } from "@purser/kubernetes/json";
import { invariant } from "@purser/kubernetes/invariant";
import { type History, readHistory } from "../../engine/history/read-history.ts";
import { revisionBundle } from "../../engine/history/revision-bundle.ts";
import { observeUninstall } from "../../engine/review/observe-uninstall.ts";
import { invalid } from "../../engine/review/review-bundle.ts";
import { knownBundles } from "../../engine/review/waiting-plan.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { type Installation, installationsOf } from "../../installation/installation.ts";
import type { InstallationRevision } from "../../installation/revisions.ts";

import { type RollbackPlan, rollbackPlan } from "../../review/rollback-plan/rollback-plan.ts";
import { rollbackLines } from "../../review/rollback-plan/rollback-text.ts";
import { liveObjects } from "../../rollout/review/live-objects.ts";
import { findInstallation, installationArgument, noInstallation } from "../cluster/installations.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { openPulledBundles } from "../decision/decision-bundles.ts";
import { openWorld, type OpenedWorld } from "../decision/decision-world.ts";
import { bundleDirectories, bundlesOption } from "../settings/shared-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { rollbackModeOf } from "../policy/rollback-mode.ts";
import { linesText, planDocument } from "../review/change-plan-outcome.ts";
import { planOption, type Reviewed, staleReview, withReviewed } from "../review/saved-plan.ts";
import { revisionNamed } from "./diff-command.ts";
import { withoutHistory } from "./history-command.ts";
import { rollBackExtension } from "./roll-back-extension.ts";
import { rollBackSubscription } from "./roll-back-subscription.ts";
import { reviewChanges } from "../../rollout/review/review-changes.ts";

export const rollbackCommand: CommandSpec = {
  description: [
    "A ClusterExtension is pinned to the earlier version. OLM v0 has no downgrades: the operator is removed, its CRDs and data are",
    "kept, and the earlier version is installed by a Subscription with manual approval; it does not run meanwhile. The catalog must",
    "still have the version. Once the newer version was ready, --accept-loss is required. purser history lists the revisions.",
  ].join("\n"),
  arguments: [{ ...installationArgument, unless: "plan" }],
  options: [
    { flags: "--to REVISION", summary: "number of the revision (default: the previous one)" },
    { flags: "--accept-loss", summary: "roll back although some changes cannot be undone" },
    planOption,
    { flags: "--dry-run", summary: "show the rollback, write nothing" },
    { flags: "--full", summary: "show the fields of all objects" },
    {
      ...bundlesOption,
      summary: "directory of bundles that a large InstallPlan refers to, to use instead of pulling images",
    },
  ],
  examples: [
    ["purser rollback ext/argocd --dry-run", "what a rollback to the previous revision changes and loses"],
    ["purser rollback data/etcd --to 3 --accept-loss --yes", "to one revision"],
  ],
  run: rollback,
};

async function rollback(given: Invocation): Promise<Outcome> {
  const { invocation, reviewed } = await withReviewed(given, "rollback");
  const opened = await openWorld(invocation);
  if (!opened.ok) return opened.problem;
  const { world, client } = opened.value;
  try {
    invariant(client !== undefined, "rollback works on a cluster");
    const { subscriptions, clusterServiceVersions: csvs, installPlans, clusterExtensions: extensions } = world.snapshot;
    const [name = ""] = invocation.arguments;
    const all = installationsOf({ subscriptions, csvs, installPlans, extensions });
    const found = findInstallation(name, all, textOption(invocation, "namespace"));
    if (found.kind === "missing") return noInstallation(name, found.near);
    // Awaited here: the connection must not close before the work is done.
    return await rollBack(invocation, opened.value, client, found.installation, reviewed);
  } finally {
    await opened.value.close();
  }
}

async function rollBack(
  invocation: Invocation,
  opened: OpenedWorld,
  client: KubeClient,
  installation: Installation,
  reviewed: Reviewed | undefined,
): Promise<Outcome> {
  const { terminal } = invocation;
  const { reference } = installation;
  const history = await readHistory(client, installation);
  if (history === undefined) throw withoutHistory(reference);
  const { from, to } = revisionsOf(history, textOption(invocation, "to"), reference);
  const plan = await plannedRollback(invocation, opened, client, installation, history, from, to);
  if ("code" in plan) return { explanation: plan };
  const possible =
    history.api === "v1"
      ? rollBackExtension(opened, installation, to, plan)
      : await rollBackSubscription(opened, installation, to);
  if (!possible.ok) return { explanation: possible.problem };
  const document = rollbackDocument(installation, to, plan);
  const text = linesText(terminal, rollbackLines(plan, flagOption(invocation, "full")));
  if (flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data: document, human: text };
  terminal.err(...text.split("\n"));
  const stale = staleReview("rollback", reference, reviewed, plan.changes);
  if (stale !== undefined) return stale;
  if (plan.losses.length > 0 && !flagOption(invocation, "accept-loss"))
    throw new UsageError(
      `the rollback of ${reference} cannot be undone in ${plan.losses.length === 1 ? "one point" : `${plan.losses.length} points`}`,
      `purser rollback ${reference} --to ${to.revision} --accept-loss`,
    );
  if (!(await confirm(invocation, "Roll back?"))) return notConfirmed("changed");
  return possible.value(invocation, client);
}

/** @throws UsageError when there is nothing to go back to */
function revisionsOf(
  history: History,
  wanted: string | undefined,
  reference: string,
): { readonly from: InstallationRevision; readonly to: InstallationRevision } {
  const { revisions } = history;
  const from =
    revisions.find(({ outcome }) => outcome === "installing") ?? revisions.find(({ outcome }) => outcome === "current");
  const to =
    wanted === undefined
      ? revisions.find(
          ({ outcome, bundle, revision }) =>
            (outcome === "replaced" || outcome === "current") &&
            bundle !== from?.bundle &&
            revision < (from?.revision ?? 0),
        )
      : revisionNamed(history, wanted, reference);
  if (from === undefined || to === undefined)
    throw new UsageError(`${reference} has no earlier revision to roll back to`, `purser history ${reference}`);
  if (to.bundle === from.bundle)
    throw new UsageError(`revision ${to.revision} of ${reference} is ${to.bundle} too`, `purser history ${reference}`);
  return { from, to };
}

async function plannedRollback(
  invocation: Invocation,
  { world }: OpenedWorld,
  client: KubeClient,
  installation: Installation,
  history: History,
  from: InstallationRevision,
  to: InstallationRevision,
): Promise<RollbackPlan | Explanation> {
  const bundles = await openPulledBundles(invocation, bundleDirectories(invocation), client);
  try {
    const before = await revisionBundle(history, from, client, knownBundles(bundles));
    if (!before.ok) return invalid(from.bundle, before.problem);
    const after = await revisionBundle(history, to, client, knownBundles(bundles));
    if (!after.ok) return invalid(to.bundle, after.problem);
    const changes = reviewChanges({
      installation: installation.reference,
      options: { rollback: to.revision },
      from: before.value,
      path: [after.value],
      ...(await liveObjects(client, [...before.value.objects, ...after.value.objects])),
      dependencies: [],
    });
    const { dependents } = await observeUninstall(client, installation);
    const policy = rollbackModeOf(world, installation);
    return rollbackPlan({
      installation: installation.reference,
      changes,
      wasReady: from.outcome === "current",
      dependents: [...new Set(dependents.map((one) => one.installation))],
      ...(policy === undefined ? {} : { policy }),
    });
  } finally {
    await bundles.close();
  }
}

function rollbackDocument(
  { reference }: Installation,
  to: InstallationRevision,
  { changes, losses, notes }: RollbackPlan,
): JsonObject {
  return {
    apiVersion: "purser.dev/v1alpha1",
    kind: "Rollback",
    installation: reference,
    revision: plainJson(to) as JsonObject,
    losses,
    notes,
    changes: planDocument(changes),
  };
}
