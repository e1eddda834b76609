import { formatTime } from "@purser/kubernetes/clock";
import type { InstallPlanCondition, InstallPlanStatus } from "../../../../apis/v0/install-plan.ts";

/** The condition list with `Installed` replaced; the transition time moves only when the status does. */
export function withInstalled(
  status: InstallPlanStatus,
  condition: Omit<InstallPlanCondition, "type" | "lastUpdateTime" | "lastTransitionTime">,
  now: number,
): readonly InstallPlanCondition[] {
  const time = formatTime(now);
  const held = status.conditions ?? [];
  const before = held.find(({ type }) => type === "Installed");
  const lastTransitionTime =
    before !== undefined && before.status === condition.status ? (before.lastTransitionTime ?? time) : time;
  const next: InstallPlanCondition = { type: "Installed", ...condition, lastUpdateTime: time, lastTransitionTime };
  return before === undefined ? [...held, next] : held.map((existing) => (existing === before ? next : existing));
}
