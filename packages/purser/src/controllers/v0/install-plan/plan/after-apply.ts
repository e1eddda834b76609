import { formatTime } from "@purser/kubernetes/clock";
import type { Plan } from "@purser/kubernetes/kube/plan";
import type { InstallPlanStatus } from "../../../../apis/v0/install-plan.ts";
import type { ExecutionOutcome } from "../../../../rollout/plan/execution-outcome.ts";
import { withInstalled } from "./installed-condition.ts";
import { type InstallPlanAction, type InstallPlanWorld, isUndone } from "./plan-install-plan.ts";

/** How an attempt to execute steps ended. */
export type InstallPlanOutcome =
  | (ExecutionOutcome & { readonly kind: "executed" })
  /** Steps of a complete plan were executed once more. */
  | (Pick<ExecutionOutcome, "failure"> & { readonly kind: "repaired" })
  /** The steps of a CSV that an upgrade goes back to were executed once more. */
  | (Pick<ExecutionOutcome, "failure"> & { readonly kind: "restored" })
  /** The account that the OperatorGroup names cannot be used; nothing was written. */
  | { readonly kind: "noAccount"; readonly message: string };

/**
 * How long an error is retried, counted from the first attempt; a 403 is retried without a time limit. Time in which no
 * process tried does not count: after a restart the first attempt of the new process begins the minute again.
 */
const defaultRetryMs = 60_000;

type AttemptedWorld = Pick<InstallPlanWorld, "plan" | "replaced" | "goingBack" | "triedSince" | "retryMs">;

/** The status and events after an attempt, and why it is retried. A repair changes no status. */
export function afterApply(
  { plan, replaced, goingBack, triedSince: firstHere, retryMs = defaultRetryMs }: AttemptedWorld,
  outcome: InstallPlanOutcome,
  now: number,
): Plan<InstallPlanAction> {
  switch (outcome.kind) {
    case "noAccount":
      return { actions: [], retry: outcome.message };
    case "repaired":
      return { actions: [], ...retryOf(outcome) };
    case "restored":
      // Marked versions are deleted: not before what they overwrote is as it was.
      return outcome.failure === undefined
        ? { actions: (goingBack?.marks ?? []).map((write) => ({ kind: "write", write })) }
        : { actions: [], ...retryOf(outcome) };
    case "executed": {
      if (plan.status === undefined) return { actions: [] };
      const times = { now, triedSince: firstHere ?? now, retryMs };
      const status = statusAfter(plan.status, outcome, replaced, times);
      const isWritten = outcome.events.length > 0 || !isOnlyServed(plan.status, status);
      return {
        actions: isWritten ? [{ kind: "status", status, events: outcome.events }] : [],
        ...retryOf(outcome),
        ...deadlineOf(status, outcome, times),
      };
    }
  }
}

/**
 * Whether nothing happened but that definitions are served by now, while others are not. Every later pass sees the same
 * without a read, so it is written with the last of them: a package may bring thirty.
 */
function isOnlyServed(before: InstallPlanStatus, after: InstallPlanStatus): boolean {
  const isSame = (["phase", "message", "startTime"] as const).every((field) => before[field] === after[field]);
  const steps = after.plan ?? [];
  if (!isSame || !steps.some(({ status }) => status === "WaitingForApi")) return false;
  return steps.every(({ status }, index) => {
    const was = before.plan?.[index]?.status;
    return status === was || (status === "Created" && was === "WaitingForApi");
  });
}

const retryOf = ({ failure }: Pick<ExecutionOutcome, "failure">): { readonly retry?: string } =>
  failure === undefined ? {} : { retry: failure.message };

/** Epoch milliseconds: of this pass, and of the first attempt of this process. */
interface AttemptTimes {
  readonly now: number;
  readonly triedSince: number;
  readonly retryMs: number;
}

/** The plan fails when its minute ends, not when the back-off ends that follows it. */
function deadlineOf(
  { phase, startTime = "" }: InstallPlanStatus,
  { failure }: Pick<ExecutionOutcome, "failure">,
  { now, triedSince, retryMs }: AttemptTimes,
): { readonly recheckAfterMs?: number } {
  if (failure === undefined || failure.forbidden || phase !== "Installing") return {};
  return { recheckAfterMs: Math.max(Date.parse(startTime), triedSince) + retryMs - now };
}

/** The start time is that of the first attempt; the message is that of the last one. */
function statusAfter(
  status: InstallPlanStatus,
  { steps, failure }: ExecutionOutcome,
  replaced: ReadonlySet<string>,
  { now, triedSince, retryMs }: AttemptTimes,
): InstallPlanStatus {
  const { message: _, ...rest } = status;
  const kept = { ...rest, startTime: status.startTime ?? formatTime(now), plan: steps };
  if (failure !== undefined) {
    const { message, forbidden, final = false } = failure;
    const isRetried = !final && (forbidden || now - Math.max(Date.parse(kept.startTime), triedSince) < retryMs);
    if (isRetried) return { ...kept, message: `retrying execution due to error: ${message}` };
    const condition = { status: "False", reason: "InstallComponentFailed", message } as const;
    return { ...kept, phase: "Failed", message, conditions: withInstalled(status, condition, now) };
  }
  const due = steps.filter(({ resolving }) => !replaced.has(resolving));
  if (due.some((step) => step.status === "WaitingForApi" || step.status === "NotPresent")) return kept;
  const complete = { ...kept, phase: "Complete", conditions: withInstalled(status, { status: "True" }, now) } as const;
  const leftOut = new Set(
    steps.filter((step) => !due.includes(step) && isUndone(step)).map(({ resolving }) => resolving),
  );
  return leftOut.size === 0 ? complete : { ...complete, message: leftOutText([...leftOut]) };
}

const leftOutText = (csvs: readonly string[]): string =>
  `the remaining steps of ${csvs.join(", ")} are skipped: a later version has replaced ${csvs.length === 1 ? "it" : "them"}`;
