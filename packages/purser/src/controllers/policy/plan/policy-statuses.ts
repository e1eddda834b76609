import { type Condition, withCondition } from "@purser/kubernetes/apis/condition";
import { formatTime } from "@purser/kubernetes/clock";
import { plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { clusterUpdatePolicies, updatePolicies } from "../../../apis/olm-resources.ts";
import type { ClusterUpdatePolicy } from "../../../apis/policy/cluster-update-policy.ts";
import type { UpdatePolicy, UpdatePolicyStatus } from "../../../apis/policy/update-policy.ts";
import { counted, listOf } from "../../../explanation/summary.ts";
import {
  type EffectivePolicy,
  decidingPolicies,
  hasEnded,
  type NamedPolicy,
  type Policies,
  policyReference,
  type PolicySubject,
  recheckAt,
} from "../../../policy/effective-policy.ts";
import { parseMastermindsRange } from "../../../version-range.ts";
import { parsePolicyDuration } from "../../../policy/policy-duration.ts";
import { readWindows } from "../../../policy/windows.ts";
import { type Offer, recordedOffers } from "./first-seen.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import { type Readiness, withReadiness } from "../../plan/readiness.ts";

/** All policies, and the installations that they may select. */
export interface PoliciesWorld extends Policies {
  readonly subjects: readonly OfferedSubject[];
}

export interface OfferedSubject extends PolicySubject {
  /** Absent where no policy has `soak`. */
  readonly offer?: Offer;
}

/** The statuses of all policies: whether each decides, and for how many installations. */
export function planPolicyStatuses(world: PoliciesWorld, now: number): Plan<ObjectWrite> {
  const { counts, tied, offers } = decisionsOf(world, now);
  const ofPolicy = (policy: UpdatePolicy | ClusterUpdatePolicy): UpdatePolicyStatus => {
    const reference = policyReference(policy);
    const installations = counts.get(reference) ?? 0;
    const ties = (tied.get(reference) ?? []).map(({ subject, references }) => ({
      subject,
      others: references.filter((one) => one !== reference),
    }));
    const observedGeneration = policy.metadata.generation ?? 0;
    const { conditions = [] } = policy.status ?? {};
    const condition = { type: "Deciding", observedGeneration, ...verdict(policy, installations, ties, now) } as const;
    const firstSeen =
      policy.spec.soak === undefined
        ? []
        : recordedOffers(policy.status?.firstSeen ?? [], offers.get(reference) ?? [], now);
    const seen = firstSeen.length === 0 ? {} : { firstSeen };
    const time = formatTime(now);
    const decided = withCondition(conditions, condition, time);
    return {
      installations,
      ...seen,
      conditions: withReadiness(decided, readinessOf(condition), { observedGeneration, time }),
    };
  };
  const actions = [
    ...world.updatePolicies.flatMap((policy) => written(updatePolicies, policy, ofPolicy(policy))),
    ...world.clusterUpdatePolicies.flatMap((policy) => written(clusterUpdatePolicies, policy, ofPolicy(policy))),
  ];
  const ends = [...world.updatePolicies, ...world.clusterUpdatePolicies].flatMap(({ spec: { until } }) =>
    until !== undefined && Date.parse(until) > now ? [Date.parse(until)] : [],
  );
  const recheckAfterMs = recheckAt(ends, now);
  return { actions, ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }) };
}

/** A policy that has ended is as it should be. */
function readinessOf({ status, reason, message }: ReturnType<typeof verdict>): Readiness {
  if (status === "True" || reason === "Ended") return { kind: "ready", reason, message };
  return { kind: "stalled", reason, blockedBy: message, nextRetry: "when a policy or an installation changes" };
}

interface Tie {
  readonly subject: PolicySubject;
  /** Of all the policies that are equally specific. */
  readonly references: readonly string[];
}

/**
 * What is decided for every installation, by the reference of the policy. Tenants write UpdatePolicies, so each installation is
 * held against those of its own namespace alone.
 */
function decisionsOf({ updatePolicies: own, clusterUpdatePolicies: everywhere, subjects }: PoliciesWorld, now: number) {
  const byNamespace = Map.groupBy(own, ({ metadata }) => metadata.namespace ?? "");
  const counts = new Map<string, number>();
  const tied = new Map<string, Tie[]>();
  const offers = new Map<string, Offer[]>();
  for (const subject of subjects) {
    const candidates = {
      updatePolicies: byNamespace.get(subject.namespace) ?? [],
      clusterUpdatePolicies: everywhere,
    };
    for (const effective of decidingPolicies(candidates, subject, now)) {
      // One that does not decide now may do so later, and what it has seen by then counts.
      for (const { reference } of selecting(effective)) {
        const own = offers.get(reference) ?? [];
        if (subject.offer !== undefined) offers.set(reference, [...own, subject.offer]);
      }
      if (effective.kind === "one") {
        const { reference } = effective.policy;
        counts.set(reference, (counts.get(reference) ?? 0) + 1);
      } else if (effective.kind === "tied") {
        const references = effective.policies.map(({ reference }) => reference);
        for (const reference of references) {
          const ties = tied.get(reference) ?? [];
          ties.push({ subject, references });
          tied.set(reference, ties);
        }
      }
    }
  }
  return { counts, tied, offers };
}

function selecting(effective: EffectivePolicy): readonly NamedPolicy[] {
  switch (effective.kind) {
    case "none":
      return [];
    case "one":
      return [effective.policy, ...effective.lessSpecific];
    case "tied":
      return effective.policies;
  }
}

function verdict(
  { spec }: UpdatePolicy | ClusterUpdatePolicy,
  count: number,
  ties: readonly { readonly subject: PolicySubject; readonly others: readonly string[] }[],
  now: number,
): Pick<Condition, "status" | "reason" | "message"> {
  if (hasEnded(spec, now)) return { status: "False", reason: "Ended", message: `It ended at ${spec.until}` };
  const { range } = spec.versions ?? {};
  const read = range === undefined ? undefined : parseMastermindsRange(range);
  if (read?.ok === false)
    return {
      status: "False",
      reason: "RangeInvalid",
      message: `versions.range "${range}" cannot be read, so every version is held back: ${read.problem.message}`,
    };
  const windows = readWindows(spec.windows ?? []);
  if (!windows.ok)
    return {
      status: "False",
      reason: "WindowInvalid",
      message: `A window cannot be read, so every upgrade is held back: ${windows.problem}`,
    };
  if (spec.soak !== undefined && parsePolicyDuration(spec.soak) === undefined)
    return {
      status: "False",
      reason: "SoakInvalid",
      message: `soak "${spec.soak}" is not a duration such as 3d or 12h, so every upgrade is held back`,
    };
  const [tie] = ties;
  if (tie !== undefined) {
    const more = ties.length === 1 ? "" : ` and ${ties.length - 1} more`;
    const { kind, namespace, name } = tie.subject;
    const where = kind === "Subscription" ? `${namespace}/${name}` : name;
    const message = `For ${kind} ${where}${more} it is as specific as ${listOf(tie.others)}, so none of them decides and nothing is upgraded; make one selector more specific`;
    return { status: "False", reason: "Tied", message };
  }
  return count === 0
    ? {
        status: "True",
        reason: "NothingSelected",
        message: "It selects no installation, or more specific policies decide",
      }
    : { status: "True", reason: "Deciding", message: `It decides for ${counted(count, "installation")}` };
}

function written(
  type: Parameters<typeof replaceStatus>[0],
  policy: UpdatePolicy | ClusterUpdatePolicy,
  status: UpdatePolicyStatus,
): readonly ObjectWrite[] {
  return deepEqual(plainJson(policy.status ?? {}), plainJson(status)) ? [] : [replaceStatus(type, policy, status)];
}
