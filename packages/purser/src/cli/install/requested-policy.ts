import type { Policies, PolicySubject } from "../../policy/effective-policy.ts";
import { decidingPolicies, policyReference } from "../../policy/effective-policy.ts";
import { listOf, shellWord } from "../../explanation/summary.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { failure, type Failure } from "../failure.ts";
import { selectionWords } from "../policy/policy-list.ts";
import { policyNotFound, policyTextReference } from "../policy/policy-names.ts";

/** The policy that `--policy` names, and the labels by which it selects the new installation. */
export interface RequestedPolicy {
  /** `UpdatePolicy NAMESPACE/NAME` or `ClusterUpdatePolicy NAME`. */
  readonly reference: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Finds the policy that has to decide for a new installation. A policy that selects by labels gets them; one that still does not
 * select it, or to which another is preferred, is refused.
 */
export function requestedPolicy(
  named: string,
  policies: Policies,
  subject: PolicySubject,
  now: number,
): Result<RequestedPolicy, Failure> {
  const candidates = [
    ...policies.updatePolicies.filter(
      ({ metadata }) => subject.kind === "Subscription" && metadata.namespace === subject.namespace,
    ),
    ...policies.clusterUpdatePolicies,
  ];
  // Of its own namespace first, as the most specific decides.
  const policy = candidates.find((one) => [one.metadata.name, policyTextReference(one)].includes(named));
  if (policy === undefined) {
    const names = candidates.map(policyTextReference);
    return failed(policyNotFound(named, nearestNames(named, names)));
  }
  const reference = policyReference(policy);
  const labels = policy.spec.selector?.labels?.matchLabels ?? {};
  const deciding = decidingPolicies(policies, { ...subject, labels: { ...subject.labels, ...labels } }, now);
  const isIt = (one: { readonly reference: string }): boolean => one.reference === reference;
  if (deciding.some((one) => one.kind === "one" && isIt(one.policy))) return done({ reference, labels });
  const ways = [[`purser policy show ${shellWord(policyTextReference(policy))}`, "its rules"]] as const;
  const why = deciding.flatMap((one) => {
    if (one.kind === "one") return one.lessSpecific.some(isIt) ? [`${one.policy.reference} is more specific`] : [];
    const others = one.policies.filter((other) => !isIt(other)).map((other) => other.reference);
    return one.policies.some(isIt) ? [`it ties with ${listOf(others)}, and then none of them decides`] : [];
  });
  const because = why[0] ?? `it selects ${selectionWords(policy.spec)}, or has ended`;
  return failed(
    failure(
      "Refused",
      `${reference} would not decide for ${subject.packageName}: ${because}; nothing was written`,
      ways,
    ),
  );
}
