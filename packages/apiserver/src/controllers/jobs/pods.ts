import type { Pod } from "@purser/kubernetes/apis/core";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import {
  hasMember,
  numberIn,
  objectAt,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from "../../kinds/decoding/json-parts.ts";
import { isActive, isReady } from "../pod-state.ts";
import { matchFailurePolicy } from "./failure-policy.ts";
import { indexOf, parseIndexes } from "./indexes.ts";

/** Finalizer of pods that have not been counted yet. */
export const tracking = "batch.kubernetes.io/job-tracking";

export function isTracked(pod: Pod): boolean {
  return pod.metadata.finalizers?.includes(tracking) === true;
}

/** Whether the pod is terminating. */
export function isGoing(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return pod.metadata.deletionTimestamp !== undefined && phase !== "Succeeded" && phase !== "Failed";
}

/** Whether a terminating pod is replaced only after it has terminated. */
export function replacesOnlyEnded(spec: JsonObject): boolean {
  return spec["podReplacementPolicy"] === "Failed" || hasMember(spec, "podFailurePolicy");
}

/** Whether the pod needs a replacement: failed, or terminating unless the Job waits for termination. */
export function hasFailed(spec: JsonObject, pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase === "Failed" || (!replacesOnlyEnded(spec) && isGoing(pod));
}

/** When the pod finished, as far as its status says; epoch milliseconds. */
export function endedAt(pod: Pod): number {
  const json = asJson(pod);
  const status = objectIn(json, "status");
  const sidecars = new Set(
    objectsIn(objectIn(json, "spec"), "initContainers")
      .filter((container) => container["restartPolicy"] === "Always")
      .map(({ name }) => name),
  );
  const containers = [
    ...objectsIn(status, "containerStatuses"),
    ...objectsIn(status, "initContainerStatuses").filter(({ name }) => sidecars.has(name)),
  ];
  const ends = containers.map((container) =>
    Date.parse(textIn(objectAt(container, "state", "terminated"), "finishedAt")),
  );
  if (ends.length > 0 && ends.every((end) => !Number.isNaN(end))) return Math.max(...ends);
  const unready = pod.status?.conditions?.find(({ type, status: value }) => type === "Ready" && value === "False");
  if (unready?.lastTransitionTime !== undefined) return Date.parse(unready.lastTransitionTime);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp = "" } = pod.metadata;
  return deletionTimestamp === undefined
    ? Date.parse(creationTimestamp)
    : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
}

/** Earlier failures of the pod's index: counted ones, and all. */
export function formerFailures(pod: Pod): { readonly counted: number; readonly all: number } {
  const read = (name: string): number => {
    const text = pod.metadata.annotations?.[name] ?? "";
    const count = Number(text);
    return /^\+?\d+$/.test(text) && count <= 0x7fffffff ? count : 0;
  };
  const counted = read(failureCountAnnotation);
  return { counted, all: counted + read(ignoredCountAnnotation) };
}

export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredCountAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

/** The state of the indexes of an indexed Job. */
export interface Indexes {
  /** Completed indexes in the Job's status. */
  readonly before: ReadonlySet<number>;
  readonly succeeded: ReadonlySet<number>;
  /** Set only with backoffLimitPerIndex. */
  readonly failed: ReadonlySet<number> | undefined;
  /** Failed pods that are kept until their replacements exist, which take over their failure counts. */
  readonly delayed: ReadonlyMap<number, Pod>;
}

/** The state of a Job's pods, including finished pods that are not recorded in the status yet. */
export interface Census {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  readonly newSucceeded: readonly Pod[];
  readonly newFailed: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
  readonly indexes: Indexes | undefined;
}

export function isIndexed(spec: JsonObject): boolean {
  return spec["completionMode"] === "Indexed";
}

/** The pod's index, when it is within the Job's completions. */
export function validIndex(spec: JsonObject, pod: Pod): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < (numberIn(spec, "completions") ?? 0) ? index : undefined;
}

/** Evaluates all pods of a Job. */
export function takeCensus(spec: JsonObject, status: JsonObject, pods: readonly Pod[]): Census {
  const uncounted = objectIn(status, "uncountedTerminatedPods");
  const fresh = (list: string): readonly Pod[] => {
    const noted = textsIn(uncounted, list);
    return pods.filter(
      (pod) =>
        isTracked(pod) &&
        !noted.includes(pod.metadata.uid ?? "") &&
        (!isIndexed(spec) || validIndex(spec, pod) !== undefined),
    );
  };
  const active = pods.filter(isActive);
  const newSucceeded = fresh("succeeded").filter((pod) => pod.status?.phase === "Succeeded");
  const newFailed = fresh("failed").filter((pod) => hasFailed(spec, pod));
  const counting = newFailed.filter((pod) => matchFailurePolicy(spec, pod).counted);
  const indexes = isIndexed(spec) ? indexesOf(spec, status, pods, active) : undefined;
  const total = (list: string): number => (numberIn(status, list) ?? 0) + textsIn(uncounted, list).length;
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isGoing).length,
    newSucceeded,
    newFailed,
    succeeded: indexes === undefined ? total("succeeded") + newSucceeded.length : indexes.succeeded.size,
    failed: total("failed") + counting.length,
    indexes,
  };
}

function indexesOf(spec: JsonObject, status: JsonObject, pods: readonly Pod[], active: readonly Pod[]): Indexes {
  const completions = numberIn(spec, "completions") ?? 0;
  const before = parseIndexes(textIn(status, "completedIndexes"), completions);
  const left = pods.filter((pod) => isTracked(pod) && validIndex(spec, pod) !== undefined);
  const indexesWhere = (holds: (pod: Pod) => boolean): readonly number[] =>
    left.filter(holds).flatMap((pod) => indexOf(pod) ?? []);
  const succeeded = new Set([...before, ...indexesWhere((pod) => pod.status?.phase === "Succeeded")]);
  const limit = numberIn(spec, "backoffLimitPerIndex");
  if (limit === undefined) return { before, succeeded, failed: undefined, delayed: new Map() };
  const isLost = (pod: Pod): boolean => {
    if (!hasFailed(spec, pod)) return false;
    const { action, counted } = matchFailurePolicy(spec, pod);
    return action === "FailIndex" || (counted && formerFailures(pod).counted >= limit);
  };
  const failed = new Set([...parseIndexes(textIn(status, "failedIndexes"), completions), ...indexesWhere(isLost)]);
  const busy = new Set(active.flatMap((pod) => indexOf(pod) ?? []));
  const delayed = new Map<number, Pod>();
  for (const pod of left) {
    const index = indexOf(pod) ?? -1;
    if (!hasFailed(spec, pod) || succeeded.has(index) || failed.has(index) || busy.has(index)) continue;
    const last = delayed.get(index);
    const isLater =
      last === undefined || (formerFailures(last).all <= formerFailures(pod).all && endedAt(pod) >= endedAt(last));
    if (isLater) delayed.set(index, pod);
  }
  return { before, succeeded, failed, delayed };
}
