import type { HoldCode } from "../../policy/verdict.ts";
import type { Step } from "../../apis/v0/install-plan.ts";

export interface StepEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: "AppliedWithWarnings" | "CRDValidation" | "Approved" | "PlanStale" | HoldCode;
  readonly message: string;
  /** `status.plan[i]` of the InstallPlan. */
  readonly fieldPath?: string;
}

/** How far one pass came. Statuses reached before a failure are kept. */
export interface ExecutionOutcome {
  readonly steps: readonly Step[];
  readonly failure?: StepFailure;
  readonly events: readonly StepEvent[];
}

export interface StepFailure {
  /** OLM's text with its wrapping. */
  readonly message: string;
  /** A request was refused with 403: retried without a time limit. */
  readonly forbidden: boolean;
  /** 404 on a write. */
  readonly notFound?: boolean;
  /** Another attempt cannot help. */
  readonly final?: boolean;
}
