import { type Condition, findCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterExtension } from "./cluster-extension.ts";
import { pausedAnnotation } from "./labels.ts";

/** Reason of the condition Ready while an extension is paused. */
export const pausedReason = "Paused";

/** Whether the extension asks to be left as it is: it is not resolved, and its revisions are neither rolled out nor repaired. */
export function isPaused({ metadata }: ClusterExtension): boolean {
  return metadata.annotations?.[pausedAnnotation] === "true";
}

/** The condition Ready of an extension that shows that it is paused; undefined when it shows something else. */
export function shownAsPaused({ status }: ClusterExtension): Condition | undefined {
  const ready = findCondition(status?.conditions, "Ready");
  return ready?.reason === pausedReason ? ready : undefined;
}
