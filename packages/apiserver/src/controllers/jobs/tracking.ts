import type { Pod } from "@purser/kubernetes/apis/core";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectIn, objectsIn, textIn, textsIn } from "../../kinds/decoding/json-parts.ts";
import { matchFailurePolicy } from "./failure-policy.ts";
import { formatIndexes, indexOf } from "./indexes.ts";
import { hasFailed, isIndexed, isTracked, validIndex, type Census } from "./pods.ts";
import { announcement, conditionOf, type Verdict } from "./verdict.ts";

const mostUncounted = 500;

/** The status and pods of one Job in one pass. */
export interface Ledger {
  readonly spec: JsonObject;
  readonly pods: readonly Pod[];
  readonly census: Census;
  readonly verdict: Verdict | undefined;
  /** The Job is being deleted: its pods lose their finalizer. */
  readonly isGoing: boolean;
  /** RFC 3339. */
  readonly now: string;
}

export interface Entry {
  readonly status: JsonObject;
  readonly changed: boolean;
}

/** Sets a condition; one with status False is not added when the type is absent. */
export function withCondition(
  status: JsonObject,
  text: { readonly type: string; readonly status: "True" | "False"; readonly reason: string; readonly message: string },
  now: string,
): Entry {
  const held = conditionOf(status, text.type);
  if (held === undefined && text.status === "False") return { status, changed: false };
  if (held?.["status"] === text.status && held["reason"] === text.reason && held["message"] === text.message)
    return { status, changed: false };
  const { type, status: value, reason, message } = text;
  const condition = { type, status: value, lastProbeTime: now, lastTransitionTime: now, reason, message };
  const conditions = objectsIn(status, "conditions");
  const next =
    held === undefined ? [...conditions, condition] : conditions.map((one) => (one === held ? condition : one));
  return { status: { ...status, conditions: next }, changed: true };
}

/** The status with a number, which is omitted when zero, as Go's omitempty does. */
export function withNumber(status: JsonObject, key: string, value: number): JsonObject {
  const { [key]: _before, ...rest } = status;
  return value === 0 ? rest : { ...rest, [key]: value };
}

/** Adds the recorded pods without a finalizer to the counters; `left` are the uids of pods that still have it. */
export function countNoted(status: JsonObject, left: ReadonlySet<string>): Entry {
  let next = status;
  const uncounted: Record<string, readonly string[]> = {};
  let changed = false;
  for (const list of ["succeeded", "failed"] as const) {
    const noted = textsIn(objectIn(status, "uncountedTerminatedPods"), list);
    const waiting = noted.filter((uid) => left.has(uid));
    if (waiting.length > 0) uncounted[list] = waiting;
    if (waiting.length === noted.length) continue;
    changed = true;
    next = withNumber(next, list, (numberIn(next, list) ?? 0) + noted.length - waiting.length);
  }
  return changed ? { status: { ...next, uncountedTerminatedPods: uncounted }, changed } : { status, changed };
}

/** Whether the pod's outcome is final. */
function isDone({ spec, census, verdict, isGoing }: Ledger, pod: Pod): boolean {
  if (isGoing || verdict !== undefined || pod.status?.phase === "Succeeded") return true;
  if (!hasFailed(spec, pod)) return false;
  const index = indexOf(pod);
  return index === undefined || census.indexes?.delayed.get(index)?.metadata.uid !== pod.metadata.uid;
}

/**
 * Records finished pods, finished indexes and the verdict in one status, which is written before the pods lose their
 * finalizer; so every pod is counted exactly once.
 */
export function noteEnded(
  ledger: Ledger,
  status: JsonObject,
): Entry & { readonly release: readonly Pod[]; readonly isFull: boolean } {
  const { spec, census, verdict, now } = ledger;
  const uncounted = objectIn(status, "uncountedTerminatedPods");
  const noted = {
    succeeded: [...textsIn(uncounted, "succeeded")],
    failed: [...textsIn(uncounted, "failed")],
  };
  const completed = new Set(census.indexes?.before);
  const release: Pod[] = [];
  const before = noted.succeeded.length + noted.failed.length + completed.size;
  let isFull = false;
  const ordered = isIndexed(spec)
    ? ledger.pods.toSorted((a, b) => (indexOf(a) ?? -1) - (indexOf(b) ?? -1))
    : ledger.pods;
  for (const pod of ordered) {
    if (!isTracked(pod) || !isDone(ledger, pod)) continue;
    release.push(pod);
    const { uid = "" } = pod.metadata;
    const index = validIndex(spec, pod);
    if (pod.status?.phase === "Succeeded" && !noted.failed.includes(uid)) {
      if (isIndexed(spec)) {
        if (index !== undefined) completed.add(index);
      } else if (!noted.succeeded.includes(uid)) noted.succeeded.push(uid);
    } else if (
      (hasFailed(spec, pod) || verdict?.type === "Failed") &&
      !noted.failed.includes(uid) &&
      (!isIndexed(spec) || index !== undefined) &&
      matchFailurePolicy(spec, pod).counted
    )
      noted.failed.push(uid);
    isFull =
      noted.succeeded.length + noted.failed.length + completed.size - (census.indexes?.before.size ?? 0) >=
      mostUncounted;
    if (isFull) break;
  }
  let changed = noted.succeeded.length + noted.failed.length + completed.size > before;
  let next: JsonObject = {
    ...status,
    uncountedTerminatedPods: Object.fromEntries(Object.entries(noted).filter(([, uids]) => uids.length > 0)),
  };
  if (census.indexes !== undefined) {
    const { completedIndexes: _before, ...rest } = withNumber(next, "succeeded", completed.size);
    const texts = { completedIndexes: formatIndexes(completed), failedIndexes: failedText(census) };
    changed ||= texts.completedIndexes !== textIn(status, "completedIndexes");
    changed ||= texts.failedIndexes !== undefined && texts.failedIndexes !== status["failedIndexes"];
    next = {
      ...rest,
      ...(texts.completedIndexes === "" ? {} : { completedIndexes: texts.completedIndexes }),
      ...(texts.failedIndexes === undefined ? {} : { failedIndexes: texts.failedIndexes }),
    };
  }
  if (verdict === undefined) return { status: next, changed, release, isFull };
  const { reason, message } = verdict;
  const updated = withCondition(next, { type: announcement(verdict), status: "True", reason, message }, now);
  return { status: updated.status, changed: changed || updated.changed, release, isFull };
}

function failedText({ indexes }: Census): string | undefined {
  return indexes?.failed === undefined ? undefined : formatIndexes(indexes.failed);
}

/** The status of a finished Job, once all its pods are counted and have terminated; undefined before. */
export function endedStatus({ verdict, now }: Ledger, status: JsonObject, terminating: number): JsonObject | undefined {
  const uncounted = objectIn(status, "uncountedTerminatedPods");
  const waiting = textsIn(uncounted, "succeeded").length + textsIn(uncounted, "failed").length;
  if (verdict === undefined || waiting > 0 || terminating > 0) return undefined;
  const { type, reason, message } = verdict;
  const ended = withCondition(status, { type, status: "True", reason, message }, now).status;
  return type === "Complete" ? { ...ended, completionTime: now } : ended;
}
