import { type JsonObject, plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterExtensions } from "../../apis/olm-resources.ts";
import { wantedByAnnotation } from "../../apis/v1/labels.ts";
import { observeUninstall } from "../../engine/review/observe-uninstall.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { counted, listOf, shellWord, summaryOf } from "../../explanation/summary.ts";
import type { Installation } from "../../installation/installation.ts";
import {
  changedSince,
  type UninstallMode,
  uninstallModes,
  type UninstallPlan,
  uninstallPlan,
} from "../../review/uninstall-plan/uninstall-plan.ts";
import { uninstallLines } from "../../review/uninstall-plan/uninstall-text.ts";
import {
  findInstallation,
  installationArgument,
  noInstallation,
  readInstallations,
  withInstallations,
} from "../cluster/installations.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { type Failure, failure } from "../failure.ts";
import { parseDuration } from "../output/duration.ts";
import { selectorOption } from "../output/listing.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";
import { linesText } from "../review/change-plan-outcome.ts";
import { type RemovalProblem, removeInstallation, type Rest } from "../review/remove-installation.ts";
import { planOption, withReviewed } from "../review/saved-plan.ts";
import { statedByBundles } from "../review/stated-by-bundles.ts";
import { namesDigest } from "../../review/change-plan/plan-set.ts";
import { waits } from "../wait-for.ts";
import { askedExtensions, type PlannedRemoval, uninstallSet } from "./uninstall-all.ts";

export const uninstallCommand: CommandSpec = {
  description: [
    "keep-data removes the operator and keeps its CustomResourceDefinitions and custom resources.",
    "unused also removes CustomResourceDefinitions that have no custom resources.",
    "everything deletes the custom resources first, while the operator still runs, then the operator and its",
    "CustomResourceDefinitions. When custom resources are deleted, the name of the installation has to be typed or given",
    "with --confirm. A CustomResourceDefinition that another operator provides is never removed.",
  ].join("\n"),
  arguments: [{ ...installationArgument, required: false }],
  options: [
    { flags: "--mode MODE", summary: "what to remove (default keep-data)", choices: [...uninstallModes] },
    { flags: "--with-dependencies", summary: "also remove dependencies that nothing else requires" },
    { flags: "--confirm NAME", summary: "name of the installation, required by --mode everything without a terminal" },
    {
      flags: "--all-extensions",
      summary: "v1: every ClusterExtension instead of one installation; deletes no custom resources",
    },
    { ...selectorOption, summary: "with --all-extensions: only those with these labels" },
    planOption,
    { flags: "--dry-run", summary: "show what would be removed, write nothing" },
  ],
  examples: [
    ["purser uninstall operators/kube-green --yes", "the Subscription and its operator; data stays"],
    ["purser uninstall ext/kube-green --mode unused --dry-run", "what is removed and what is kept"],
    ["purser uninstall ext/kube-green --mode everything --confirm kube-green --yes", "the operator with all its data"],
    ["purser uninstall --all-extensions -l team=a --dry-run", "what removing several ClusterExtensions removes"],
  ],
  async run(given) {
    const { invocation, reviewed } = await withReviewed(given, "uninstall");
    return withInstallations(invocation, async (client, all) => {
      const extensions = askedExtensions(invocation, all);
      if (extensions !== undefined) return uninstallExtensions(invocation, client, extensions);
      const [name = ""] = invocation.arguments;
      const found = findInstallation(name, all, textOption(invocation, "namespace"));
      if (found.kind === "missing") return noInstallation(name, found.near);
      return uninstall(invocation, client, found.installation, reviewed?.digest);
    });
  },
};

const modeOf = (invocation: Invocation): UninstallMode =>
  (textOption(invocation, "mode") ?? "keep-data") as UninstallMode;

async function uninstallExtensions(
  invocation: Invocation,
  client: KubeClient,
  extensions: readonly Installation[],
): Promise<Outcome> {
  const mode = modeOf(invocation);
  const removals: PlannedRemoval[] = [];
  for (const installation of extensions) {
    const { metadata } = (await client.get(clusterExtensions, { name: installation.name })) ?? {};
    const wantedBy = metadata?.annotations?.[wantedByAnnotation];
    removals.push({ installation, wantedBy, plan: uninstallPlan(await observeUninstall(client, installation), mode) });
  }
  return uninstallSet(invocation, removals, ({ installation, plan }) =>
    carryOut(invocation, client, installation, plan),
  );
}

async function uninstall(
  invocation: Invocation,
  client: KubeClient,
  installation: Installation,
  seen: string | undefined,
): Promise<Outcome> {
  const { terminal } = invocation;
  const mode = modeOf(invocation);
  const stated = statedByBundles(invocation);
  const plan = uninstallPlan(await observeUninstall(client, installation, stated), mode);
  const text = linesText(terminal, uninstallLines(plan));
  if (flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data: documentOf(plan), human: text };
  if (seen !== undefined && !namesDigest(seen, plan.digest)) {
    terminal.err(...text.split("\n"));
    return { explanation: stalePlan(installation, seen, plan, []) };
  }
  if (mode === "everything" && plan.uncounted.length > 0) return { explanation: notCounted(plan) };
  terminal.err(...text.split("\n"));
  if (!(await agreed(invocation, installation, plan))) return notConfirmed("removed");
  return carryOut(invocation, client, installation, plan, stated);
}

const documentOf = (plan: UninstallPlan): JsonObject => ({
  apiVersion: "purser.dev/v1alpha1",
  kind: "UninstallPlan",
  ...(plainJson(plan) as JsonObject),
});

/** Removes what was shown and agreed to; nothing when that changed meanwhile, after it was shown again. */
async function carryOut(
  invocation: Invocation,
  client: KubeClient,
  installation: Installation,
  plan: UninstallPlan,
  stated?: ReturnType<typeof statedByBundles>,
): Promise<Outcome> {
  const { terminal } = invocation;
  const now = uninstallPlan(await observeUninstall(client, installation, stated), plan.mode);
  const changed = changedSince(plan, now);
  if (changed.length > 0) {
    terminal.err(...linesText(terminal, uninstallLines(now)).split("\n"));
    return { explanation: stalePlan(installation, plan.digest, now, changed) };
  }
  const removed = await removeOne(invocation, client, installation, plan);
  if (removed !== undefined) return removed;
  const others = await removeUnneeded(invocation, client, plan);
  if (!("removed" in others)) return others;
  const names = [installation.reference, ...others.removed];
  return {
    exitCode: exitCodes.done,
    data: { ...documentOf(plan), removed: names },
    human: shown(
      `${terminal.symbol("ok")} ${listOf(names, names.length)} ${names.length === 1 ? "is" : "are"} removed`,
    ),
  };
}

/** Why nothing is removed: what would be removed is not what was shown. */
function stalePlan(
  { reference }: Installation,
  seen: string,
  { mode, digest }: UninstallPlan,
  changed: readonly string[],
): Failure {
  const what = changed.length === 0 ? "" : `; changed: ${listOf(changed, 4)}`;
  return failure(
    "Conflict",
    `Nothing was removed: the plan changed from ${seen} to ${digest}${what}`,
    [
      [`purser uninstall ${shellWord(reference)} --mode ${mode} --dry-run`, "see the current plan"],
      [
        `purser uninstall ${shellWord(reference)} --mode ${mode} --plan ${digest}`,
        "remove what the current plan shows",
        mode === "everything" ? "data" : "objects",
      ],
    ],
    { seen, digest, changed },
  );
}

/** Asks; where custom resources are deleted the name has to be typed. @throws UsageError without a terminal and the flags for it */
async function agreed(
  invocation: Invocation,
  { reference, name }: Installation,
  plan: UninstallPlan,
): Promise<boolean> {
  const { terminal } = invocation;
  if (plan.deletedInstances === 0) return confirm(invocation, "Continue?");
  const given = textOption(invocation, "confirm");
  if (given === name || given === reference) return true;
  const what = `this deletes ${counted(plan.deletedInstances, "custom resource")}`;
  if (given !== undefined || flagOption(invocation, "yes") || !terminal.isInteractive)
    throw new UsageError(
      given === undefined ? what : `${what}, and --confirm "${given}" is not the name of the installation`,
      `add --confirm ${shellWord(name)}`,
    );
  const answer = await terminal.ask(`${what}; type "${name}" to continue: `);
  invocation.signal.throwIfAborted();
  return answer?.trim() === name;
}

/** Undefined when the installation was removed. */
async function removeOne(
  invocation: Invocation,
  client: KubeClient,
  installation: Installation,
  plan: UninstallPlan,
): Promise<Outcome | undefined> {
  const { signal } = invocation;
  const deadline = systemClock.monotonic() + parseDuration(textOption(invocation, "timeout") ?? "10m", "--timeout");
  const removed = await removeInstallation({ client, signal, deadline, waits: waits(invocation) }, installation, plan);
  return removed.ok ? undefined : notRemoved(invocation, installation, plan.mode, removed.problem);
}

function notRemoved(
  { terminal }: Invocation,
  { reference }: Installation,
  mode: UninstallMode,
  problem: RemovalProblem,
): Outcome {
  switch (problem.kind) {
    case "refused":
      return refusedWrite(problem.what, problem.refusal, reference);
    case "created": {
      const what = counted(problem.count, "custom resource");
      const were = problem.count === 1 ? "was" : "were";
      return {
        explanation: failure("Conflict", `${what} of ${problem.crd} ${were} created meanwhile; nothing was removed`, [
          [`purser uninstall ${reference} --mode everything`, "delete them too", "data"],
        ]),
      };
    }
    case "timeout":
      terminal.err(
        `${terminal.symbol("attention")} ${reference} is not removed yet: ${problem.left} still exists`,
        `  do    ${continuation(problem.rest, mode)}      continues`,
      );
      return { exitCode: exitCodes.timeout };
  }
}

/** The command that removes the rest in the same mode. */
function continuation(rest: Rest, mode: UninstallMode): string {
  switch (rest.kind) {
    case "installation":
      return `purser uninstall ${shellWord(rest.reference)} --mode ${mode}`;
    case "crds":
      return `kubectl delete customresourcedefinition ${rest.names.map(shellWord).join(" ")}`;
  }
}

/** Removes what was installed for it when that is asked for, or agreed to; else names it. */
async function removeUnneeded(
  invocation: Invocation,
  client: KubeClient,
  { unneeded, mode }: UninstallPlan,
): Promise<Outcome | { readonly removed: readonly string[] }> {
  const { terminal } = invocation;
  if (unneeded.length === 0) return { removed: [] };
  const names = unneeded.map(({ installation }) => installation);
  const asks = terminal.isInteractive && !flagOption(invocation, "yes");
  const wanted =
    flagOption(invocation, "with-dependencies") ||
    (asks && (await confirm(invocation, `Remove ${listOf(names, names.length)} too?`)));
  if (!wanted) {
    for (const name of names) terminal.err(`${name} is no longer required: purser uninstall ${name}`);
    return { removed: [] };
  }
  const all = await readInstallations(client, undefined);
  // Custom resources of a dependency are never deleted along: that takes its own name.
  const theirs: UninstallMode = mode === "everything" ? "unused" : mode;
  for (const name of names) {
    const one = all.find(({ reference }) => reference === name);
    if (one === undefined) continue;
    const plan = uninstallPlan(await observeUninstall(client, one), theirs);
    const failed = await removeOne(invocation, client, one, plan);
    if (failed !== undefined) return failed;
  }
  return { removed: names };
}

function notCounted({ installation, uncounted }: UninstallPlan): Explanation {
  return {
    code: "PermissionDenied",
    summary: summaryOf(
      `You may not list the custom resources of ${listOf(uncounted)}, so Purser cannot show what would be deleted`,
    ),
    facts: { installation, crds: uncounted },
    derivation: uncounted.map((crd) => ({ relation: "fact", subject: crd, text: `listing ${crd} is forbidden` })),
    remedies: [
      {
        summary: "remove the operator and keep its data",
        command: `purser uninstall ${installation} --mode keep-data`,
        deletes: "objects",
      },
      {
        summary: "uninstall as a user who may list custom resources; the role to ask for",
        command: `purser permissions ask list ${shellWord(uncounted[0] ?? "")}`,
      },
    ],
  };
}
