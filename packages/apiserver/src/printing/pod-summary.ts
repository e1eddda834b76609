import type { JsonObject } from "@purser/kubernetes/json";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";

/** Container summary of a row of `kubectl get pods`. */
export interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** RFC 3339; empty when no container has terminated before. */
  readonly lastRestart: string;
  readonly status: string;
}

interface Restarts {
  readonly count: number;
  readonly last: string;
}

const noRestarts: Restarts = { count: 0, last: "" };

function withRestartsOf({ count, last }: Restarts, container: JsonObject): Restarts {
  const finished = textIn(objectAt(container, "lastState", "terminated"), "finishedAt");
  return { count: count + (numberIn(container, "restartCount") ?? 0), last: finished > last ? finished : last };
}

function endOf(terminated: JsonObject): string {
  const reason = textIn(terminated, "reason");
  if (reason !== "") return reason;
  const signal = numberIn(terminated, "signal") ?? 0;
  return signal === 0 ? `ExitCode:${numberIn(terminated, "exitCode") ?? 0}` : `Signal:${signal}`;
}

/** Whether an init container is restartable (a sidecar). */
const isSidecar = (container: JsonObject): boolean => container["restartPolicy"] === "Always";

export function conditionIs(pod: JsonObject, type: string): boolean {
  const found = objectsIn(objectIn(pod, "status"), "conditions").find((condition) => condition["type"] === type);
  return found?.["status"] === "True";
}

interface Initializing {
  /** State of the first unfinished init container; undefined when all are done. */
  readonly status: string | undefined;
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
  readonly readySidecars: number;
}

function initProgress(pod: JsonObject): Initializing {
  const declared = objectsIn(objectIn(pod, "spec"), "initContainers");
  const sidecars = new Set(declared.filter(isSidecar).map((container) => textIn(container, "name")));
  let [restarts, sidecarRestarts] = [noRestarts, noRestarts];
  let readySidecars = 0;
  for (const [index, container] of objectsIn(objectIn(pod, "status"), "initContainerStatuses").entries()) {
    const sidecar = sidecars.has(textIn(container, "name"));
    restarts = withRestartsOf(restarts, container);
    if (sidecar) sidecarRestarts = withRestartsOf(sidecarRestarts, container);
    const state = objectIn(container, "state");
    const terminated = hasMember(state, "terminated") ? objectIn(state, "terminated") : undefined;
    if (terminated !== undefined && (numberIn(terminated, "exitCode") ?? 0) === 0) continue;
    if (sidecar && container["started"] === true) {
      if (container["ready"] === true) readySidecars++;
      continue;
    }
    const waiting = textIn(objectIn(state, "waiting"), "reason");
    const now =
      terminated !== undefined
        ? endOf(terminated)
        : waiting !== "" && waiting !== "PodInitializing"
          ? waiting
          : `${index}/${declared.length}`;
    return { status: `Init:${now}`, restarts, sidecarRestarts, readySidecars };
  }
  return { status: undefined, restarts, sidecarRestarts, readySidecars };
}

function phaseOf(pod: JsonObject): string {
  const status = objectIn(pod, "status");
  const isGated = objectsIn(status, "conditions").some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  return isGated ? "SchedulingGated" : textIn(status, "reason") || textIn(status, "phase");
}

interface Running {
  readonly status: string;
  readonly restarts: Restarts;
  readonly ready: number;
}

function containersNow(pod: JsonObject, before: string, sidecarRestarts: Restarts): Running {
  let [status, restarts, ready, failure] = [before, sidecarRestarts, 0, ""];
  // In reverse order, so that the first container's state is the one that remains.
  for (const container of objectsIn(objectIn(pod, "status"), "containerStatuses").toReversed()) {
    restarts = withRestartsOf(restarts, container);
    const state = objectIn(container, "state");
    const waiting = textIn(objectIn(state, "waiting"), "reason");
    if (waiting !== "") status = waiting;
    else if (hasMember(state, "terminated")) {
      const terminated = objectIn(state, "terminated");
      status = endOf(terminated);
      if ((numberIn(terminated, "exitCode") ?? 0) !== 0) failure = status;
    } else if (container["ready"] === true && hasMember(state, "running")) ready++;
  }
  if (status !== "Completed") return { status, restarts, ready };
  // `Completed` applies only when no container is running.
  const running = ready > 0 && conditionIs(pod, "Ready") ? "Running" : failure || (ready > 0 ? "NotReady" : status);
  return { status: running, restarts, ready };
}

/** Sums up the containers of a pod as `kubectl get pods` shows them. */
export function podSummary(pod: JsonObject): PodSummary {
  const [spec, status] = [objectIn(pod, "spec"), objectIn(pod, "status")];
  const init = initProgress(pod);
  const isInitialized = init.status === undefined || conditionIs(pod, "Initialized");
  const before = init.status ?? phaseOf(pod);
  const now = isInitialized
    ? containersNow(pod, before, init.sidecarRestarts)
    : { status: before, restarts: init.restarts, ready: 0 };
  return {
    ready: init.readySidecars + now.ready,
    total: objectsIn(spec, "containers").length + objectsIn(spec, "initContainers").filter(isSidecar).length,
    restarts: now.restarts.count,
    lastRestart: now.restarts.last,
    status: hasMember(objectIn(pod, "metadata"), "deletionTimestamp") ? leaving(status, now.status) : now.status,
  };
}

function leaving(status: JsonObject, otherwise: string): string {
  if (textIn(status, "reason") === "NodeLost") return "Unknown";
  return ["Succeeded", "Failed"].includes(textIn(status, "phase")) ? otherwise : "Terminating";
}
