import type { Pod } from "@purser/kubernetes/apis/core";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";

/** The outcome of a Job's podFailurePolicy for a failed pod. */
export interface FailureMatch {
  /** Whether the failure counts towards backoffLimit. */
  readonly counted: boolean;
  /** Action of the matching rule; undefined when none matches. */
  readonly action: "Ignore" | "FailIndex" | "Count" | "FailJob" | undefined;
  /** The message of the Failed condition, when the Job fails. */
  readonly message: string | undefined;
}

const uncovered: FailureMatch = { counted: true, action: undefined, message: undefined };

/** Evaluates `spec.podFailurePolicy`: the first matching rule decides; without a match the failure counts. */
export function matchFailurePolicy(spec: JsonObject, pod: Pod): FailureMatch {
  const { namespace = "", name = "" } = pod.metadata;
  for (const [index, rule] of objectsIn(objectIn(spec, "podFailurePolicy"), "rules").entries()) {
    const reason = hasMember(rule, "onExitCodes")
      ? exitReason(objectIn(rule, "onExitCodes"), pod)
      : conditionReason(objectsIn(rule, "onPodConditions"), pod);
    if (reason === undefined) continue;
    const action = textIn(rule, "action");
    switch (action) {
      case "Ignore":
        return { counted: false, action, message: undefined };
      case "FailIndex":
      case "Count":
        return { counted: true, action, message: undefined };
      case "FailJob": {
        const where = `${namespace}/${name}`;
        return { counted: true, action, message: `${reason(where)} matching ${action} rule at index ${index}` };
      }
      default:
    }
  }
  return uncovered;
}

type Reason = (pod: string) => string;

function exitReason(rule: JsonObject, pod: Pod): Reason | undefined {
  const status = objectIn(asJson(pod), "status");
  const values = rule["values"];
  const isNamed = (code: number): boolean => Array.isArray(values) && values.includes(code);
  for (const list of ["containerStatuses", "initContainerStatuses"])
    for (const container of objectsIn(status, list)) {
      const code = numberIn(objectAt(container, "state", "terminated"), "exitCode") ?? 0;
      const name = textIn(container, "name");
      if (code === 0 || (hasMember(rule, "containerName") && rule["containerName"] !== name)) continue;
      const fits = rule["operator"] === "In" ? isNamed(code) : rule["operator"] === "NotIn" ? !isNamed(code) : false;
      if (fits) return (where) => `Container ${name} for pod ${where} failed with exit code ${code}`;
    }
  return undefined;
}

function conditionReason(patterns: readonly JsonObject[], pod: Pod): Reason | undefined {
  const held = pod.status?.conditions?.find(({ type, status }) =>
    patterns.some((pattern) => pattern["type"] === type && pattern["status"] === status),
  );
  return held === undefined ? undefined : (where) => `Pod ${where} has condition ${held.type}`;
}
