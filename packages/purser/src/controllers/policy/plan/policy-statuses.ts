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
  effectivePolicy,
  hasEnded,
  type Policies,
  type PolicySubject,
  recheckAfterEnds,
} from "../../../policy/effective-policy.ts";
import { parseMastermindsRange } from "../../../version-range.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";

/** All policies, and the installations that they may select. */
export interface PoliciesWorld extends Policies {
  readonly subjects: readonly PolicySubject[];
}

/** The statuses of all policies: whether each decides, and for how many installations. */
export function planPolicyStatuses(world: PoliciesWorld, now: number): Plan<ObjectWrite> {
  const decided = world.subjects.map((subject) => ({ subject, effective: effectivePolicy(world, subject, now) }));
  const ofPolicy = (policy: UpdatePolicy | ClusterUpdatePolicy): UpdatePolicyStatus => {
    const reference = referenceOf(policy);
    const own = decided.filter(({ effective }) => effective.kind === "one" && effective.policy.reference === reference);
    const ties = decided.flatMap(({ subject, effective }) =>
      effective.kind === "tied" && effective.policies.some((one) => one.reference === reference)
        ? [{ subject, others: effective.policies.map((one) => one.reference).filter((one) => one !== reference) }]
        : [],
    );
    const observedGeneration = policy.metadata.generation ?? 0;
    const { conditions = [] } = policy.status ?? {};
    const condition = { type: "Deciding", observedGeneration, ...verdict(policy, own.length, ties, now) } as const;
    return { installations: own.length, conditions: withCondition(conditions, condition, formatTime(now)) };
  };
  const actions = [
    ...world.updatePolicies.flatMap((policy) => written(updatePolicies, policy, ofPolicy(policy))),
    ...world.clusterUpdatePolicies.flatMap((policy) => written(clusterUpdatePolicies, policy, ofPolicy(policy))),
  ];
  const ends = [...world.updatePolicies, ...world.clusterUpdatePolicies].flatMap(({ spec: { until } }) =>
    until !== undefined && Date.parse(until) > now ? [Date.parse(until)] : [],
  );
  const recheckAfterMs = recheckAfterEnds(ends, now);
  return { actions, ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }) };
}

const referenceOf = ({ kind, metadata: { namespace, name } }: UpdatePolicy | ClusterUpdatePolicy): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;

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
  const [tie] = ties;
  if (tie !== undefined) {
    const more = ties.length === 1 ? "" : ` and ${ties.length - 1} more`;
    const { kind, namespace, name } = tie.subject;
    const where = kind === "Subscription" ? `${namespace}/${name}` : name;
    const message = `For ${kind} ${where}${more} it is as specific as ${listOf(tie.others)}, so none of them decides and nothing is upgraded; make one selector narrower`;
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
