import { type LabelSelector, matchesSelector, selectorOf } from "@purser/kubernetes/apis/selector";
import type { ClusterUpdatePolicy, ClusterUpdatePolicySpec } from "../apis/policy/cluster-update-policy.ts";
import type { SeenBundles, UpdatePolicy } from "../apis/policy/update-policy.ts";

/** The policies of a cluster. */
export interface Policies {
  readonly updatePolicies: readonly UpdatePolicy[];
  readonly clusterUpdatePolicies: readonly ClusterUpdatePolicy[];
}

/** An installation as policies select it. */
export interface PolicySubject {
  readonly kind: "Subscription" | "ClusterExtension";
  readonly name: string;
  /** Of the Subscription; of a ClusterExtension `spec.namespace`. */
  readonly namespace: string;
  readonly packageName: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface NamedPolicy {
  /** `UpdatePolicy NAMESPACE/NAME` or `ClusterUpdatePolicy NAME`. */
  readonly reference: string;
  readonly spec: ClusterUpdatePolicySpec;
  /** Whether `purser hold` made it. */
  readonly isHold: boolean;
  /** Since when versions are known, as its status records it. */
  readonly firstSeen: readonly SeenBundles[];
}

/** On policies that `purser hold` made. */
export const holdLabel = "purser.dev/hold";

/** Which policy decides for an installation. */
export type EffectivePolicy =
  | { readonly kind: "none" }
  | { readonly kind: "one"; readonly policy: NamedPolicy; readonly lessSpecific: readonly NamedPolicy[] }
  /** Several of the same specificity: none of them decides, and nothing is upgraded before one is changed. */
  | { readonly kind: "tied"; readonly policies: readonly NamedPolicy[] };

/**
 * The policy with the most specific selector among those that select the installation and have not ended. What counts, in this
 * order: names, packages, labels, namespaces, kinds.
 */
export function effectivePolicy(policies: Policies, subject: PolicySubject, now: number): EffectivePolicy {
  const candidates: readonly (NamedPolicy & { readonly rank: string })[] = [
    ...policies.updatePolicies
      .filter(({ metadata }) => subject.kind === "Subscription" && metadata.namespace === subject.namespace)
      .map((policy) => ({ ...named(policy), rank: `${rankOf(policy.spec)}1` })),
    ...policies.clusterUpdatePolicies.map((policy) => ({ ...named(policy), rank: `${rankOf(policy.spec)}0` })),
  ]
    .filter(({ spec }) => !hasEnded(spec, now) && selects(spec, subject))
    .toSorted((left, right) => (left.rank > right.rank ? -1 : left.rank < right.rank ? 1 : byReference(left, right)));
  const [first, ...others] = candidates;
  if (first === undefined) return { kind: "none" };
  const equal = candidates.filter(({ rank }) => rank === first.rank);
  if (equal.length > 1) return { kind: "tied", policies: equal };
  return { kind: "one", policy: first, lessSpecific: others };
}

/** `UpdatePolicy NAMESPACE/NAME` or `ClusterUpdatePolicy NAME`. */
export function policyReference({ kind, metadata: { namespace, name } }: UpdatePolicy | ClusterUpdatePolicy): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function named(policy: UpdatePolicy | ClusterUpdatePolicy): NamedPolicy {
  const { spec, status } = policy;
  const { firstSeen = [] } = status ?? {};
  return { reference: policyReference(policy), spec, isHold: isHold(policy), firstSeen };
}

/**
 * What decides for an installation, of the cluster and then of its namespace at most one policy and one hold each. All of them hold,
 * so that a policy of a tenant narrows what the cluster's allows, a hold or a rejection what any policy allows, and none widens it.
 * Without those that decide nothing.
 */
export function decidingPolicies(
  { updatePolicies, clusterUpdatePolicies }: Policies,
  subject: PolicySubject,
  now: number,
): readonly Exclude<EffectivePolicy, { readonly kind: "none" }>[] {
  const [ofCluster, ofNamespace] = [partedByHold(clusterUpdatePolicies), partedByHold(updatePolicies)];
  return [
    ...ofCluster.map((all) => effectivePolicy({ updatePolicies: [], clusterUpdatePolicies: all }, subject, now)),
    ...ofNamespace.map((all) => effectivePolicy({ updatePolicies: all, clusterUpdatePolicies: [] }, subject, now)),
  ].flatMap((one) => (one.kind === "none" ? [] : [one]));
}

const isHold = ({ metadata }: UpdatePolicy | ClusterUpdatePolicy): boolean =>
  metadata.labels?.[holdLabel] !== undefined;

/** Those that people wrote, and the holds. */
const partedByHold = <One extends UpdatePolicy | ClusterUpdatePolicy>(
  all: readonly One[],
): readonly (readonly One[])[] => [all.filter((one) => !isHold(one)), all.filter(isHold)];

const byReference = (left: NamedPolicy, right: NamedPolicy): number => (left.reference < right.reference ? -1 : 1);

/** Whether the policy's time is over; one without an end, or whose end cannot be read, has not ended. */
export function hasEnded({ until }: Pick<ClusterUpdatePolicySpec, "until">, now: number): boolean {
  return until !== undefined && Date.parse(until) <= now;
}

/** Milliseconds until the first of the times (epoch milliseconds), 0 after one that is past; undefined without a time. */
export function recheckAt(times: readonly (number | undefined)[], now: number): number | undefined {
  const first = Math.min(...times.map((time = Infinity) => time));
  return first === Infinity ? undefined : Math.max(first - now, 0);
}

/** Greater as text means more specific. */
function rankOf({ selector = {} }: ClusterUpdatePolicySpec): string {
  const { names, packages, labels, namespaces, kinds } = selector;
  return [names, packages, labels, namespaces, kinds].map((part) => (part === undefined ? "0" : "1")).join("");
}

function selects({ selector = {} }: ClusterUpdatePolicySpec, subject: PolicySubject): boolean {
  const { names, packages, labels, namespaces, kinds } = selector;
  return (
    names?.includes(subject.name) !== false &&
    packages?.includes(subject.packageName) !== false &&
    namespaces?.includes(subject.namespace) !== false &&
    kinds?.includes(subject.kind) !== false &&
    (labels === undefined || matchesLabels(labels, subject.labels))
  );
}

/** A selector that cannot be read selects everything: a policy with a mistake must not let more through. */
function matchesLabels(selector: LabelSelector, labels: PolicySubject["labels"]): boolean {
  const read = selectorOf(selector);
  return !read.ok || matchesSelector(read.value, labels);
}
