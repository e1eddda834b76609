import { type Condition, findCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterExtensionStatus } from "../../../../apis/v1/cluster-extension.ts";
import { withoutNextTry } from "../../../../catalog/failure-text.ts";
import { conditionCause, firstLine } from "../../../plan/condition-cause.ts";
import { stalledOf } from "../../../../installation/stalled.ts";
import type { Readiness } from "../../../plan/readiness.ts";
import type { RevisionStates } from "./revision-state.ts";

const onChange = "when the extension, its bundle or its catalogs change";

/**
 * What an extension waits for, by the conditions that it shows.
 * @param ownProgress the condition Progressing when it is about the extension itself and not that of its newest revision
 */
export function readinessOf(
  { conditions }: ClusterExtensionStatus,
  { installed, rollingOut }: RevisionStates,
  ownProgress: Pick<Condition, "status" | "reason" | "message"> | undefined,
): Readiness {
  const progress = ownProgress ?? findCondition(conditions, "Progressing");
  if (progress === undefined) return { kind: "reconciling", reason: "Resolving", message: "No revision reports yet" };
  const { status, reason, message } = progress;
  const latest = rollingOut.at(-1) ?? installed;
  if (ownProgress === undefined) {
    const stalled = stalledOf(latest?.status?.conditions);
    if (stalled !== undefined)
      return {
        kind: "stalled",
        ...stalled,
        blockedBy: `revision ${latest?.metadata.name ?? ""}: ${stalled.blockedBy}`,
      };
  }
  const available = findCondition(conditions, "Available");
  if (status === "True" && reason === "Succeeded")
    return available === undefined || available.status === "True"
      ? { kind: "ready", reason, message: findCondition(conditions, "Installed")?.message ?? message }
      : { kind: "reconciling", reason: available.reason, message: firstLine(available.message) };
  const { reason: cause, blockedBy } = conditionCause(progress);
  if (status === "True" && reason === "RollingOut") return { kind: "reconciling", reason: cause, message: blockedBy };
  const { text, nextTry } = withoutNextTry(blockedBy);
  return {
    kind: "stalled",
    reason: cause,
    blockedBy: text,
    nextRetry:
      status === "False" ? onChange : `${onChange}, and ${nextTry === undefined ? "with back-off" : `at ${nextTry}`}`,
  };
}
