import type { Shown } from "../output/shown.ts";
import { existsSync } from "node:fs";
import type { ChosenBundle, Decision } from "../../engine/snapshot/snapshot-decision.ts";
import {
  decideExtension,
  decideNamespace,
  whyInExtension,
  whyInNamespace,
} from "../../engine/snapshot/snapshot-decision.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { shellWord } from "../../explanation/summary.ts";
import { explanationLines } from "../../explanation/tree.ts";
import type { Installation } from "../../installation/installation.ts";
import { installationsOf } from "../../installation/installation.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import { plainJson } from "@purser/kubernetes/json";
import { explainBlocked } from "../../installation/blocked-operator.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { Standing } from "../../resolver/standing.ts";
import type { WhyBundle } from "../../resolver/why-bundle.ts";
import type { Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { planDocument, planSetDocument } from "../review/change-plan-outcome.ts";
import { type DecidedChange, decidedChanges } from "../review/decided-changes.ts";
import { laterChanges, laterUpgrades } from "../review/later-upgrades.ts";
import { waitingChanges } from "../review/waiting-changes.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { type PolicyVerdict, policyVerdict } from "../policy/policy-verdict.ts";
import { holdsOnInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import { type Candidate, type Candidates, candidatesOf } from "./candidates.ts";
import { standingIn } from "./decision-standing.ts";
import type { NoSubject, Subject } from "./decision-subject.ts";
import { findSubject } from "./decision-subject.ts";
import { explanationOnSame, remediesOnSame } from "./given-flags.ts";
import type { OpenedWorld } from "./decision-world.ts";
import { openWorld } from "./decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import type { MissingNamespace } from "../cluster/missing-namespace.ts";
import { missingNamespaceOf } from "../cluster/missing-namespace.ts";
import type { SickWorkload } from "../cluster/workloads.ts";
import { sickWorkloadsOf } from "../cluster/workloads.ts";

interface Timings {
  readonly indexMs: number;
  readonly openMs: number;
  readonly variablesMs: number;
  readonly solveMs: number;
}

/** The current state of the installation that a decision is about. */
export interface Now {
  /** Absent for a package that is not installed, and for a whole namespace. */
  readonly installation: Installation | undefined;
  readonly standing: Standing | undefined;
  /** Its Deployments that are not available; empty without a live cluster. */
  readonly sick: readonly SickWorkload[];
  readonly missingNamespace: MissingNamespace | undefined;
  /** Why an update policy keeps it from being upgraded; undefined when none does. */
  readonly held: Explanation | undefined;
  /** Why the operator of a Subscription does not run although its version was chosen; undefined when nothing is known to block it. */
  readonly blocked: Explanation | undefined;
  /** What update policies say of the installation; undefined for what is not installed. */
  readonly policy: PolicyVerdict | undefined;
  /** What the chosen bundles change; empty where that is not asked for. */
  readonly changes: readonly DecidedChange[];
  /** What approving the InstallPlan changes that it waits for; undefined when nothing waits, and where it is not asked for. */
  readonly waiting: Awaited<ReturnType<typeof waitingChanges>>;
  /** The upgrades after the decided one; undefined when there are none, and where it is not asked for. */
  readonly later: { readonly versions: readonly string[]; readonly changes: DecidedChange | undefined } | undefined;
  /** With `--candidates`: all bundles that it could get. */
  readonly candidates: Candidates | undefined;
}

/** Formats a decision as text. */
export type Say = (reference: string, decision: Decision, why: WhyBundle | undefined, now: Now) => Shown;

/**
 * Decides what the arguments name and returns one document; see docs/plan-output.md. A refusal is a document too: exit
 * code 1, and 6 when the name is unknown.
 */
export async function decide(invocation: Invocation, say: Say, review?: "changes"): Promise<Outcome> {
  refuseFileName(invocation);
  const world = await openWorld(invocation);
  if (!world.ok) return world.problem;
  const opened = world.value;
  try {
    const subject = findSubject(invocation, opened.world, opened.onFiles);
    return subject.ok
      ? await decided(invocation, opened, subject.value, say, review)
      : unknown(invocation, opened, subject.problem);
  } finally {
    await opened.close();
  }
}

/** Refuses a file name in place of an installation before any request is sent to a cluster. @throws UsageError */
function refuseFileName(invocation: Invocation): void {
  const [name = ""] = invocation.arguments;
  if (!/\.(?:json|ya?ml)$/.test(name) || !existsSync(name)) return;
  throw new UsageError(
    `"${name}" is a file, and the name of an installation or a package belongs here`,
    `-n NAMESPACE --snapshot ${shellWord(name)} decides on the objects of the file`,
  );
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

const timingsOf = (
  { indexMs, openMs }: OpenedWorld,
  { variablesMs, solveMs }: Pick<Timings, "variablesMs" | "solveMs">,
): Timings => ({
  indexMs: rounded(indexMs),
  openMs: rounded(openMs),
  variablesMs: rounded(variablesMs),
  solveMs: rounded(solveMs),
});

function unknown(invocation: Invocation, opened: OpenedWorld, { isMissing, reference, ...found }: NoSubject): Outcome {
  const explanation = explanationOnSame(found.explanation, invocation);
  invocation.terminal.err(...explanationLines(explanation));
  return {
    exitCode: isMissing ? exitCodes.notFound : exitCodes.failed,
    data: documentOf(
      { subject: { kind: "Unknown", name: reference } },
      {
        outcome: "error",
        explanation: plainJson(explanation),
        timings: plainJson(timingsOf(opened, { variablesMs: 0, solveMs: 0 })),
      },
    ),
  };
}

async function decided(
  invocation: Invocation,
  opened: OpenedWorld,
  subject: Subject,
  say: Say,
  review: "changes" | undefined,
): Promise<Outcome> {
  const { world, reference } = subject;
  const { kubeVersion, reservedGroups, replacedOperators, plansPer, bundles } = opened;
  const options = {
    clock: systemClock,
    kubeVersion,
    reservedGroups,
    replacedOperators,
    plansPer,
    ...(bundles === undefined ? {} : { bundles }),
  };
  const made =
    subject.kind === "namespace"
      ? await decideNamespace(world, subject.namespace, options)
      : decideExtension(world, subject.extension, options);
  const decision =
    made.explanation === undefined ? made : { ...made, explanation: explanationOnSame(made.explanation, invocation) };
  const bundle = textOption(invocation, "why");
  const why = bundle === undefined ? undefined : whyOf(subject, bundle);
  const now = installationOf(subject);
  const candidates = flagOption(invocation, "candidates")
    ? candidatesOf(subject, now, (name) => whyOf(subject, name))
    : undefined;
  const standing = now === undefined ? undefined : onSubject(invocation, subject, standingIn(world, now, decision));
  const sick =
    now === undefined || subject.assumed || opened.client === undefined
      ? []
      : await sickWorkloadsOf(opened.client, now);
  const missingNamespace =
    subject.kind === "namespace" || subject.assumed || opened.client === undefined
      ? undefined
      : await missingNamespaceOf(opened.client, subject.extension);
  const held = now === undefined ? undefined : holdsOnInstallation(world, now).waiting;
  const blocked = now === undefined ? undefined : blockedIn(world.snapshot, now);
  const policy = now === undefined || subject.assumed ? undefined : policyVerdict(world, now, held?.summary);
  const changes = review === undefined ? [] : await decidedChanges(opened, subject, decision);
  const waiting = review === undefined ? undefined : await waitingChanges(invocation, opened, now);
  const following = review === undefined || now === undefined ? undefined : laterUpgrades(subject, decision);
  const isFull = flagOption(invocation, "full");
  const later = following && {
    versions: following.versions,
    // Each of them is read, perhaps from its image.
    changes: isFull ? await laterChanges(opened, subject, following) : undefined,
  };
  for (const { code, summary } of decision.warnings)
    invocation.terminal.err(`${invocation.terminal.symbol("attention")} ${summary}  ${code}`);
  return {
    exitCode:
      decision.outcome === "resolved" && (blocked === undefined || review !== undefined)
        ? exitCodes.done
        : exitCodes.failed,
    data: documentOf(
      { subject: subjectData(subject) },
      {
        outcome: decision.outcome,
        chosen: plainJson(decision.chosen),
        updated: plainJson(decision.updated),
        steps: plainJson(decision.steps),
        lookups: plainJson(decision.lookups),
        installPlan: plainJson(decision.installPlans[0] ?? null),
        installPlans: plainJson(decision.installPlans),
        explanation: plainJson(decision.explanation ?? null),
        upstream: decision.upstream ?? null,
        warnings: plainJson(decision.warnings),
        ...(standing === undefined ? {} : { standing: plainJson(standing) }),
        ...(missingNamespace === undefined ? {} : { missingNamespace: plainJson(missingNamespace) }),
        ...(held === undefined ? {} : { held: plainJson(held) }),
        ...(policy === undefined ? {} : { policy: plainJson(policy) }),
        ...(blocked === undefined ? {} : { blocked: plainJson(blocked) }),
        ...(decision.outcome !== "error" || now === undefined ? {} : { shown: { state: now.state, why: now.why } }),
        ...(now?.stuck === undefined ? {} : { stuck: plainJson(now.stuck) }),
        ...(sick.length === 0 ? {} : { workloads: plainJson(sick) }),
        ...(bundle === undefined || why === undefined ? {} : { why: { bundle, ...why } as unknown as JsonValue }),
        ...(candidates === undefined ? {} : { candidates: candidates.shown.map(candidateData) }),
        ...(review === undefined || bundles === undefined ? {} : { changes: changes.map(changeData) }),
        ...(waiting === undefined
          ? {}
          : { waiting: waiting.ok ? planSetDocument(waiting.value) : { explanation: plainJson(waiting.problem) } }),
        ...(later === undefined ? {} : { later: { versions: later.versions } }),
        ...(later?.changes === undefined ? {} : { wholeWay: changeData(later.changes) }),
        timings: plainJson(timingsOf(opened, decision)),
      },
    ),
    human: say(reference, decision, why, {
      installation: now,
      standing,
      sick,
      missingNamespace,
      held,
      blocked,
      policy,
      changes,
      waiting,
      later,
      candidates,
    }),
  };
}

const candidateData = ({ why, ...bundle }: Candidate): JsonValue => plainJson({ ...bundle, ...why });

function changeData(change: DecidedChange): JsonValue {
  return change.ok ? planDocument(change.value) : { explanation: plainJson(change.problem) };
}

/** The commands read what the invocation read; of what is assumed to be installed, they name what was assumed. */
function onSubject(
  invocation: Invocation,
  { installedAs }: Subject,
  standing: Standing | undefined,
): Standing | undefined {
  if (standing === undefined) return undefined;
  const from = textOption(invocation, "from");
  if (installedAs === undefined || from === undefined)
    return { ...standing, remedies: remediesOnSame(standing.remedies, invocation) };
  const [name = ""] = invocation.arguments;
  const assumed = `purser explain ${shellWord(name)} --from ${shellWord(from)}`;
  const remedies = standing.remedies.map((remedy) =>
    remedy.command === undefined
      ? remedy
      : { ...remedy, command: remedy.command.replace(`purser explain ${installedAs}`, () => assumed) },
  );
  return { ...standing, remedies: remediesOnSame(remedies, invocation) };
}

function installationOf({ world, reference, installedAs = reference }: Subject): Installation | undefined {
  const { subscriptions, clusterServiceVersions, installPlans, clusterExtensions } = world.snapshot;
  return installationsOf({
    subscriptions,
    csvs: clusterServiceVersions,
    installPlans,
    extensions: clusterExtensions,
  }).find((installation) => installation.reference === installedAs);
}

function blockedIn(
  { subscriptions, clusterServiceVersions, installPlans, operatorGroups }: DecisionWorld["snapshot"],
  { api, reference, packageName, namespace, name }: Installation,
): Explanation | undefined {
  const own = subscriptions.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  if (api !== "v0" || own === undefined) return undefined;
  const { currentCSV, installedCSV, installPlanRef } = own.status ?? {};
  const inNamespace = ({ metadata }: { readonly metadata: { readonly namespace?: string } }): boolean =>
    metadata.namespace === namespace;
  const csvs = clusterServiceVersions.filter(inNamespace);
  const csvOf = (wanted: string | undefined) => csvs.find(({ metadata }) => metadata.name === wanted);
  return explainBlocked({
    reference,
    packageName,
    csv: csvOf(currentCSV) ?? csvOf(installedCSV),
    plan: installPlans.find((plan) => inNamespace(plan) && plan.metadata.name === installPlanRef?.name),
    groups: operatorGroups.filter(inNamespace),
  });
}

function whyOf(subject: Subject, bundle: string): WhyBundle {
  return subject.kind === "namespace"
    ? whyInNamespace(subject.world, subject.namespace, bundle)
    : whyInExtension(subject.world, subject.extension, bundle);
}

function subjectData(subject: Subject): JsonValue {
  const { reference, assumed } = subject;
  if (subject.kind === "extension")
    return { kind: "ClusterExtension", name: subject.extension.metadata.name ?? "", reference, assumed };
  return { kind: "Namespace", name: subject.namespace, reference, assumed };
}

/** Every member is always present, in this order. */
const empty = {
  outcome: "error",
  chosen: [],
  updated: [],
  steps: [],
  lookups: [],
  installPlan: null,
  installPlans: [],
  explanation: null,
  upstream: null,
  warnings: [],
} as const;

function documentOf(head: { readonly subject: JsonValue }, members: Readonly<Record<string, JsonValue>>): JsonValue {
  return { apiVersion: "purser.dev/v1alpha1", kind: "Decision", ...head, ...empty, ...members };
}

/** One line on a chosen bundle. */
export function bundleLine({ name, catalog, channel, replaces, subscriptions, upToDate }: ChosenBundle): string {
  const change = upToDate ? [] : replaces === undefined ? [] : [`replaces ${replaces}`];
  if (catalog.namespace === undefined)
    return [`${name} from catalog ${catalog.name}`, ...(upToDate ? ["which is installed"] : change)].join(", ");
  return [
    `${name} from ${catalog.namespace}/${catalog.name}`,
    `channel ${channel}`,
    subscriptions.length === 0 ? "a dependency" : `for Subscription ${subscriptions.join(", ")}`,
    ...(upToDate ? ["in place"] : change),
  ].join(", ");
}

/** The answer to `--why` as text. */
export function whyLines(why: WhyBundle | undefined): readonly string[] {
  if (why === undefined) return [];
  switch (why.kind) {
    case "chosen":
    case "notAsked":
      return [why.text];
    case "lessPreferred":
      return [`possible, but ${why.text}`];
    case "excluded":
    case "undecided":
      return explanationLines(why.explanation);
  }
}
