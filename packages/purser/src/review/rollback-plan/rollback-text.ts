import type { PlanLine } from "../change-plan/plan-text.ts";
import { planLines } from "../change-plan/plan-text.ts";
import type { RollbackPlan } from "./rollback-plan.ts";

/** A rollback as text: what cannot be undone first, then the changes. */
export function rollbackLines({ changes, losses, notes }: RollbackPlan, full: boolean): readonly PlanLine[] {
  return [
    losses.length === 0
      ? { text: "Nothing is lost by the rollback", meaning: "good" }
      : { text: "Cannot be undone", meaning: "bad" },
    ...losses.map((text): PlanLine => ({ text: `  ! ${text}`, meaning: "bad" })),
    ...notes.map((text): PlanLine => ({ text: `  ${text}`, meaning: "attention" })),
    ...planLines(changes, full),
  ];
}
