import type { ClusterServiceVersionStatus } from "../../../../apis/v0/cluster-service-version.ts";
import { remainingMs } from "@purser/kubernetes/clock";
import type { PhaseChange } from "./phase-status.ts";

const firstMs = 2_000;
const longestMs = 60_000;
/** A success that ends sooner was none: what the check of `Succeeded` finds, an install has not repaired. */
const lastingMs = 5_000;

/**
 * Milliseconds that a CSV still waits before it returns to an earlier phase for a reason for which it was there before: 0 the
 * first time since it succeeded, then from 2 seconds, doubled each time, to a minute. Without it a fault that a new attempt
 * does not repair moves the CSV in a circle as fast as the API server answers. Follows from the history in the status alone.
 * @param repeats what an earlier return must share to count: `message` for a change that its message names, so that only the
 *   same change waits
 */
export function returnPauseMs(
  status: ClusterServiceVersionStatus | undefined,
  { phase, reason, message }: PhaseChange,
  repeats: "reason" | "message",
  now: number,
): number {
  const history = status?.conditions ?? [];
  const times = history
    .slice(history.findLastIndex((entry, at) => entry.phase === "Succeeded" && lasted(entry, history[at + 1])) + 1)
    .filter((entry) => entry.phase === phase && entry.reason === reason)
    .filter((entry) => repeats === "reason" || entry.message === message).length;
  return times === 0 ? 0 : remainingMs(status?.lastUpdateTime, Math.min(longestMs, firstMs * 2 ** (times - 1)), now);
}

type HistoryEntry = NonNullable<ClusterServiceVersionStatus["conditions"]>[number];

/** Whether a phase lasted until the next one for some seconds; the last one is taken to. */
function lasted(entry: HistoryEntry, next: HistoryEntry | undefined): boolean {
  const [from, to] = [Date.parse(entry.lastUpdateTime ?? ""), Date.parse(next?.lastUpdateTime ?? "")];
  return Number.isNaN(from) || Number.isNaN(to) || to - from >= lastingMs;
}
