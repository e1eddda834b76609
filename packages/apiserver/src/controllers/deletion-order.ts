import type { ContainerStatus, Pod } from "@purser/kubernetes/apis/core";
import { asJson } from "@purser/kubernetes/apis/object";
import { objectIn, objectsIn } from "../kinds/decoding/json-parts.ts";
import { isActive, isReady, readyCondition } from "./pod-state.ts";

/** Negative when the first pod goes before the second. */
type Order = (a: Pod, b: Pod) => number;

/** The first of the orders that tells the pods apart. */
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

/** Epoch milliseconds; undefined when it has not come. */
type TimeOf = (pod: Pod) => number | undefined;

function timeAt(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

const born: TimeOf = ({ metadata }) => timeAt(metadata.creationTimestamp);
const readySince: TimeOf = (pod) => (isReady(pod) ? timeAt(readyCondition(pod)?.lastTransitionTime) : undefined);

/** Those for which it has not come, then those for which it came last. */
function latest(timeOf: TimeOf): Order {
  return (a, b) => {
    const [first, second] = [timeOf(a) ?? Infinity, timeOf(b) ?? Infinity];
    return first === second ? 0 : second - first;
  };
}

/** As {@link latest}, but of about the same age, in powers of two of nanoseconds, any may go: their uids decide. */
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

/** Without a node, not running, not ready. */
const leastAlive = firstOf(
  smallest(({ spec }) => ((spec?.nodeName ?? "") === "" ? 0 : 1)),
  smallest(({ status }) => Math.max(0, phases.indexOf(status?.phase ?? ""))),
  smallest((pod) => (isReady(pod) ? 1 : 0)),
);

function mostRestarts(statuses: readonly ContainerStatus[] = []): number {
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}

/** Whose container was started again most often; then, whose sidecar was. */
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

/** What its owner says that losing it would cost, compared with others. */
function deletionCost({ metadata }: Pod): number {
  return Number(metadata.annotations?.[costAnnotation] ?? 0);
}

/** Which pods of a job go first when there are too many. */
export const deletionOrder: Order = firstOf(leastAlive, latest(readySince), mostRestarted, latest(born));

/**
 * Which pods of a ReplicaSet go first when there are too many; `related` are those of all sets of its owner: where
 * most of them share a node, one of them goes.
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
    latestAbout(born, nowMs),
  );
}
