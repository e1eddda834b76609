import type { StrategyWorld } from "../../../../rollout/plan/strategy-world.ts";

/** Whether the serving certificates of the CSV's webhooks and APIServices are past their rotation time. */
export function certificatesDue({ csv }: StrategyWorld, now: number): boolean {
  const due = Date.parse(csv.status?.certsRotateAt ?? "");
  return !Number.isNaN(due) && now >= due;
}
