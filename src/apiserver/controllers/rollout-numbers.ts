import type { Deployment, ReplicaSet } from "../../apis/apps.ts";
import type { IntOrString } from "../../apis/core.ts";

/** Absolute number of a count or percentage of `total`. */
export function scaled(value: IntOrString | undefined, total: number, round: "up" | "down"): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return value;
  const percent = Number.parseFloat(value.replace("%", ""));
  if (Number.isNaN(percent)) return 0;
  const exact = (percent * total) / 100;
  return round === "up" ? Math.ceil(exact) : Math.floor(exact);
}

export interface RolloutLimits {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** What a rollout of the deployment may do at once; `Recreate` has neither surge nor slack. */
export function limitsOf(deployment: Deployment): RolloutLimits {
  const replicas = deployment.spec?.replicas ?? 1;
  const strategy = deployment.spec?.strategy;
  if (strategy?.type === "Recreate") return { replicas, maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaled(strategy?.rollingUpdate?.maxSurge, replicas, "up");
  const slack = scaled(strategy?.rollingUpdate?.maxUnavailable, replicas, "down");
  // Both zero would never move.
  const maxUnavailable = maxSurge === 0 && slack === 0 ? 1 : Math.min(slack, replicas);
  return { replicas, maxSurge, maxUnavailable };
}

export function replicasOf(set: ReplicaSet): number {
  return set.spec?.replicas ?? 1;
}

export function sumOf(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0);
}

/** How many replicas the newest set gets now, within the surge. */
export function newestReplicas(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  newest: ReplicaSet | undefined,
): number {
  const { replicas, maxSurge } = limitsOf(deployment);
  const current = newest === undefined ? 0 : replicasOf(newest);
  if (deployment.spec?.strategy?.type === "Recreate") return replicas;
  const room = replicas + maxSurge - sumOf(all, replicasOf);
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

export interface ScaleDown {
  readonly set: ReplicaSet;
  readonly to: number;
}

/** Which old sets shrink now without dropping below the available minimum: first what never became healthy. */
export function shrinkOld(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  newest: ReplicaSet,
): readonly ScaleDown[] {
  const { replicas, maxUnavailable } = limitsOf(deployment);
  const all = [...old, newest];
  const minimum = replicas - maxUnavailable;
  const newUnavailable = replicasOf(newest) - (newest.status?.availableReplicas ?? 0);
  let room = sumOf(all, replicasOf) - minimum - newUnavailable;
  if (room <= 0) return [];
  const left = new Map(old.map((set) => [set, replicasOf(set)]));
  const byAge = old.toSorted((a, b) =>
    (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1,
  );
  for (const set of byAge) {
    const unhealthy = Math.max(0, replicasOf(set) - (set.status?.availableReplicas ?? 0));
    const cut = Math.min(room, unhealthy);
    left.set(set, (left.get(set) ?? 0) - cut);
    room -= cut;
  }
  let available = Math.max(0, sumOf(all, (set) => set.status?.availableReplicas ?? 0) - minimum);
  for (const set of byAge) {
    const cut = Math.min(available, left.get(set) ?? 0);
    left.set(set, (left.get(set) ?? 0) - cut);
    available -= cut;
  }
  return byAge.flatMap((set) => {
    const to = left.get(set) ?? 0;
    return to === replicasOf(set) ? [] : [{ set, to }];
  });
}
