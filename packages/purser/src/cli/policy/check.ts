import { findCondition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { planPolicyStatuses } from "../../controllers/policy/plan/policy-statuses.ts";
import { readSnapshotFile, type Snapshot } from "../../engine/snapshot/snapshot-file.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import { type Installation, installationsOf } from "../../installation/installation.ts";
import type { Policies } from "../../policy/effective-policy.ts";
import { policyReference } from "../../policy/effective-policy.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, UsageError } from "../command.ts";
import { openWorld } from "../decision/decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import { type ListColumn, listingOptions, printListing } from "../output/listing.ts";
import { newerBundles } from "./held-newer.ts";
import { holdsOnInstallation, packagesOfInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import { policySubjectOf } from "./policy-subject.ts";

export const policyCheckCommand: CommandSpec = {
  description: [
    "Compares, for each installation, the newest version that policies allow now and with the policies of the file. A policy of the",
    "same name is replaced. permissionIncrease and crdChange are not evaluated. Exit code 10 when a policy cannot decide.",
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
    const opened = await openWorld(invocation, { bundles: "none" });
    if (!opened.ok) return opened.problem;
    try {
      return check(invocation, opened.value.world, { updatePolicies, clusterUpdatePolicies });
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
}

interface CheckedInstallation {
  readonly installation: string;
  readonly version?: string;
  readonly now: Standing;
  readonly later: Standing;
  readonly changes: boolean;
}

function check(invocation: Invocation, world: DecisionWorld, given: Policies): Outcome {
  const { snapshot } = world;
  const changed: DecisionWorld = { ...world, snapshot: { ...snapshot, ...withPolicies(snapshot, given) } };
  const { subscriptions, clusterServiceVersions: csvs, installPlans, clusterExtensions: extensions } = snapshot;
  const all = installationsOf({ subscriptions, csvs, installPlans, extensions });
  const checked = all
    .filter(({ reference }) => !reference.startsWith("csv/"))
    .map((one): CheckedInstallation => {
      const [before, after] = [standingOf(world, one), standingOf(changed, one)];
      return {
        installation: one.reference,
        ...(one.version === undefined ? {} : { version: one.version }),
        now: before,
        later: after,
        changes: before.allowed !== after.allowed || before.why !== after.why,
      };
    });
  const problems = problemsOf(changed, given, all);
  const changing = checked.filter(({ changes }) => changes);
  const printed = printListing(invocation, {
    kind: "PolicyCheck",
    items: flagOption(invocation, "all") ? checked : changing,
    columns,
    nameOf: ({ installation }) => installation,
    document: ({ now, later, ...one }) => ({ ...one, now: { ...now }, later: { ...later } }),
    about: { problems },
    footer: [
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
  { heading: "WHY", isSentence: true, cell: ({ later }) => later.why },
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
  const asked = channelsOf(world, installation);
  const channels = packagesOfInstallation(world, installation)
    .flatMap((one) => one.channels)
    .filter(({ name }) => asked.length === 0 || asked.includes(name));
  const newer = newerBundles(
    channels.flatMap(({ bundles }) => bundles),
    installation.version,
  );
  const holdOf = (name: string) => held.find(({ bundles }) => bundles.includes(name));
  const allowed = newer.find(({ name }) => holdOf(name) === undefined)?.version;
  const [newest] = newer;
  const why = newest === undefined ? undefined : holdOf(newest.name)?.reason;
  return { ...(allowed === undefined ? {} : { allowed }), ...(why === undefined ? {} : { why }) };
}

/** The channels that it follows; empty means any. */
function channelsOf({ snapshot }: DecisionWorld, { api, name, namespace }: Installation): readonly string[] {
  if (api === "v1") {
    const extension = snapshot.clusterExtensions.find(({ metadata }) => metadata.name === name);
    return extension?.spec?.source.catalog?.channels ?? [];
  }
  const own = snapshot.subscriptions.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  return own?.spec.channel === undefined || own.spec.channel === "" ? [] : [own.spec.channel];
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
