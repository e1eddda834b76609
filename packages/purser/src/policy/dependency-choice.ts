import type { DependencyMode } from "../apis/policy/update-policy.ts";
import { decidingPolicies, type Policies, type PolicySubject } from "./effective-policy.ts";

/** What the policy of an installation says about bundles that others require; undefined when it leaves that open. */
export function dependencyChoice(
  policies: Policies,
  subject: PolicySubject,
  now: number,
): { readonly mode: DependencyMode; readonly reference: string } | undefined {
  for (const decision of decidingPolicies(policies, subject, now)) {
    if (decision.kind !== "one") continue;
    const { reference, spec } = decision.policy;
    if (spec.dependencies !== undefined) return { mode: spec.dependencies, reference };
  }
  return undefined;
}
