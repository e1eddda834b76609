import { clusterExtensions, subscriptions } from "../../apis/olm-resources.ts";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { plainJson } from "@purser/kubernetes/json";
import { invariant } from "@purser/kubernetes/invariant";
import type { Installation } from "../../installation/installation.ts";
import { installationsOf, isSettled } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { planSet } from "../../review/change-plan/plan-set.ts";
import { findInstallation, installationArgument, noInstallation } from "../cluster/installations.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { openWorld, type OpenedWorld } from "../decision/decision-world.ts";
import { bundlesOption } from "../settings/shared-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { shown, type Shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";
import { approveReviewed, reviewedPlan, waitingPlan } from "../review/approve-reviewed.ts";
import { planDocument, planSetText, wayText } from "../review/change-plan-outcome.ts";
import { holdsOnInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import { withPolicy, policyVerdict } from "../policy/policy-verdict.ts";
import { newerElsewhere } from "../review/newer-elsewhere.ts";
import { plannedUpgrade } from "../review/planned-upgrade.ts";
import { hopTarget, levelTarget, meantTarget, upgradeLevels } from "../review/level-target.ts";
import { packagesOfInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import { upgradeDocument, upgradeText } from "../review/upgrade-text.ts";
import { keepReviewed } from "../review/reviewed-plans.ts";
import { planOption, type Reviewed, staleReview, withReviewed } from "../review/saved-plan.ts";
import { type UpgradeOfSet, upgradeSet } from "./upgrade-all.ts";
import { waitForInstallation, waits } from "../wait-for.ts";

export const upgradeCommand: CommandSpec = {
  description: [
    "A Subscription is upgraded along its channel; every InstallPlan that is pending approval is shown before it is",
    "approved. --to sets its approval to Manual, so that it stays at that version. A ClusterExtension gets the version or the",
    "channel in its spec. -A upgrades every installation, and several names those, with one table and one question for all. --level takes the highest",
    "version on the path to the head with the same major and minor (patch) or the same major (minor).",
  ].join("\n"),
  arguments: [{ ...installationArgument, required: false, variadic: true }],
  options: [
    {
      flags: "--to VERSION",
      summary: "version to upgrade to, also 1.2, 1.2.x, a range, or latest (default: the head of the channel)",
    },
    { flags: "--hops N", summary: "go on at most N upgrades" },
    { flags: "--channel CHANNEL", summary: "follow another channel" },
    { flags: "--level LEVEL", summary: "largest step to take: patch, minor or major", choices: upgradeLevels },
    planOption,
    { flags: "--dry-run", summary: "show the upgrade, write nothing" },
    { flags: "--full", summary: "show the fields of all objects" },
    { ...bundlesOption, summary: "read bundles from directories <package>/<version>, to show their changes" },
    { flags: "--pull", summary: "read bundles from their images, to show their changes" },
  ],
  examples: [
    ["purser upgrade operators/kube-green", "to the head of its channel"],
    ["purser upgrade operators/kube-green --to 0.7.0 --yes", "to one version"],
    ["purser upgrade operators/kube-green ext/argocd", "two of them, after one question"],
    ["purser upgrade --plan reviewed.json --yes", "exactly what purser plan --save reviewed.json showed, or nothing"],
    ["purser upgrade -A --level patch --dry-run", "installations that have a patch release"],
    ["purser upgrade ext/argocd --channel stable --dry-run", "what another channel would change"],
  ],
  run: upgrade,
};

async function upgrade(given: Invocation): Promise<Outcome> {
  const { invocation, reviewed } = await withReviewed(given, "upgrade");
  const opened = await openWorld(invocation);
  if (!opened.ok) return opened.problem;
  const { client } = opened.value;
  try {
    invariant(client !== undefined, "upgrade works on a cluster");
    const all = installationsIn(opened.value);
    const [name, ...more] = invocation.arguments;
    if (reviewed !== undefined && (name === undefined || more.length > 0))
      throw new UsageError("--plan is for one installation", "purser upgrade INSTALLATION --plan ...");
    if (name === undefined) {
      if (!flagOption(invocation, "all-namespaces"))
        throw new UsageError("upgrade needs an installation", "purser upgrade INSTALLATION; or -A for all of them");
      return await upgradeAll(invocation, opened.value, client, all, false);
    }
    const found = findInstallation(name, all, textOption(invocation, "namespace"));
    if (found.kind === "missing") return noInstallation(name, found.near);
    if (more.length > 0) {
      const others = more.map((other) => ({
        other,
        ...findInstallation(other, all, textOption(invocation, "namespace")),
      }));
      for (const one of others) if (one.kind === "missing") return noInstallation(one.other, one.near);
      const named = [found, ...others].flatMap((one) => (one.kind === "found" ? [one.installation] : []));
      return await upgradeAll(invocation, opened.value, client, [...new Set(named)], true);
    }
    // Awaited here: the connection must not close before the work is done.
    const { installation } = found;
    const farthest = farthestTarget(invocation, opened.value, installation);
    if (farthest === "none") return noSuchUpgrade(invocation, installation);
    return await upgradeInstallation(withTarget(invocation, farthest.to), opened.value, client, installation, reviewed);
  } finally {
    await opened.value.close();
  }
}

function installationsIn({ world }: OpenedWorld): readonly Installation[] {
  const { subscriptions: subs, clusterServiceVersions: csvs, installPlans, clusterExtensions } = world.snapshot;
  return installationsOf({ subscriptions: subs, csvs, installPlans, extensions: clusterExtensions });
}

/** What `purser upgrade --dry-run` shows, on a cluster or without one; undefined when there is no such installation. */
export async function planUpgrade(invocation: Invocation): Promise<Outcome | undefined> {
  const opened = await openWorld(invocation);
  if (!opened.ok) return opened.problem;
  try {
    const [name = ""] = invocation.arguments;
    const found = findInstallation(name, installationsIn(opened.value), textOption(invocation, "namespace"));
    if (found.kind === "missing") return undefined;
    const farthest = farthestTarget(invocation, opened.value, found.installation);
    if (farthest === "none") return noSuchUpgrade(invocation, found.installation);
    const { options } = withTarget(invocation, farthest.to);
    const dryRun = { ...invocation, options: { ...options, "dry-run": true } };
    return await upgradeInstallation(dryRun, opened.value, opened.value.client, found.installation, undefined);
  } finally {
    await opened.value.close();
  }
}

/** The version that `--to`, `--level` or `--hops` asks for; `none` when the way has no such version. */
function farthestTarget(
  invocation: Invocation,
  { world }: OpenedWorld,
  installation: Installation,
): { readonly to: string | undefined } | "none" {
  const level = upgradeLevels.find((one) => one === textOption(invocation, "level"));
  const [given, hops] = [textOption(invocation, "to"), textOption(invocation, "hops")];
  const asked = ["level", "to", "hops"].filter((name) => invocation.options[name] !== undefined);
  if (asked.length > 1)
    throw new UsageError(`--${asked[0]} and --${asked[1]} exclude each other`, "leave one of them out");
  if (hops !== undefined && !/^[1-9]\d*$/.test(hops)) throw new UsageError(`--hops "${hops}" is not a number above 0`);
  // A ClusterExtension takes a range itself.
  const isPlain = given !== undefined && given !== "latest" && given !== "head" && installation.api === "v1";
  if (asked.length === 0 || isPlain) return { to: given };
  const channel =
    textOption(invocation, "channel") ??
    world.snapshot.subscriptions.find(
      ({ metadata }) => metadata.name === installation.name && metadata.namespace === installation.namespace,
    )?.spec.channel;
  const packages = packagesOfInstallation(world, installation);
  // Without the catalog the reason is found when the upgrade is planned.
  if (packages.length === 0 && level === undefined) return { to: given };
  const to =
    level !== undefined
      ? levelTarget(packages, installation, channel, level)
      : hops !== undefined
        ? hopTarget(packages, installation, channel, Number(hops))
        : meantTarget(packages, installation, channel, given ?? "latest");
  return to === undefined ? "none" : { to };
}

/** What is said when the way has no version that the flags ask for. */
function noSuchUpgrade({ options }: Invocation, { reference, version }: Installation): Outcome {
  const { level, to } = options;
  const what = typeof level === "string" ? `${level} upgrade` : typeof to === "string" ? `upgrade to ${to}` : "upgrade";
  const isLatest = to === "latest" || to === "head";
  return {
    exitCode: exitCodes.done,
    human: shown(
      isLatest ? `${reference} is at ${version} already; nothing to upgrade` : `${reference} has no ${what}`,
    ),
  };
}

function withTarget(invocation: Invocation, to: string | undefined): Invocation {
  return to === undefined ? invocation : { ...invocation, options: { ...invocation.options, to, hops: undefined } };
}

/** @param areNamed whether the user named them, so that each is answered for, also one that has no upgrade */
async function upgradeAll(
  invocation: Invocation,
  opened: OpenedWorld,
  client: KubeClient,
  all: readonly Installation[],
  areNamed: boolean,
): Promise<Outcome> {
  for (const flag of ["to", "channel", "hops"])
    if (textOption(invocation, flag) !== undefined)
      throw new UsageError(`--${flag} is for one installation`, `purser upgrade INSTALLATION --${flag} ...`);
  const upgrades: UpgradeOfSet[] = [];
  const others: { readonly installation: Installation; readonly why: string }[] = [];
  for (const installation of all) {
    const { reference, version, state } = installation;
    if (reference.startsWith("csv/") || version === undefined) {
      others.push({ installation, why: `it is ${state}` });
      continue;
    }
    const { waiting } = holdsOnInstallation(opened.world, installation);
    const farthest = farthestTarget(invocation, opened, installation);
    if (waiting !== undefined) others.push({ installation, why: waiting.summary });
    else if (farthest === "none" && areNamed)
      others.push({ installation, why: `it has no ${textOption(invocation, "level")} upgrade` });
    if (waiting !== undefined || farthest === "none") continue;
    const planned = await plannedUpgrade(opened, installation, { to: farthest.to, channel: undefined });
    if (!planned.ok) others.push({ installation, why: planned.problem.summary });
    else if (planned.value.target !== version) {
      const known = planned.value.changes.flatMap((change) => (change.ok ? [change.value] : []));
      const set = known.length === 0 ? undefined : planSet(known);
      upgrades.push({
        installation,
        planned: planned.value,
        document: upgradeDocument(installation, planned.value, set),
      });
    } else if (areNamed) others.push({ installation, why: `it is at ${version} already` });
  }
  return upgradeSet(invocation, { upgrades, others }, ({ installation, planned: { target } }) => {
    // The one question was for all of them.
    const { "all-namespaces": _, ...options } = invocation.options;
    const to = textOption(invocation, "level") === undefined ? {} : { to: target, level: undefined };
    return upgradeInstallation(
      { ...invocation, options: { ...options, ...to, yes: true } },
      opened,
      client,
      installation,
      undefined,
    );
  });
}

async function upgradeInstallation(
  invocation: Invocation,
  opened: OpenedWorld,
  client: KubeClient | undefined,
  installation: Installation,
  reviewed: Reviewed | undefined,
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const { reference, version } = installation;
  if (reference.startsWith("csv/") || version === undefined)
    throw new UsageError(
      `${reference} is ${installation.state}, so there is nothing to upgrade from`,
      installation.state === "Approve" ? `purser approve ${reference}` : `purser explain ${reference}`,
    );
  const { waiting } = holdsOnInstallation(opened.world, installation);
  if (waiting !== undefined) return { explanation: waiting };
  const planned = await plannedUpgrade(opened, installation, {
    to: textOption(invocation, "to"),
    channel: textOption(invocation, "channel"),
  });
  if (!planned.ok) return { explanation: planned.problem };
  const { target, path, patch, isRerouted, changes } = planned.value;
  if (target === version && patch === undefined) {
    const isAsked = textOption(invocation, "to") !== undefined || textOption(invocation, "channel") !== undefined;
    const newer = isAsked ? [] : await newerElsewhere(opened, installation);
    const rest = newer.length === 0 ? "nothing to upgrade" : "its spec allows no newer version";
    return {
      exitCode: exitCodes.done,
      data: upgradeDocument(installation, planned.value, undefined),
      human: shown(`${reference} is at ${version} already; ${rest}`, ...newer),
    };
  }
  const waitsFor = isRerouted || client === undefined ? undefined : await waitingPlan(client, installation);
  const first =
    waitsFor === undefined || client === undefined ? undefined : await reviewedPlan(invocation, client, waitsFor);
  if (first?.ok === false) return { explanation: first.problem };
  const known = changes.flatMap((change) => (change.ok ? [change.value] : []));
  const set = first?.value ?? (known.length === 0 ? undefined : planSet(known));
  const policy = policyVerdict(opened.world, installation, undefined, {
    wanted: { name: target, version: target },
    installed: { name: version, version },
  });
  const way = await planned.value.wholeWay?.();
  const data = {
    ...upgradeDocument(installation, planned.value, set),
    ...(way?.ok === true ? { wholeWay: planDocument(way.value) } : {}),
    policy: plainJson(policy),
  };
  const text = withPolicy(
    [
      upgradeText(invocation, installation, planned.value, set),
      ...wayText(terminal, way, flagOption(invocation, "full")),
    ].join("\n") as Shown,
    policy,
  );
  if (set !== undefined) await keepReviewed(terminal.env, set);
  if (flagOption(invocation, "dry-run") && reviewed === undefined)
    return { exitCode: exitCodes.done, data, human: text };
  const stale = staleReview("upgrade", reference, reviewed, set);
  if (stale === undefined && flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data, human: text };
  terminal.err(...text.split("\n"));
  if (stale !== undefined) return stale;
  invariant(client !== undefined, "upgrade works on a cluster");
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("changed");
  if (patch !== undefined) {
    const { namespace, name } = installation;
    const type: ResourceType = installation.api === "v1" ? clusterExtensions : subscriptions;
    const key = namespace === undefined ? { name } : { namespace, name };
    const result = await client.write({ verb: "patch", type, key, patchType: "merge", patch }, signal);
    if (!result.ok) return refusedWrite(`upgrade ${reference}`, result.problem, reference);
  }
  if (waitsFor !== undefined && first?.ok === true) {
    const approved = await approveReviewed(invocation, client, installation, waitsFor, first.value);
    if (approved.exitCode !== exitCodes.done) return approved;
  }
  if (!waits(invocation))
    return {
      exitCode: exitCodes.done,
      data,
      human: shown(`${reference} is being upgraded; purser status ${reference}`),
    };
  // Of a plan only the first upgrade was reviewed.
  return followed(invocation, client, reference, { target, mostHops: path.length, onlyFirst: reviewed !== undefined });
}

/** Waits for the target; every InstallPlan that waits on the way is shown and approved. */
async function followed(
  invocation: Invocation,
  client: KubeClient,
  reference: string,
  { target, mostHops, onlyFirst }: { readonly target: string; readonly mostHops: number; readonly onlyFirst: boolean },
): Promise<Outcome> {
  const { terminal } = invocation;
  for (let hop = 0; ; hop++) {
    const waited = await waitForInstallation(invocation, client, reference, "ready", { version: target });
    if (waited.kind === "deleted")
      return { exitCode: exitCodes.failed, human: shown(`${reference} was deleted meanwhile`) };
    if (waited.kind === "timeout") {
      terminal.err(
        `${terminal.symbol("attention")} ${reference} is not at ${target} yet; the upgrade continues in the cluster. purser status ${reference}`,
      );
      return { exitCode: exitCodes.timeout };
    }
    const { installation } = waited;
    const data = plainJson(installation);
    // A newer version that waits for approval is not asked for.
    if (installation.version === target && installation.state === "Approve")
      return {
        exitCode: exitCodes.done,
        data,
        human: shown(
          `${terminal.paint("good", terminal.symbol("ok"))} ${reference} is at ${target}; ${installation.target ?? "a newer version"} waits: purser approve ${reference} --dry-run`,
        ),
      };
    if (isSettled(installation))
      return {
        exitCode: exitCodes.done,
        data,
        human: shown(
          `${terminal.paint("good", terminal.symbol("ok"))} ${installation.packageName} ${target} is ready as ${reference}`,
        ),
      };
    const plan = await waitingPlan(client, installation);
    if (installation.state !== "Approve" || plan === undefined || hop >= mostHops) {
      terminal.err(
        `${terminal.paint("bad", terminal.symbol("failed"))} ${reference} is ${installation.state}: ${installation.why}`,
      );
      terminal.err(`  do    purser explain ${reference}`);
      return { exitCode: exitCodes.failed, data };
    }
    if (onlyFirst)
      return {
        exitCode: exitCodes.done,
        data,
        human: shown(
          `${terminal.paint("good", terminal.symbol("ok"))} ${reference} is at ${installation.version ?? "no version"}, as planned; ${installation.why}: purser plan ${reference}`,
        ),
      };
    const set = await reviewedPlan(invocation, client, plan);
    if (!set.ok) return { explanation: set.problem };
    terminal.err(...planSetText(terminal, set.value, flagOption(invocation, "full")).split("\n"));
    if (!(await confirm(invocation, "Approve it?")))
      return {
        exitCode: exitCodes.waiting,
        data,
        human: shown(`${terminal.symbol("waiting")} ${installation.why}. purser approve ${reference}`),
      };
    const approved = await approveReviewed(invocation, client, installation, plan, set.value);
    if (approved.exitCode !== exitCodes.done) return approved;
  }
}
