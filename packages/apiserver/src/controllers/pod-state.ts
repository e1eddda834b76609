import type { Pod } from "@purser/kubernetes/apis/core";

export function isActive(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase !== "Succeeded" && phase !== "Failed" && pod.metadata.deletionTimestamp === undefined;
}

export function readyCondition(
  pod: Pod,
): { readonly status: string; readonly lastTransitionTime?: string } | undefined {
  return pod.status?.conditions?.find(({ type }) => type === "Ready");
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/** Epoch milliseconds from which a ready pod counts as available; undefined while it is not ready. */
function availableAt(pod: Pod, minimumMs: number): number | undefined {
  const ready = readyCondition(pod);
  if (ready?.status !== "True") return undefined;
  return minimumMs === 0 ? 0 : Date.parse(ready.lastTransitionTime ?? "") + minimumMs;
}

/** Whether the pod has been ready for at least `minimumMs`. */
export function isAvailable(pod: Pod, minimumMs: number, nowMs: number): boolean {
  return (availableAt(pod, minimumMs) ?? Infinity) <= nowMs;
}

/**
 * Milliseconds until the next ready pod has been ready for `minimumMs`; undefined when all are available or unready.
 */
export function untilAvailable(held: readonly Pod[], minimumMs: number, nowMs: number): number | undefined {
  if (minimumMs === 0) return undefined;
  const waits = held.flatMap((pod) => {
    const at = availableAt(pod, minimumMs);
    return at !== undefined && at > nowMs ? [at - nowMs] : [];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}
