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

/** Whether a quota with this scope counts the pod. */
export function podInScope(pod: JsonObject, { scopeName, operator, values }: ScopeRequirement): boolean {
  const spec = objectIn(pod, "spec");
  switch (scopeName) {
    case "Terminating":
      return isLimitedInTime(spec);
    case "NotTerminating":
      return !isLimitedInTime(spec);
    case "BestEffort":
      return qosClassOf(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClassOf(spec) !== "BestEffort";
    case "PriorityClass":
      return holds(textIn(spec, "priorityClassName"), operator, values);
    case "CrossNamespacePodAffinity":
      return ["podAffinity", "podAntiAffinity"].some((kind) => reachesOut(objectAt(spec, "affinity", kind)));
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
