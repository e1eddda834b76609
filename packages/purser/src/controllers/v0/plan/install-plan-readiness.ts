import { formatTime } from "@purser/kubernetes/clock";
import type { InstallPlan, InstallPlanCondition, InstallPlanStatus } from "../../../apis/v0/install-plan.ts";
import { stalledMessage, stalledOf } from "../../../installation/stalled.ts";
import { conditionCause } from "../../plan/condition-cause.ts";
import type { Readiness } from "../../plan/readiness.ts";

/** What an InstallPlan waits for. */
export function installPlanReadiness({ spec, status }: Pick<InstallPlan, "spec" | "status">): Readiness {
  const { phase, message, conditions } = status ?? {};
  if (phase === "Complete") return { kind: "ready", reason: "Complete", message: "" };
  const installed = conditions?.find(({ type }) => type === "Installed");
  if (phase === "Failed")
    return {
      kind: "stalled",
      ...conditionCause(installed ?? { reason: "InstallComponentFailed", message: message ?? "" }),
      nextRetry: "when a catalog offers another version",
    };
  if (phase === "RequiresApproval" && spec.approved !== true)
    return { kind: "reconciling", reason: "ApprovalRequired", message: "it is pending approval" };
  const trouble = installed?.status === "False" && installed.reason !== "Unknown" ? installed : retriedStep(message);
  if (trouble !== undefined)
    return { kind: "stalled", ...conditionCause(trouble), nextRetry: "when the cluster changes, and with back-off" };
  return { kind: "reconciling", reason: "Installing", message: "it is being executed" };
}

const retrying = "retrying execution due to error: ";

function retriedStep(message = ""): { readonly reason: string; readonly message: string } | undefined {
  return message.startsWith(retrying)
    ? { reason: "InstallComponentFailed", message: message.slice(retrying.length) }
    : undefined;
}

/**
 * The status with the condition `Stalled` or `Reconciling` while one of them is True. As on a Subscription neither is there
 * when it has nothing to report, so that a complete InstallPlan is what OLM writes.
 */
export function withInstallPlanReadiness(
  { spec }: Pick<InstallPlan, "spec">,
  status: InstallPlanStatus,
  now: number,
): InstallPlanStatus {
  const { conditions: held = [], ...rest } = status;
  const readiness = installPlanReadiness({ spec, status });
  const others = held.filter(({ type }) => type !== "Stalled" && type !== "Reconciling");
  const time = formatTime(now);
  const next = conditionOf(readiness, stalledOf(held)?.stuckSince ?? time);
  if (next === undefined) return others.length === 0 ? rest : { ...rest, conditions: others };
  const before = held.find(({ type }) => type === next.type);
  if (before !== undefined && before.reason === next.reason && before.message === next.message)
    return { ...rest, conditions: [...others, before] };
  const lastTransitionTime = before?.lastTransitionTime ?? time;
  return { ...rest, conditions: [...others, { ...next, lastUpdateTime: time, lastTransitionTime }] };
}

function conditionOf(readiness: Readiness, stuckSince: string): InstallPlanCondition | undefined {
  const { reason } = readiness;
  switch (readiness.kind) {
    case "stalled":
      return { type: "Stalled", status: "True", reason, message: stalledMessage({ ...readiness, stuckSince }) };
    case "reconciling":
      return { type: "Reconciling", status: "True", reason, message: readiness.message };
    case "ready":
    case "paused":
      return undefined;
  }
}
