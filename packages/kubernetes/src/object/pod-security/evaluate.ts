import { capabilityChecks } from "./capabilities.ts";
import type { Check, CheckHistory, Violation } from "./check.ts";
import { hostAccessChecks } from "./host-access.ts";
import { identityChecks } from "./identity.ts";
import { kernelSettingChecks } from "./kernel-settings.ts";
import type { LevelVersion } from "./policy-labels.ts";
import { privilegeChecks } from "./privileges.ts";
import { profileChecks } from "./profiles.ts";
import type { SecuredPod } from "./secured-pod.ts";

/** All checks, in the order in which violations are reported. */
export const checks: readonly CheckHistory[] = [
  ...capabilityChecks,
  ...hostAccessChecks,
  ...identityChecks,
  ...kernelSettingChecks,
  ...privilegeChecks,
  ...profileChecks,
].toSorted((a, b) => (a.level === b.level ? (a.id < b.id ? -1 : 1) : a.level === "baseline" ? -1 : 1));

/** The latest version with a change; newer versions are equal to it. */
const newest = Math.max(...checks.flatMap(({ versions }) => versions.map(({ since }) => since)));

const chosen = new Map<string, readonly Check[]>();

function checksOf(level: "baseline" | "restricted", version: number): readonly Check[] {
  const key = `${level} ${version}`;
  let found = chosen.get(key);
  if (found === undefined) {
    const formOf = ({ versions }: CheckHistory): Check | undefined =>
      versions.findLast(({ since }) => since <= version)?.check;
    const applied = checks.filter(
      (history) => (history.level === "baseline" || level === "restricted") && formOf(history) !== undefined,
    );
    const overridden = new Set(applied.map(({ overrides }) => overrides));
    found = applied.filter(({ id }) => !overridden.has(id)).flatMap((history) => formOf(history) ?? []);
    chosen.set(key, found);
  }
  return found;
}

/**
 * Violations of a Pod Security level by a pod or a pod template; empty when it is allowed. The rules are those of
 * Kubernetes 1.36 for every version of the standards.
 */
export function violationsOf({ level, version }: LevelVersion, pod: SecuredPod): readonly Violation[] {
  if (level === "privileged") return [];
  const effective = version === "latest" ? newest : Math.min(version, newest);
  return checksOf(level, effective).flatMap((check) => check(pod) ?? []);
}

/** Short reasons, as in the warnings about pods of a namespace. */
export function reasonsIn(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(", ");
}

/** Reasons with details. */
export function detailsIn(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
}
