import type { ObjectMeta } from "@purser/kubernetes/apis/object";
import type { Subscription } from "../apis/v0/subscription.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import type { BundleSummary, PackageSummary } from "../catalog/catalog-index.ts";
import type { Explanation } from "../explanation/explanation.ts";
import { summaryOf } from "../explanation/summary.ts";
import { compareVersions, parseTolerantVersion } from "@purser/kubernetes/version";
import { parseMastermindsRange } from "../version-range.ts";
import { edgeFrom, installedFrom } from "../upgrade-graph/successors.ts";
import { formatTime } from "@purser/kubernetes/clock";
import type { ClusterUpdatePolicySpec } from "../apis/policy/cluster-update-policy.ts";
import { nextEdge, readWindows } from "./windows.ts";
import { decidingPolicies, type Policies, type PolicySubject } from "./effective-policy.ts";
import { type ApprovedPlan, approvedPlanOf, isStale } from "./approved-plan.ts";
import { type RolledBack, rolledBackOf } from "../apis/policy/rolled-back.ts";
import { type HeldSubject, heldVersions, type HeldVersions } from "./held-versions.ts";
import type { KnownUpgrades } from "./upgrade-contents.ts";
import type { PolicyBundle } from "./verdict.ts";

/** What policies mean for one installation now. */
export interface InstallationHolds {
  readonly held: readonly HeldVersions[];
  /** Why it is not upgraded although its catalog has an upgrade; undefined when nothing waits. */
  readonly waiting: Explanation | undefined;
  /** Epoch milliseconds at which time alone changes something: a policy ends, a window opens or closes, a version has soaked. */
  readonly changesAt: number | undefined;
}

export const noHolds: InstallationHolds = { held: [], waiting: undefined, changesAt: undefined };

interface Installed {
  /** As people name it. */
  readonly reference: string;
  readonly subject: PolicySubject;
  readonly bundle: PolicyBundle | undefined;
  /** Of upgrades; empty means all. */
  readonly channels: readonly string[];
  /** Of the versions that are asked for; absent and empty mean any. */
  readonly range?: string;
  readonly approved?: NonNullable<HeldSubject["approved"]>;
  readonly upgrades?: KnownUpgrades;
  readonly rolledBack?: RolledBack;
}

/** Whether no policy exists, which is cheaper to see than to evaluate. */
export function isWithoutPolicies({ updatePolicies, clusterUpdatePolicies }: Policies): boolean {
  return updatePolicies.length === 0 && clusterUpdatePolicies.length === 0;
}

/** @param packages the package as the catalogs have it that the Subscription may use */
export function subscriptionHolds(
  policies: Policies,
  subscription: Subscription,
  bundle: PolicyBundle | undefined,
  packages: readonly PackageSummary[],
  now: number,
  /** What upgrades hold, as far as they were looked at. */
  upgrades?: KnownUpgrades,
): InstallationHolds {
  const { metadata, spec } = subscription;
  const channels = spec.channel === undefined || spec.channel === "" ? [] : [spec.channel];
  const reference = `sub/${metadata.namespace}/${metadata.name}`;
  const subject = subscriptionSubject(subscription);
  const known = upgrades === undefined ? {} : { upgrades };
  return holdsOf(
    policies,
    { reference, subject, bundle, channels, ...rolledBackIn(metadata), ...known },
    packages,
    now,
  );
}

/** A Subscription as policies select it. */
export function subscriptionSubject({ metadata, spec }: Subscription): PolicySubject {
  const { name = "", namespace = "", labels = {} } = metadata;
  return { kind: "Subscription", name, namespace, packageName: spec.name, labels };
}

/** A ClusterExtension as policies select it. */
export function extensionSubject({ metadata, spec }: ClusterExtension): PolicySubject {
  const { name = "", labels = {} } = metadata;
  const packageName = spec?.source.catalog?.packageName ?? "";
  return { kind: "ClusterExtension", name, namespace: spec?.namespace ?? "", packageName, labels };
}

/** @param packages the package as the catalogs have it that the extension may use */
export function extensionHolds(
  policies: Policies,
  extension: ClusterExtension,
  bundle: PolicyBundle | undefined,
  packages: readonly PackageSummary[],
  now: number,
  {
    approved = validApproval(extension),
    upgrades,
  }: {
    /** By default what the extension carries. */
    readonly approved?: HeldSubject["approved"];
    /** What upgrades hold, as far as they were looked at. */
    readonly upgrades?: KnownUpgrades | undefined;
  } = {},
): InstallationHolds {
  const { metadata, spec } = extension;
  const { channels = [], version: range = "" } = spec?.source.catalog ?? {};
  const reference = `ext/${metadata.name}`;
  return holdsOf(
    policies,
    {
      reference,
      subject: extensionSubject(extension),
      bundle,
      channels,
      range,
      approved,
      ...rolledBackIn(metadata),
      ...(upgrades === undefined ? {} : { upgrades }),
    },
    packages,
    now,
  );
}

function rolledBackIn(metadata: ObjectMeta): Pick<Installed, "rolledBack"> {
  const rolledBack = rolledBackOf(metadata);
  return rolledBack === undefined ? {} : { rolledBack };
}

/** The approval that an extension carries and that is not stale. */
function validApproval(extension: ClusterExtension): "nothing" | ApprovedPlan {
  const approved = approvedPlanOf(extension);
  return approved === undefined || isStale(extension, approved) ? "nothing" : approved;
}

function holdsOf(
  policies: Policies,
  { reference, subject, bundle, channels, range, approved, upgrades, rolledBack }: Installed,
  packages: readonly PackageSummary[],
  now: number,
): InstallationHolds {
  const effective = decidingPolicies(policies, subject, now);
  if (effective.length === 0) return noHolds;
  const entries = packages.flatMap((one) => one.channels.flatMap((channel) => channel.bundles));
  const bundles = [...new Map(entries.map((entry) => [entry.name, entry])).values()];
  const about = {
    reference,
    packageName: subject.packageName,
    now,
    ...(approved === undefined ? {} : { approved }),
    ...(upgrades === undefined ? {} : { upgrades }),
    ...(rolledBack === undefined ? {} : { rolledBack }),
  };
  const held = effective.flatMap((one) => heldVersions(one, bundles, bundle, about));
  const deciding = effective.flatMap((one) => (one.kind === "one" ? [one.policy] : one.policies));
  const isAsked = versionsIn(range);
  const asked = entries.filter(
    ({ channel, version }) => (channels.length === 0 || channels.includes(channel)) && isAsked(version),
  );
  const times = [...deciding.flatMap(({ spec }) => timesOf(spec, now)), ...held.flatMap(({ until = [] }) => until)];
  const soonest = Math.min(...times);
  return {
    held,
    waiting: bundle === undefined ? undefined : waitingUpgrade(reference, bundle, asked, held),
    changesAt: soonest === Infinity ? undefined : soonest,
  };
}

/** Whether a version is in the range; one that cannot be read asks for all, as resolution says what is wrong with it. */
function versionsIn(range: string | undefined): (version: string) => boolean {
  const read = range === undefined || range === "" ? undefined : parseMastermindsRange(range);
  if (read?.ok !== true) return () => true;
  return (text) => {
    const version = parseTolerantVersion(text);
    return version.ok && read.value.includes(version.value);
  };
}

/** When the policy ends, and when the next of its windows opens or closes, in epoch milliseconds. */
function timesOf({ until, windows = [] }: ClusterUpdatePolicySpec, now: number): readonly number[] {
  const read = readWindows(windows);
  const edge = read.ok ? nextEdge(read.value, now) : undefined;
  return [...(until === undefined ? [] : [Date.parse(until)]), ...(edge === undefined ? [] : [edge])];
}

/** The newest upgrade from what is installed, where every upgrade is held back. */
function waitingUpgrade(
  reference: string,
  installed: PolicyBundle,
  entries: readonly BundleSummary[],
  held: readonly HeldVersions[],
): Explanation | undefined {
  const version = parseTolerantVersion(installed.version);
  const from = entries.find(({ name }) => name === installed.name);
  const start =
    from === undefined
      ? { name: installed.name, version: version.ok ? version.value : undefined }
      : installedFrom(from);
  const upgrades = entries.filter((entry) => edgeFrom(entry, start) !== undefined);
  const holdOf = ({ name }: BundleSummary): HeldVersions | undefined =>
    held.find(({ bundles }) => bundles.includes(name));
  if (upgrades.some((entry) => holdOf(entry) === undefined)) return undefined;
  // What time alone lets through is what people wait for, before a newer version that a rule refuses.
  const ending = upgrades.filter((entry) => holdOf(entry)?.code !== "VersionHeld");
  const [newest] = (ending.length > 0 ? ending : upgrades).toSorted((left, right) => byVersion(right, left));
  const hold = newest === undefined ? undefined : holdOf(newest);
  if (newest === undefined || hold === undefined) return undefined;
  return {
    code: hold.code,
    summary: summaryOf(`${newest.name} is held back by ${hold.reason}`),
    facts: {
      installation: reference,
      installed: installed.name,
      bundle: newest.name,
      reason: hold.reason,
      ...untilFact(hold),
    },
    derivation: [
      { relation: "installed", subject: reference, text: `${installed.name} is installed` },
      { relation: "excluded", subject: newest.name, text: `${newest.name} is held back by ${hold.reason}` },
    ],
    remedies: [hold.remedy],
  };
}

const untilFact = ({ until }: HeldVersions): { readonly until?: string } =>
  until === undefined ? {} : { until: formatTime(until) };

function byVersion(left: BundleSummary, right: BundleSummary): number {
  const [one, other] = [parseTolerantVersion(left.version), parseTolerantVersion(right.version)];
  return one.ok && other.ok ? compareVersions(one.value, other.value) : Number(one.ok) - Number(other.ok);
}
