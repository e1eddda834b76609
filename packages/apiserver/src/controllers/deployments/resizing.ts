import type { Deployment, ReplicaSet } from "@purser/kubernetes/apis/apps";
import { limitsOf, replicasOf, sumOf } from "./numbers.ts";
import { byAge, desiredAnnotation, maxAnnotation } from "./revisions.ts";

/** One write of a ReplicaSet: its new size. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly to: number;
  /** Written also when only its annotations are outdated. */
  readonly always?: true;
}

/** The number in an annotation; undefined when it is absent or not a number. */
function countIn(set: ReplicaSet, annotation: string): number | undefined {
  const text = set.metadata.annotations?.[annotation] ?? "";
  const count = Number(text);
  return /^\+?\d+$/.test(text) && count <= 0x7fffffff ? count : undefined;
}

const isActive = (set: ReplicaSet): boolean => replicasOf(set) > 0;
const availableOf = (set: ReplicaSet): number => set.status?.availableReplicas ?? 0;

/** Whether `spec.replicas` changed since the ReplicaSets with pods were last scaled. */
export function isScaling(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  const { replicas } = limitsOf(deployment);
  return sets.some((set) => {
    const desired = countIn(set, desiredAnnotation);
    return isActive(set) && desired !== undefined && desired !== replicas;
  });
}

/**
 * Applies a change of `spec.replicas`. A single ReplicaSet gets all of it; several keep their proportions, so that the
 * progress of a rollout does not change (proportional scaling).
 */
export function rescale(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): readonly Resize[] {
  const { replicas } = limitsOf(deployment);
  const active = [...old, ...(newest === undefined ? [] : [newest])].filter(isActive);
  if (active.length <= 1) {
    const only = active[0] ?? newest ?? old.toSorted(byAge).at(-1);
    return only === undefined ? [] : [{ set: only, to: replicas }];
  }
  if (newest !== undefined && isSaturated(newest, replicas))
    return active.filter((set) => set !== newest).map((set) => ({ set, to: 0 }));
  return deployment.spec?.strategy?.type === "Recreate" ? [] : shares(deployment, active);
}

function isSaturated(set: ReplicaSet, replicas: number): boolean {
  return countIn(set, desiredAnnotation) === replicas && replicasOf(set) === replicas && availableOf(set) === replicas;
}

function shares(deployment: Deployment, active: readonly ReplicaSet[]): readonly Resize[] {
  const { replicas, maxSurge } = limitsOf(deployment);
  const missing = (replicas > 0 ? replicas + maxSurge : 0) - sumOf(active, replicasOf);
  // The largest first; of equal ones the newest is scaled up and the oldest scaled down first.
  const sorted = active.toSorted((a, b) => replicasOf(b) - replicasOf(a) || (missing > 0 ? byAge(b, a) : byAge(a, b)));
  let given = 0;
  const sizes = sorted.map((set) => {
    const share = missing === 0 || missing === given ? 0 : fraction(deployment, set);
    const allowed = missing - given;
    const step = missing > 0 ? Math.min(share, allowed) : Math.max(share, allowed);
    given += step;
    return replicasOf(set) + step;
  });
  return sorted.map((set, index) => {
    const to = sizes[index] ?? 0;
    return { set, to: index === 0 ? Math.max(0, to + missing - given) : to, always: true };
  });
}

/** By how much the ReplicaSet has to change to keep its proportion. */
function fraction(deployment: Deployment, set: ReplicaSet): number {
  const { replicas, maxSurge } = limitsOf(deployment);
  if (replicas === 0) return -replicasOf(set);
  const before = (countIn(set, maxAnnotation) ?? 0) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  const exact = (replicasOf(set) * (replicas + maxSurge)) / before;
  return Math.floor(exact + 0.5) - replicasOf(set);
}

/** The newest ReplicaSet's size for now, within maxSurge. */
export function grownNewest(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  newest: ReplicaSet | undefined,
): number {
  const { replicas, maxSurge } = limitsOf(deployment);
  const current = newest === undefined ? 0 : replicasOf(newest);
  if (current > replicas || deployment.spec?.strategy?.type === "Recreate") return replicas;
  const room = replicas + maxSurge - sumOf(all, replicasOf);
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

/**
 * Scales down old ReplicaSets, one write after the other, without falling below the minimum of available pods:
 * unhealthy pods first, then as many as the newest ReplicaSet replaces.
 */
export function shrinkOld(deployment: Deployment, old: readonly ReplicaSet[], newest: ReplicaSet): readonly Resize[] {
  const { replicas, maxUnavailable } = limitsOf(deployment);
  const minimum = replicas - maxUnavailable;
  const sizes = new Map(
    old
      .filter(isActive)
      .toSorted(byAge)
      .map((set) => [set, replicasOf(set)]),
  );
  const all = [...sizes.keys(), newest];
  const missing = replicasOf(newest) - availableOf(newest);
  let room = sumOf([...old, newest], replicasOf) - minimum - missing;
  if (room <= 0) return [];
  const resizes: Resize[] = [];
  const cut = (set: ReplicaSet, size: number, by: number): void => {
    if (by <= 0) return;
    sizes.set(set, size - by);
    resizes.push({ set, to: size - by });
  };
  for (const [set, size] of sizes) {
    if (room <= 0) break;
    const idle = size - availableOf(set);
    // Its status does not reflect the last scaling yet, so the number of available pods is unknown.
    if (idle < 0) return resizes;
    cut(set, size, Math.min(room, idle));
    room -= Math.min(room, idle);
  }
  let surplus = sumOf(all, availableOf) - minimum;
  for (const [set, size] of sizes) {
    const spare = Math.min(size, surplus);
    cut(set, size, spare);
    surplus -= Math.max(0, spare);
  }
  return resizes;
}

/** Old ReplicaSets beyond revisionHistoryLimit, which are deleted; the oldest revisions first. */
export function forgotten(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  revisionOf: (set: ReplicaSet) => number,
): readonly ReplicaSet[] {
  const limit = deployment.spec?.revisionHistoryLimit;
  if (limit === undefined || limit === 0x7fffffff) return [];
  const staying = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return staying
    .toSorted((a, b) => revisionOf(a) - revisionOf(b) || byAge(a, b))
    .slice(0, Math.max(0, staying.length - limit))
    .filter(
      ({ metadata, spec, status }) =>
        (spec?.replicas ?? 1) === 0 &&
        (status?.replicas ?? 0) === 0 &&
        (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0),
    );
}
