import { findCondition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { planPolicyStatuses } from "../../controllers/policy/plan/policy-statuses.ts";
import { readSnapshotFile, type Snapshot } from "../../engine/snapshot/snapshot-file.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import { type Installation, installationsOf } from "../../installation/installation.ts";
import type { Policies } from "../../policy/effective-policy.ts";
import { policyReference } from "../../policy/effective-policy.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, UsageError } from "../command.ts";
import { openWorld, type OpenedWorld } from "../decision/decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import { type ListColumn, listingOptions, printListing } from "../output/listing.ts";
import { holdsOnInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import { approvalFor } from "../../policy/approval.ts";
import type { UpgradeContents } from "../../policy/upgrade-contents.ts";
import { askedNewer, contentsOptions, installedBundle, judgedWorld, newestAllowed } from "./judged-contents.ts";
import { policySubjectOf } from "./policy-subject.ts";

export const policyCheckCommand: CommandSpec = {
  description: [
    "Compares, for each installation, the newest version that policies allow now and with the policies of the file. A policy of the",
    "same name is replaced. permissionIncrease and crdChange are evaluated where bundles can be read: those of a cluster on this",
    "machine, or with --bundles and --pull. Exit code 10 when a policy cannot decide.",
  ].join("\n"),
  arguments: [
    {
      name: "file",
      summary: "file of UpdatePolicies and ClusterUpdatePolicies as YAML or JSON; - for stdin",
      required: true,
    },
  ],
  options: [
    ...listingOptions,
    ...contentsOptions,
    { flags: "--all", summary: "also list installations without a change" },
    { flags: "--exit-code", summary: "exit code 3 when there are changes" },
  ],
  examples: [
    ["purser policy check prod.yaml", "installations whose allowed version changes"],
    ["purser policy check prod.yaml --exit-code -o json", "in a pipeline"],
  ],
  async run(invocation) {
    const [file = ""] = invocation.arguments;
    const read = await readSnapshotFile(file);
    if (!read.ok) throw new UsageError(read.problem);
    const { updatePolicies, clusterUpdatePolicies } = read.value.snapshot;
    if (updatePolicies.length + clusterUpdatePolicies.length === 0)
      throw new UsageError(`${file} holds no UpdatePolicy and no ClusterUpdatePolicy`, "purser policy check FILE");
    const opened = await openWorld(invocation);
    if (!opened.ok) return opened.problem;
    try {
      // Awaited here: the connection must not close before the work is done.
      return await check(invocation, opened.value, { updatePolicies, clusterUpdatePolicies });
    } finally {
      await opened.value.close();
    }
  },
};

/** What an installation may get by the policies. */
interface Standing {
  /** Newest version that is allowed; absent: none above the installed one. */
  readonly allowed?: string;
  /** Why the newest version is held back. */
  readonly why?: string;
  /** What a person has to approve of the allowed one. */
  readonly approval?: string;
}

interface CheckedInstallation {
  readonly installation: string;
  readonly version?: string;
  readonly now: Standing;
  readonly later: Standing;
  readonly changes: boolean;
}

async function check(invocation: Invocation, opened: OpenedWorld, given: Policies): Promise<Outcome> {
  const { world } = opened;
  const { snapshot } = world;
  const changed: DecisionWorld = { ...world, snapshot: { ...snapshot, ...withPolicies(snapshot, given) } };
  const { subscriptions, clusterServiceVersions: csvs, installPlans, clusterExtensions: extensions } = snapshot;
  const all = installationsOf({ subscriptions, csvs, installPlans, extensions });
  const checked: CheckedInstallation[] = [];
  const unread = new Set<string>();
  for (const one of all) {
    if (one.reference.startsWith("csv/")) continue;
    const known = new Map<string, UpgradeContents>();
    const [before, after] = [
      await judgedWorld(opened, world, one, known),
      await judgedWorld(opened, changed, one, known),
    ];
    for (const text of [before.unread, after.unread]) if (text !== undefined) unread.add(`${one.reference}: ${text}`);
    const [now, later] = [standingOf(before.world, one), standingOf(after.world, one)];
    checked.push({
      installation: one.reference,
      ...(one.version === undefined ? {} : { version: one.version }),
      now,
      later,
      changes: now.allowed !== later.allowed || now.why !== later.why || now.approval !== later.approval,
    });
  }
  const problems = problemsOf(changed, given, all);
  const changing = checked.filter(({ changes }) => changes);
  const printed = printListing(invocation, {
    kind: "PolicyCheck",
    items: flagOption(invocation, "all") ? checked : changing,
    columns,
    nameOf: ({ installation }) => installation,
    document: ({ now, later, ...one }) => ({ ...one, now: { ...now }, later: { ...later } }),
    about: { problems, ...(unread.size === 0 ? {} : { unread: [...unread] }) },
    footer: [
      ...[...unread].map((text) => `? ${text}`),
      ...problems.map((problem) => `! ${problem}`),
      `${changing.length} of ${checked.length} installations change`,
    ],
  });
  if (problems.length > 0) return { ...printed, exitCode: exitCodes.findings };
  return changing.length > 0 && flagOption(invocation, "exit-code")
    ? { ...printed, exitCode: exitCodes.changes }
    : printed;
}

const columns: readonly ListColumn<CheckedInstallation>[] = [
  { heading: "INSTALLATION", cell: ({ installation }) => installation },
  { heading: "VERSION", rank: 1, cell: ({ version }) => version },
  { heading: "NOW", cell: ({ now }) => now.allowed ?? "no upgrade" },
  { heading: "LATER", cell: ({ later }) => later.allowed ?? "no upgrade" },
  { heading: "WHY", isSentence: true, cell: ({ later }) => later.why ?? later.approval },
];

function withPolicies(snapshot: Snapshot, { updatePolicies, clusterUpdatePolicies }: Policies): Policies {
  const merged = <Policy extends KubeObject>(held: readonly Policy[], given: readonly Policy[]): readonly Policy[] => {
    const key = ({ metadata: { namespace = "", name = "" } }: Policy): string => `${namespace}/${name}`;
    const names = new Set(given.map(key));
    return [...held.filter((one) => !names.has(key(one))), ...given];
  };
  return {
    updatePolicies: merged(snapshot.updatePolicies, updatePolicies),
    clusterUpdatePolicies: merged(snapshot.clusterUpdatePolicies, clusterUpdatePolicies),
  };
}

function standingOf(world: DecisionWorld, installation: Installation): Standing {
  const { held } = holdsOnInstallation(world, installation);
  const [newest] = askedNewer(world, installation);
  const allowed = newestAllowed(world, installation);
  const why = held.find(({ bundles }) => newest !== undefined && bundles.includes(newest.name))?.reason;
  const subject = policySubjectOf(world, installation);
  const { snapshot, now = 0, upgrades } = world;
  const approval =
    allowed === undefined || subject === undefined
      ? undefined
      : approvalFor(snapshot, subject, allowed, installedBundle(world, installation), { now, upgrades });
  return {
    ...(allowed === undefined ? {} : { allowed: allowed.version }),
    ...(why === undefined ? {} : { why }),
    ...(approval === undefined ? {} : { approval }),
  };
}

/** Why policies of the file would not decide: what their condition `Deciding` would show. */
function problemsOf(
  { snapshot, now = 0 }: DecisionWorld,
  given: Policies,
  all: readonly Installation[],
): readonly string[] {
  const subjects = all.flatMap((one) => policySubjectOf({ snapshot }, one) ?? []);
  const { updatePolicies, clusterUpdatePolicies } = snapshot;
  const own = new Set([...given.updatePolicies, ...given.clusterUpdatePolicies].map(policyReference));
  return planPolicyStatuses({ updatePolicies, clusterUpdatePolicies, subjects }, now).actions.flatMap((write) => {
    if (!("object" in write)) return [];
    const policy = write.object as Policies["updatePolicies"][number];
    const deciding = findCondition(policy.status?.conditions, "Deciding");
    return deciding?.status === "False" && own.has(policyReference(policy))
      ? [`${policyReference(policy)}: ${deciding.message}`]
      : [];
  });
}
