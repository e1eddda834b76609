import type { Pod } from "../../apis/core.ts";

export function isActive(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase !== "Succeeded" && phase !== "Failed" && pod.metadata.deletionTimestamp === undefined;
}

function readyCondition(pod: Pod): { readonly status: string; readonly lastTransitionTime?: string } | undefined {
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

/** Ready for at least `minimumMs`. */
export function isAvailable(pod: Pod, minimumMs: number, nowMs: number): boolean {
  return (availableAt(pod, minimumMs) ?? Infinity) <= nowMs;
}

/** Milliseconds until the next ready pod will have been ready long enough; undefined when no pod is on its way. */
export function untilAvailable(held: readonly Pod[], minimumMs: number, nowMs: number): number | undefined {
  if (minimumMs === 0) return undefined;
  const waits = held.flatMap((pod) => {
    const at = availableAt(pod, minimumMs);
    return at !== undefined && at > nowMs ? [at - nowMs] : [];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}

const phases = ["Pending", "Unknown", "Running"];

/** Which pods go first when there are too many: without a node, not running, not ready, youngest. */
export function deletionOrder(a: Pod, b: Pod): number {
  const unassigned = (pod: Pod): number => (pod.spec?.nodeName === undefined ? 0 : 1);
  const phase = (pod: Pod): number => phases.indexOf(pod.status?.phase ?? "");
  const ready = (pod: Pod): number => (isReady(pod) ? 1 : 0);
  const born = (pod: Pod): string => pod.metadata.creationTimestamp ?? "";
  return (
    unassigned(a) - unassigned(b) ||
    phase(a) - phase(b) ||
    ready(a) - ready(b) ||
    (born(a) === born(b) ? 0 : born(a) < born(b) ? 1 : -1)
  );
}
