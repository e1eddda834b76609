import type { JsonObject } from "@purser/kubernetes/json";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { qosClassOf } from "../pods/pod-defaults.ts";

/** One requirement that pods counted by a quota must meet. */
interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** The scopes of a quota's spec: `scopes` and `scopeSelector`. */
export function scopesOf(spec: JsonObject): readonly ScopeRequirement[] {
  return [
    ...textsIn(spec, "scopes").map((scopeName) => ({ scopeName, operator: "Exists", values: [] })),
    ...objectsIn(objectIn(spec, "scopeSelector"), "matchExpressions").map((requirement) => ({
      scopeName: textIn(requirement, "scopeName"),
      operator: textIn(requirement, "operator"),
      values: textsIn(requirement, "values"),
    })),
  ];
}

/** What scopes look at in a pod. */
export interface PodTraits {
  readonly isLimitedInTime: boolean;
  readonly isBestEffort: boolean;
  readonly priorityClass: string;
  /** Its affinities select pods of other namespaces. */
  readonly reachesOut: boolean;
}

export function podTraits(pod: JsonObject): PodTraits {
  const spec = objectIn(pod, "spec");
  return {
    isLimitedInTime: isLimitedInTime(spec),
    isBestEffort: qosClassOf(spec) === "BestEffort",
    priorityClass: textIn(spec, "priorityClassName"),
    reachesOut: ["podAffinity", "podAntiAffinity"].some((kind) => reachesOut(objectAt(spec, "affinity", kind))),
  };
}

/** Whether a quota with this scope counts the pod. */
export function podInScope(pod: PodTraits, { scopeName, operator, values }: ScopeRequirement): boolean {
  switch (scopeName) {
    case "Terminating":
      return pod.isLimitedInTime;
    case "NotTerminating":
      return !pod.isLimitedInTime;
    case "BestEffort":
      return pod.isBestEffort;
    case "NotBestEffort":
      return !pod.isBestEffort;
    case "PriorityClass":
      return holds(pod.priorityClass, operator, values);
    case "CrossNamespacePodAffinity":
      return pod.reachesOut;
    default:
      return false;
  }
}

function isLimitedInTime(spec: JsonObject): boolean {
  return (numberIn(spec, "activeDeadlineSeconds") ?? -1) >= 0;
}

function holds(name: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.includes(name);
    default:
      return !values.includes(name);
  }
}

function reachesOut(affinity: JsonObject): boolean {
  const terms = [
    ...objectsIn(affinity, "requiredDuringSchedulingIgnoredDuringExecution"),
    ...objectsIn(affinity, "preferredDuringSchedulingIgnoredDuringExecution").map((held) =>
      objectIn(held, "podAffinityTerm"),
    ),
  ];
  return terms.some((term) => textsIn(term, "namespaces").length > 0 || hasMember(term, "namespaceSelector"));
}
