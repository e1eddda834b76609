import type { ContainerStatus, Pod } from "@purser/kubernetes/apis/core";
import { asJson } from "@purser/kubernetes/apis/object";
import { objectIn, objectsIn } from "../kinds/decoding/json-parts.ts";
import { isActive, isReady, readyCondition } from "./pod-state.ts";

/** Comparator: negative when the first pod is deleted before the second. */
type Order = (a: Pod, b: Pod) => number;

/** Compares by the first order that distinguishes the pods. */
function firstOf(...orders: readonly Order[]): Order {
  return (a, b) => {
    for (const order of orders) {
      const difference = order(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

function smallest(valueOf: (pod: Pod) => number): Order {
  return (a, b) => valueOf(a) - valueOf(b);
}

/** Epoch milliseconds; undefined when the event has not happened. */
type TimeOf = (pod: Pod) => number | undefined;

function timeAt(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

const createdAt: TimeOf = ({ metadata }) => timeAt(metadata.creationTimestamp);
const readySince: TimeOf = (pod) => (isReady(pod) ? timeAt(readyCondition(pod)?.lastTransitionTime) : undefined);

/** Pods for which the event has not happened first, then the latest first. */
function latest(timeOf: TimeOf): Order {
  return (a, b) => {
    const [first, second] = [timeOf(a) ?? Infinity, timeOf(b) ?? Infinity];
    return first === second ? 0 : second - first;
  };
}

/** As {@link latest}, but compares ages by power of two (of nanoseconds); pods of similar age are ordered by uid. */
function latestAbout(timeOf: TimeOf, nowMs: number): Order {
  const magnitude = (time: number): number => (time < nowMs ? Math.trunc(Math.log2((nowMs - time) * 1e6)) : -1);
  return (a, b) => {
    const [first, second] = [timeOf(a), timeOf(b)];
    if (first === second) return 0;
    if (first === undefined || second === undefined) return first === undefined ? -1 : 1;
    const difference = magnitude(first) - magnitude(second);
    return difference === 0 ? ((a.metadata.uid ?? "") < (b.metadata.uid ?? "") ? -1 : 1) : difference;
  };
}

const phases = ["Pending", "Unknown", "Running"];

/** Unscheduled pods first, then not running, then not ready. */
const leastAlive = firstOf(
  smallest(({ spec }) => ((spec?.nodeName ?? "") === "" ? 0 : 1)),
  smallest(({ status }) => Math.max(0, phases.indexOf(status?.phase ?? ""))),
  smallest((pod) => (isReady(pod) ? 1 : 0)),
);

function mostRestarts(statuses: readonly ContainerStatus[] = []): number {
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}

/** Highest restart count of a container first; then of a sidecar. */
const mostRestarted = firstOf(
  smallest(({ status }) => -mostRestarts(status?.containerStatuses)),
  smallest((pod) => {
    const sidecars = objectsIn(objectIn(asJson(pod), "spec"), "initContainers")
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name);
    return -mostRestarts(pod.status?.initContainerStatuses?.filter(({ name }) => sidecars.includes(name)));
  }),
);

const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/** The pod's `controller.kubernetes.io/pod-deletion-cost`, 0 by default. */
function deletionCost({ metadata }: Pod): number {
  return Number(metadata.annotations?.[costAnnotation] ?? 0);
}

/** Which surplus pods of a Job are deleted first (`ActivePods` in kube-controller-manager). */
export const deletionOrder: Order = firstOf(leastAlive, latest(readySince), mostRestarted, latest(createdAt));

/**
 * Which surplus pods of a ReplicaSet are deleted first; `related` are the pods of all ReplicaSets of its owner: pods on
 * nodes with more of them are deleted first.
 */
export function scaleDownOrder(related: readonly Pod[], nowMs: number): Order {
  const onNode = new Map<string, number>();
  for (const { spec } of related.filter(isActive)) {
    const node = spec?.nodeName ?? "";
    onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  return firstOf(
    leastAlive,
    smallest(deletionCost),
    smallest(({ spec }) => -(onNode.get(spec?.nodeName ?? "") ?? 0)),
    latestAbout(readySince, nowMs),
    mostRestarted,
    latestAbout(createdAt, nowMs),
  );
}
