import { parseTolerantVersion, type Version } from "@purser/kubernetes/version";
import type { ClusterUpdatePolicySpec } from "../apis/policy/cluster-update-policy.ts";
import type { Remedy } from "../explanation/explanation.ts";
import { listOf } from "../explanation/summary.ts";
import { parseMastermindsRange } from "../version-range.ts";
import type { EffectivePolicy } from "./effective-policy.ts";

/** A bundle of a catalog as far as policies look at it. */
export interface PolicyBundle {
  readonly name: string;
  readonly version: string;
}

/** Bundles that a policy holds back, for a reason. */
export interface HeldVersions {
  readonly bundles: readonly string[];
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

/**
 * The bundles that may not be installed, by reason. What is installed is never held back: it stays, whatever a policy says.
 * @param subject as people name the installation, for remedies
 */
export function heldVersions(
  effective: EffectivePolicy,
  bundles: readonly PolicyBundle[],
  installed: PolicyBundle | undefined,
  subject: string,
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
        summary: "make the selector of one of them narrower",
        command: `purser policy effective ${subject}`,
      };
      return others.length === 0 ? [] : [{ bundles: others.map(({ name }) => name), reason, remedy }];
    }
    case "one": {
      const { reference, spec } = effective.policy;
      const reasons = Map.groupBy(others, (bundle) => reasonAgainst(spec, bundle, installed));
      const until = spec.until === undefined ? "" : `, until ${spec.until}`;
      const why = spec.reason === undefined || spec.reason === "" ? "" : ` (${spec.reason})`;
      const remedy = effective.policy.isHold ? release(subject) : lookAt(subject);
      return [...reasons].flatMap(([against, held]) =>
        against === undefined
          ? []
          : [{ bundles: held.map(({ name }) => name), reason: `${reference}: ${against}${until}${why}`, remedy }],
      );
    }
  }
}

const lookAt = (subject: string): Remedy => ({
  summary: "see which policy decides, and change it",
  command: `purser policy effective ${subject}`,
});

const release = (subject: string): Remedy => ({ summary: "end the hold", command: `purser unhold ${subject}` });
