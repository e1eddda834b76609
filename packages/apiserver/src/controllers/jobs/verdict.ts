import type { Pod } from "@purser/kubernetes/apis/core";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { parseIndexes } from "./indexes.ts";
import { hasFailed, type Census } from "./pods.ts";
import { matchFailurePolicy } from "./failure-policy.ts";

/** How a job ends. */
export interface Verdict {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(status: JsonObject, type: string): JsonObject | undefined {
  return objectsIn(status, "conditions").find((held) => held["type"] === type);
}

export function holds(status: JsonObject, type: string): boolean {
  return conditionOf(status, type)?.["status"] === "True";
}

/** The condition that precedes the terminal one until all pods have terminated. */
export function announcement({ type }: Verdict): "SuccessCriteriaMet" | "FailureTarget" {
  return type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
}

export const completed: Verdict = {
  type: "Complete",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};

function fails(reason: string, message: string): Verdict {
  return { type: "Failed", reason, message };
}

/** Milliseconds until the Job's activeDeadlineSeconds; undefined when there is none. */
export function untilDeadline(spec: JsonObject, status: JsonObject, nowMs: number): number | undefined {
  const seconds = numberIn(spec, "activeDeadlineSeconds");
  const start = status["startTime"];
  if (seconds === undefined || typeof start !== "string" || spec["suspend"] === true) return undefined;
  return Date.parse(start) + seconds * 1000 - nowMs;
}

/**
 * Whether and why the Job finishes early: by an earlier pass's decision, the failure policy, the limits, the deadline
 * or the success policy, in this order.
 */
export function verdictOf(
  spec: JsonObject,
  status: JsonObject,
  pods: readonly Pod[],
  census: Census,
  nowMs: number,
): Verdict | undefined {
  for (const type of ["Complete", "Failed"] as const) {
    const held = conditionOf(status, announcement({ type, reason: "", message: "" }));
    if (held?.["status"] === "True") return { type, reason: textIn(held, "reason"), message: textIn(held, "message") };
  }
  const refused = hasMember(spec, "podFailurePolicy")
    ? pods
        .filter((pod) => hasFailed(spec, pod))
        .map((pod) => matchFailurePolicy(spec, pod).message)
        .find((message) => message !== undefined)
    : undefined;
  if (refused !== undefined) return fails("PodFailurePolicy", refused);
  if (census.failed > (numberIn(spec, "backoffLimit") ?? 6) || hasRestartedTooOften(spec, pods))
    return fails("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  if ((untilDeadline(spec, status, nowMs) ?? 1) <= 0)
    return fails("DeadlineExceeded", "Job was active longer than specified deadline");
  return indexVerdict(spec, census);
}

function hasRestartedTooOften(spec: JsonObject, pods: readonly Pod[]): boolean {
  if (objectAt(spec, "template", "spec")["restartPolicy"] !== "OnFailure") return false;
  let restarts = 0;
  for (const pod of pods) {
    if (pod.status?.phase !== "Running" && pod.status?.phase !== "Pending") continue;
    const status = objectIn(asJson(pod), "status");
    for (const list of ["initContainerStatuses", "containerStatuses"])
      for (const container of objectsIn(status, list)) restarts += numberIn(container, "restartCount") ?? 0;
  }
  const limit = numberIn(spec, "backoffLimit") ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function indexVerdict(spec: JsonObject, { indexes }: Census): Verdict | undefined {
  if (indexes === undefined) return undefined;
  const { succeeded, failed } = indexes;
  const completions = numberIn(spec, "completions") ?? 0;
  if (failed !== undefined) {
    const most = numberIn(spec, "maxFailedIndexes");
    if (most !== undefined && failed.size > most)
      return fails("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
    if (failed.size > 0 && failed.size + succeeded.size >= completions)
      return fails("FailedIndexes", "Job has failed indexes");
  }
  const rules = objectsIn(objectIn(spec, "successPolicy"), "rules");
  const met = succeeded.size === 0 ? -1 : rules.findIndex((rule) => isMet(rule, succeeded, completions));
  return met < 0 ? undefined : { type: "Complete", reason: "SuccessPolicy", message: `Matched rules at index ${met}` };
}

function isMet(rule: JsonObject, succeeded: ReadonlySet<number>, completions: number): boolean {
  const count = numberIn(rule, "succeededCount");
  if (!hasMember(rule, "succeededIndexes")) return count !== undefined && succeeded.size >= count;
  const required = [...parseIndexes(textIn(rule, "succeededIndexes"), completions)];
  if (required.length === 0) return false;
  const reached = required.filter((index) => succeeded.has(index)).length;
  return reached === required.length || (count !== undefined && reached >= count);
}
