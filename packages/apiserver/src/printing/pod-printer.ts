import { objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { ageOf } from "@purser/kubernetes/age";
import { conditionIs, podSummary } from "./pod-summary.ts";
import { ageCell, cell, nameCell, printer, wide } from "./printer.ts";

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
      const { ready, total } = podSummary(pod);
      return `${ready}/${total}`;
    }),
    cell("Status", (pod) => podSummary(pod).status),
    cell("Restarts", (pod, nowMs) => {
      const { restarts, lastRestart } = podSummary(pod);
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
