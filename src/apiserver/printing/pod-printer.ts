import type { JsonObject } from "../../json.ts";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn } from "../kinds/json-parts.ts";
import { ageOf } from "./age.ts";
import { ageCell, cell, nameCell, printer, wide } from "./printer.ts";

interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** RFC 3339, empty when no container ended before. */
  readonly lastRestart: string;
  readonly status: string;
}

function endOf(terminated: JsonObject): string {
  const reason = textIn(terminated, "reason");
  if (reason !== "") return reason;
  const signal = numberIn(terminated, "signal") ?? 0;
  return signal === 0 ? `ExitCode:${numberIn(terminated, "exitCode") ?? 0}` : `Signal:${signal}`;
}

/** Progress of the init containers, or undefined when they are all done. */
function initStatus(pod: JsonObject): string | undefined {
  const total = objectsIn(objectIn(pod, "spec"), "initContainers").length;
  const statuses = objectsIn(objectIn(pod, "status"), "initContainerStatuses");
  for (const [index, container] of statuses.entries()) {
    const state = objectIn(container, "state");
    const terminated = objectIn(state, "terminated");
    if (hasMember(state, "terminated")) {
      if ((numberIn(terminated, "exitCode") ?? 0) === 0) continue;
      return `Init:${endOf(terminated)}`;
    }
    const waiting = textIn(objectIn(state, "waiting"), "reason");
    return waiting !== "" && waiting !== "PodInitializing" ? `Init:${waiting}` : `Init:${index}/${total}`;
  }
  return undefined;
}

function conditionIs(pod: JsonObject, type: string): boolean {
  return objectsIn(objectIn(pod, "status"), "conditions").some(
    (condition) => condition["type"] === type && condition["status"] === "True",
  );
}

function summarize(pod: JsonObject): PodSummary {
  const spec = objectIn(pod, "spec");
  const status = objectIn(pod, "status");
  const containers = objectsIn(status, "containerStatuses");
  let text = textIn(status, "reason") || textIn(status, "phase");
  if (
    objectsIn(status, "conditions").some(({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated")
  ) {
    text = "SchedulingGated";
  }
  let ready = 0;
  let restarts = 0;
  let lastRestart = "";
  let running = false;
  const initializing = initStatus(pod);
  for (const container of containers.toReversed()) {
    restarts += numberIn(container, "restartCount") ?? 0;
    const finished = textIn(objectAt(container, "lastState", "terminated"), "finishedAt");
    if (finished > lastRestart) lastRestart = finished;
    const state = objectIn(container, "state");
    if (container["ready"] === true && hasMember(state, "running")) {
      running = true;
      ready++;
    }
    const waiting = textIn(objectIn(state, "waiting"), "reason");
    if (initializing !== undefined) continue;
    if (waiting !== "") text = waiting;
    else if (hasMember(state, "terminated")) text = endOf(objectIn(state, "terminated"));
  }
  if (initializing !== undefined) text = initializing;
  else if (text === "Completed" && running) text = conditionIs(pod, "Ready") ? "Running" : "NotReady";
  if (hasMember(objectIn(pod, "metadata"), "deletionTimestamp")) {
    text = textIn(status, "reason") === "NodeLost" ? "Unknown" : "Terminating";
  }
  return { ready, total: objectsIn(spec, "containers").length, restarts, lastRestart, status: text };
}

function or(text: string, otherwise: string): string {
  return text === "" ? otherwise : text;
}

const finished: Readonly<Record<string, string>> = {
  Succeeded: "The pod has completed successfully.",
  Failed: "The pod failed.",
};

export const podPrinter = printer(
  [
    nameCell,
    cell("Ready", (pod) => {
      const { ready, total } = summarize(pod);
      return `${ready}/${total}`;
    }),
    cell("Status", (pod) => summarize(pod).status),
    cell("Restarts", (pod, nowMs) => {
      const { restarts, lastRestart } = summarize(pod);
      return lastRestart === "" || restarts === 0 ? `${restarts}` : `${restarts} (${ageOf(lastRestart, nowMs)} ago)`;
    }),
    ageCell,
    wide("IP", (pod) => or(textIn(objectIn(pod, "status"), "podIP"), "<none>")),
    wide("Node", (pod) => or(textIn(objectIn(pod, "spec"), "nodeName"), "<none>")),
    wide("Nominated Node", (pod) => or(textIn(objectIn(pod, "status"), "nominatedNodeName"), "<none>")),
    wide("Readiness Gates", (pod) => {
      const gates = objectsIn(objectIn(pod, "spec"), "readinessGates");
      if (gates.length === 0) return "<none>";
      return `${gates.filter((gate) => conditionIs(pod, textIn(gate, "conditionType"))).length}/${gates.length}`;
    }),
  ],
  (pod) => {
    const phase = textIn(objectIn(pod, "status"), "phase");
    const message = Object.hasOwn(finished, phase) ? finished[phase] : undefined;
    return message === undefined ? [] : [{ type: "Completed", status: "True", reason: phase, message }];
  },
);
