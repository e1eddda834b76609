import { parseTolerantVersion, type Version } from "@purser/kubernetes/version";
import type { ClusterUpdatePolicySpec } from "../apis/policy/cluster-update-policy.ts";
import type { Remedy } from "../explanation/explanation.ts";
import { listOf } from "../explanation/summary.ts";
import { parseMastermindsRange } from "../version-range.ts";
import type { EffectivePolicy, NamedPolicy } from "./effective-policy.ts";
import { approvalAsked } from "./approval.ts";
import type { ApprovedPlan } from "./approved-plan.ts";
import type { RolledBack } from "../apis/policy/rolled-back.ts";
import { judgeTime } from "./judge-time.ts";
import { judgeContents, type KnownUpgrades } from "./upgrade-contents.ts";
import type { HoldCode, PolicyBundle, Verdict } from "./verdict.ts";

/** Bundles that a policy holds back, for a reason. */
export interface HeldVersions {
  readonly code: HoldCode;
  readonly bundles: readonly string[];
  /** Epoch milliseconds at which this reason ends by itself; absent for others. */
  readonly until?: number;
  /** `ClusterUpdatePolicy prod: level patch, until 2026-12-31T00:00:00Z (change freeze)` */
  readonly reason: string;
  readonly remedy: Remedy;
}

/** Why a policy does not allow a version; undefined when it does. `installed` undefined: a first installation. */
export function reasonAgainst(
  { versions = {}, level }: ClusterUpdatePolicySpec,
  { name, version: text }: PolicyBundle,
  installed: PolicyBundle | undefined,
): string | undefined {
  const parsed = parseTolerantVersion(text);
  const version = parsed.ok ? parsed.value : undefined;
  const { range, allowed, denied = [] } = versions;
  if (denied.includes(text)) return "denied";
  if (allowed !== undefined && !allowed.includes(text)) return `allowed are ${listOf(allowed)}`;
  if (range !== undefined) {
    const read = parseMastermindsRange(range);
    if (!read.ok) return `its range "${range}" cannot be read`;
    if (version === undefined || !read.value.includes(version)) return `range ${range}`;
  }
  if (level === undefined || level === "major" || installed === undefined || name === installed.name) return undefined;
  if (level === "none") return "no upgrades";
  const before = parseTolerantVersion(installed.version);
  return version !== undefined && before.ok && isWithin(level, before.value, version) ? undefined : `level ${level}`;
}

function isWithin(level: "patch" | "minor", before: Version, after: Version): boolean {
  return before.major === after.major && (level === "minor" || before.minor === after.minor);
}

/** Why a policy does not allow a version now; undefined when it does. The time counts for upgrades only. */
function judge(
  policy: NamedPolicy,
  bundle: PolicyBundle,
  installed: PolicyBundle | undefined,
  { packageName, now, approved = "all", upgrades, rolledBack }: Omit<HeldSubject, "reference">,
): Verdict | undefined {
  if (rolledBack?.bundle === bundle.name && policy.spec.rollback === "BeforeReady")
    return { code: "VersionHeld", text: `rolled back at ${rolledBack.at}, because it was ${rolledBack.because}` };
  const against = reasonAgainst(policy.spec, bundle, installed) ?? denied(policy.spec, bundle, installed, upgrades);
  if (against !== undefined) return { code: "VersionHeld", text: against };
  const early = installed === undefined ? undefined : judgeTime(policy, packageName, bundle, now);
  if (early !== undefined || approved === "all") return early;
  const asked = approvalAsked(policy.spec, bundle, installed, upgrades);
  const isApproved = approved !== "nothing" && approved.bundle === bundle.name;
  return asked === undefined || isApproved ? undefined : { code: "ApprovalRequired", text: asked };
}

/** What a policy does not allow of what an upgrade holds, as far as that is known. */
function denied(
  spec: ClusterUpdatePolicySpec,
  { name }: PolicyBundle,
  installed: PolicyBundle | undefined,
  upgrades: HeldSubject["upgrades"],
): string | undefined {
  const known = installed === undefined ? undefined : upgrades?.get(name);
  if (known === undefined) return undefined;
  return judgeContents(spec, known).find(({ mode }) => mode === "Deny")?.text;
}

/** For which installation, and when. */
export interface HeldSubject {
  /** As people name it, for remedies. */
  readonly reference: string;
  readonly packageName: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What a person approved: a bundle, or whatever would be chosen then; absent where InstallPlans are approved instead. */
  readonly approved?: "nothing" | "all" | ApprovedPlan;
  /** An upgrade that went back by itself: it is held back while the policy asks for that. */
  readonly rolledBack?: RolledBack;
  /** Of upgrades that were looked at. */
  readonly upgrades?: KnownUpgrades;
}

/** The bundles that may not be installed, by reason. What is installed is never held back: it stays, whatever a policy says. */
export function heldVersions(
  effective: EffectivePolicy,
  bundles: readonly PolicyBundle[],
  installed: PolicyBundle | undefined,
  subject: HeldSubject,
): readonly HeldVersions[] {
  const others = bundles.filter(({ name }) => name !== installed?.name);
  switch (effective.kind) {
    case "none":
      return [];
    case "tied": {
      const names = listOf(
        effective.policies.map(({ reference }) => reference),
        effective.policies.length,
      );
      const reason = `${names} are equally specific, so none of them decides`;
      const remedy = {
        summary: "make one selector more specific",
        command: `purser policy effective ${subject.reference}`,
      };
      const held = others.map(({ name }) => name);
      return held.length === 0 ? [] : [{ code: "VersionHeld", bundles: held, reason, remedy }];
    }
    case "one": {
      const { reference, spec, isHold } = effective.policy;
      const until = spec.until === undefined ? "" : `, until ${spec.until}`;
      const why = spec.reason === undefined || spec.reason === "" ? "" : ` (${spec.reason})`;
      const elsewise = isHold ? release(subject.reference) : lookAt(subject.reference);
      const byReason = new Map<string, HeldVersions>();
      for (const bundle of others) {
        const verdict = judge(effective.policy, bundle, installed, subject);
        if (verdict === undefined) continue;
        const { code, text, ...ends } = verdict;
        const reason = `${reference}: ${text}${until}${why}`;
        const bundles = [...(byReason.get(reason)?.bundles ?? []), bundle.name];
        const isBack = bundle.name === subject.rolledBack?.bundle && text.startsWith("rolled back");
        const remedy =
          code === "ApprovalRequired" ? approve(subject.reference) : isBack ? release(subject.reference) : elsewise;
        byReason.set(reason, { code, bundles, reason, ...ends, remedy });
      }
      return [...byReason.values()];
    }
  }
}

const lookAt = (subject: string): Remedy => ({
  summary: "see which policy decides, and change it",
  command: `purser policy effective ${subject}`,
});

const approve = (subject: string): Remedy => ({
  summary: "see what it changes, and approve it",
  command: `purser approve ${subject}`,
});

const release = (subject: string): Remedy => ({ summary: "end the hold", command: `purser unhold ${subject}` });
