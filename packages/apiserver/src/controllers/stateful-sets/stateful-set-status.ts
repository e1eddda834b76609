import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectAt, objectIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { isAvailable, isReady } from "../pod-state.ts";
import { ordinalsOf, revisionLabel } from "./stateful-set-pods.ts";

/** Names of the current and the update revision. */
export interface Revisions {
  readonly current: string;
  readonly update: string;
  readonly collisions: number;
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === "Running" && isReady(pod);
}

/** Whether the pod is terminating or has not been ready for minReadySeconds. */
export function isUnavailable(pod: Pod, minimumMs: number, nowMs: number): boolean {
  return !isAvailable(pod, minimumMs, nowMs) || isTerminating(pod);
}

export function minimumReadyMs(set: KubeObject): number {
  return (numberIn(objectIn(asJson(set), "spec"), "minReadySeconds") ?? 0) * 1000;
}

/** Counters of the pods before this pass; `replaced` of them have just been deleted for an update. */
export function statefulStatus(
  set: KubeObject,
  held: readonly Pod[],
  revisions: Revisions,
  { replaced, nowMs }: { readonly replaced: number; readonly nowMs: number },
): JsonObject {
  const minimum = minimumReadyMs(set);
  const ready = held.filter(isRunningAndReady);
  const staying = held.filter((pod) => !isTerminating(pod));
  const having = (revision: string): number =>
    staying.filter((pod) => pod.metadata.labels?.[revisionLabel] === revision).length;
  const counts = {
    replicas: held.length,
    readyReplicas: ready.length,
    currentReplicas: having(revisions.current) - replaced,
    updatedReplicas: having(revisions.update),
    availableReplicas: ready.filter((pod) => isAvailable(pod, minimum, nowMs)).length,
  };
  const { count: wanted } = ordinalsOf(set);
  const rolling = textIn(objectAt(asJson(set), "spec", "updateStrategy"), "type") === "RollingUpdate";
  const complete =
    rolling && counts.updatedReplicas === wanted && counts.readyReplicas === wanted && counts.replicas === wanted;
  const { replicas, availableReplicas, readyReplicas, updatedReplicas } = counts;
  const currentReplicas = complete ? updatedReplicas : counts.currentReplicas;
  const more = { readyReplicas, currentReplicas, updatedReplicas };
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas,
    ...Object.fromEntries(Object.entries(more).filter(([, count]) => count !== 0)),
    currentRevision: complete ? revisions.update : revisions.current,
    updateRevision: revisions.update,
    collisionCount: revisions.collisions,
    availableReplicas,
  };
}

const compared = [
  "replicas",
  "currentReplicas",
  "readyReplicas",
  "updatedReplicas",
  "currentRevision",
  "availableReplicas",
  "updateRevision",
];

/** Whether the set's stored status differs. */
export function isStale(set: KubeObject, status: JsonObject): boolean {
  const held = objectIn(asJson(set), "status");
  const seen = numberIn(held, "observedGeneration") ?? 0;
  return (
    (numberIn(status, "observedGeneration") ?? 0) > seen ||
    compared.some((key) => (held[key] ?? 0) !== (status[key] ?? 0))
  );
}
