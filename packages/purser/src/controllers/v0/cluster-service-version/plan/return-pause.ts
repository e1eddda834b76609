import type { ClusterServiceVersionStatus } from "../../../../apis/v0/cluster-service-version.ts";
import type { PhaseChange } from "./phase-status.ts";

const firstMs = 2_000;
const longestMs = 60_000;

/**
 * Milliseconds that a CSV still waits before it returns to an earlier phase for a reason for which it was there before: 0 the
 * first time since it succeeded, then from 2 seconds, doubled each time, to a minute. Without it a fault that a new attempt
 * does not repair moves the CSV in a circle as fast as the API server answers. Follows from the history in the status alone.
 */
export function returnPauseMs(
  status: ClusterServiceVersionStatus | undefined,
  { phase, reason }: Pick<PhaseChange, "phase" | "reason">,
  now: number,
): number {
  const history = status?.conditions ?? [];
  const times = history
    .slice(history.findLastIndex((entry) => entry.phase === "Succeeded") + 1)
    .filter((entry) => entry.phase === phase && entry.reason === reason).length;
  const entered = Date.parse(status?.lastUpdateTime ?? "");
  if (times === 0 || Number.isNaN(entered)) return 0;
  return Math.max(0, entered + Math.min(longestMs, firstMs * 2 ** (times - 1)) - now);
}
