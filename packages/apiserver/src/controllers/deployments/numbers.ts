import type { Deployment, ReplicaSet } from "@purser/kubernetes/apis/apps";
import type { IntOrString } from "@purser/kubernetes/apis/core";

/** A number, or a percentage of `total` rounded up or down. */
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

/** maxSurge and maxUnavailable as numbers; both 0 under `Recreate`. */
export function limitsOf(deployment: Deployment): RolloutLimits {
  const replicas = deployment.spec?.replicas ?? 1;
  const strategy = deployment.spec?.strategy;
  if (strategy?.type === "Recreate") return { replicas, maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaled(strategy?.rollingUpdate?.maxSurge, replicas, "up");
  const slack = scaled(strategy?.rollingUpdate?.maxUnavailable, replicas, "down");
  // With both zero the rollout could not progress.
  const maxUnavailable = Math.min(maxSurge === 0 && slack === 0 ? 1 : slack, replicas);
  return { replicas, maxSurge, maxUnavailable };
}

export function replicasOf(set: ReplicaSet): number {
  return set.spec?.replicas ?? 1;
}

export function sumOf(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0);
}
