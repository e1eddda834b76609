import { parseTolerantVersion } from "@purser/kubernetes/version";
import type { PolicyApproval } from "../apis/policy/update-policy.ts";
import { decidingPolicies, type Policies, type PolicySubject } from "./effective-policy.ts";
import type { PolicyBundle } from "./verdict.ts";

/** Which part of the version a change raises or lowers; one that cannot be read counts as `major`. */
function changedLevel(before: PolicyBundle, after: PolicyBundle): "patch" | "minor" | "major" {
  const [from, to] = [parseTolerantVersion(before.version), parseTolerantVersion(after.version)];
  if (!from.ok || !to.ok || from.value.major !== to.value.major) return "major";
  return from.value.minor === to.value.minor ? "patch" : "minor";
}

/**
 * What a policy asks a person to approve, such as `minor upgrades need approval`; undefined when it asks for nothing, and for the
 * bundle that is installed.
 */
export function approvalAsked(
  approval: PolicyApproval | undefined,
  bundle: PolicyBundle,
  installed: PolicyBundle | undefined,
): string | undefined {
  if (approval === undefined || bundle.name === installed?.name) return undefined;
  const level = installed === undefined ? "install" : changedLevel(installed, bundle);
  if (approval[level] !== "Manual") return undefined;
  return level === "install" ? "installations need approval" : `${level} upgrades need approval`;
}

/** The same of the policy that decides for an installation, with its name: `ClusterUpdatePolicy prod: minor upgrades need approval`. */
export function approvalFor(
  policies: Policies,
  subject: PolicySubject,
  bundle: PolicyBundle,
  installed: PolicyBundle | undefined,
  now: number,
): string | undefined {
  for (const effective of decidingPolicies(policies, subject, now)) {
    if (effective.kind !== "one") continue;
    const { reference, spec } = effective.policy;
    const asked = approvalAsked(spec.approval, bundle, installed);
    if (asked !== undefined) return `${reference}: ${asked}`;
  }
  return undefined;
}
