import { parseTolerantVersion } from "@purser/kubernetes/version";
import type { UpdatePolicySpec } from "../apis/policy/update-policy.ts";
import { decidingPolicies, type Policies, type PolicySubject } from "./effective-policy.ts";
import { judgeContents, type KnownUpgrades, looksAtContents } from "./upgrade-contents.ts";
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
 * @param upgrades what upgrades hold, as far as they were looked at
 */
export function approvalAsked(
  spec: UpdatePolicySpec,
  bundle: PolicyBundle,
  installed: PolicyBundle | undefined,
  upgrades?: KnownUpgrades,
): string | undefined {
  if (bundle.name === installed?.name) return undefined;
  const level = installed === undefined ? "install" : changedLevel(installed, bundle);
  const known = installed === undefined ? undefined : upgrades?.get(bundle.name);
  const verdicts = known === undefined ? [] : judgeContents(spec, known);
  const asked = [
    ...(spec.approval?.[level] === "Manual"
      ? [level === "install" ? "installations need approval" : `${level} upgrades need approval`]
      : []),
    ...verdicts.flatMap(({ mode, text }) => (mode === "RequireApproval" ? [`${text} need approval`] : [])),
  ];
  return asked.length === 0 ? undefined : asked.join(", ");
}

/** The same of the policy that decides for an installation, with its name: `ClusterUpdatePolicy prod: minor upgrades need approval`. */
export function approvalFor(
  policies: Policies,
  subject: PolicySubject,
  bundle: PolicyBundle,
  installed: PolicyBundle | undefined,
  { now, upgrades }: { readonly now: number; readonly upgrades?: KnownUpgrades | undefined },
): string | undefined {
  for (const effective of decidingPolicies(policies, subject, now)) {
    if (effective.kind !== "one") continue;
    const { reference, spec } = effective.policy;
    const asked = approvalAsked(spec, bundle, installed, upgrades);
    if (asked !== undefined) return `${reference}: ${asked}`;
  }
  return undefined;
}

/** Whether one of the policies that decide has rules on what an upgrade holds. */
export function judgesContents(policies: Policies, subject: PolicySubject, now: number): boolean {
  return decidingPolicies(policies, subject, now).some(
    (effective) => effective.kind === "one" && looksAtContents(effective.policy.spec),
  );
}
