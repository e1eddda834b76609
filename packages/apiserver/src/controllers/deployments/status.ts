import type { Deployment, ReplicaSet } from "@purser/kubernetes/apis/apps";
import type { WorkloadCondition } from "@purser/kubernetes/apis/core";
import { limitsOf, replicasOf, sumOf } from "./numbers.ts";

export type DeploymentStatus = NonNullable<Deployment["status"]> & { readonly terminatingReplicas?: number };
export type Conditions = readonly WorkloadCondition[];

/** The Deployment and its ReplicaSets in one pass. */
export interface Rollout {
  readonly deployment: Deployment;
  readonly newest: ReplicaSet | undefined;
  readonly all: readonly ReplicaSet[];
  /** RFC 3339. */
  readonly now: string;
}

export function conditionOf(conditions: Conditions, type: string): WorkloadCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** Sets a condition; with unchanged status and reason nothing changes, not even the message. */
export function withCondition(
  conditions: Conditions,
  next: { type: string; status: string; reason: string; message: string },
  now: string,
): Conditions {
  const held = conditionOf(conditions, next.type);
  if (held?.status === next.status && held.reason === next.reason) return conditions;
  const lastTransitionTime = held?.status === next.status ? (held.lastTransitionTime ?? now) : now;
  const { type, status, ...rest } = next;
  return [
    ...conditions.filter((condition) => condition.type !== type),
    { type, status, lastUpdateTime: now, lastTransitionTime, ...rest },
  ];
}

export function withoutCondition(conditions: Conditions, type: string): Conditions {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}

/** Members that are zero are omitted, as Go's omitempty does. */
function counted(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

/** Status from the ReplicaSets' counters, with the Available condition. */
export function countedStatus({ deployment, newest, all, now }: Rollout): DeploymentStatus {
  const { replicas, maxUnavailable } = limitsOf(deployment);
  const available = sumOf(all, (set) => set.status?.availableReplicas ?? 0);
  const wanted = sumOf(all, replicasOf);
  const enough = available >= replicas - maxUnavailable;
  const conditions = withCondition(
    deployment.status?.conditions ?? [],
    enough
      ? {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        }
      : {
          type: "Available",
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        },
    now,
  );
  const terminating = sumOf(
    all,
    (set) => (set.status as { terminatingReplicas?: number } | undefined)?.terminatingReplicas ?? 0,
  );
  return {
    ...counted({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: sumOf(all, (set) => set.status?.replicas ?? 0),
      updatedReplicas: newest?.status?.replicas ?? 0,
      readyReplicas: sumOf(all, (set) => set.status?.readyReplicas ?? 0),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, wanted - available),
    }),
    terminatingReplicas: terminating,
    conditions,
    ...(deployment.status?.collisionCount === undefined ? {} : { collisionCount: deployment.status.collisionCount }),
  };
}

/** progressDeadlineSeconds in milliseconds; undefined when there is none. */
export function deadlineMs(deployment: Deployment): number | undefined {
  const seconds = deployment.spec?.progressDeadlineSeconds;
  return seconds === undefined || seconds === 2_147_483_647 ? undefined : seconds * 1000;
}

/** Whether all pods are updated, available and the only ones; `status` may be that of an earlier pass. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = deployment.spec?.replicas ?? 1;
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus): number => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function hasTimedOut(condition: WorkloadCondition | undefined, deadline: number, nowMs: number): boolean {
  if (condition === undefined || condition.reason === "NewReplicaSetAvailable") return false;
  if (condition.reason === "ProgressDeadlineExceeded") return true;
  return Date.parse(condition.lastUpdateTime ?? "") + deadline <= nowMs;
}

/** The whole status: counters, Available, Progressing, ReplicaFailure. */
export function rolloutStatus(rollout: Rollout, nowMs: number): DeploymentStatus {
  const { deployment, newest, all, now } = rollout;
  const status = countedStatus(rollout);
  let conditions = status.conditions ?? [];
  const deadline = deadlineMs(deployment);
  const held = conditionOf(deployment.status?.conditions ?? [], "Progressing");
  const settled = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && held?.reason === "NewReplicaSetAvailable";
  const subject =
    newest === undefined
      ? `Deployment "${deployment.metadata.name ?? ""}"`
      : `ReplicaSet "${newest.metadata.name ?? ""}"`;
  if (deadline === undefined) conditions = withoutCondition(conditions, "Progressing");
  else if (!settled) {
    const progressing = { type: "Progressing", status: "True" };
    if (isComplete(deployment, status)) {
      const message = `${subject} has successfully progressed.`;
      conditions = withCondition(conditions, { ...progressing, reason: "NewReplicaSetAvailable", message }, now);
    } else if (hasProgressed(deployment.status ?? {}, status)) {
      // Progress updates lastUpdateTime, even with an unchanged reason.
      const message = `${subject} is progressing.`;
      const since = held?.status === "True" ? (held.lastTransitionTime ?? now) : now;
      conditions = [
        ...withoutCondition(conditions, "Progressing"),
        { ...progressing, lastUpdateTime: now, lastTransitionTime: since, reason: "ReplicaSetUpdated", message },
      ];
    } else if (hasTimedOut(conditionOf(conditions, "Progressing"), deadline, nowMs)) {
      const message = `${subject} has timed out progressing.`;
      const exceeded = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message };
      conditions = withCondition(conditions, exceeded, now);
    }
  }
  return { ...status, conditions: withReplicaFailure(conditions, newest, all) };
}

function withReplicaFailure(
  conditions: Conditions,
  newest: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
): Conditions {
  const failures = [...(newest === undefined ? [] : [newest]), ...all].flatMap((set) =>
    (set.status?.conditions ?? []).filter(({ type }) => type === "ReplicaFailure"),
  );
  const [failure] = failures;
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  const held = conditionOf(conditions, "ReplicaFailure");
  if (held?.status === failure.status && held.reason === failure.reason) return conditions;
  const copied = {
    ...failure,
    ...(failure.lastTransitionTime === undefined ? {} : { lastUpdateTime: failure.lastTransitionTime }),
  };
  return [...withoutCondition(conditions, "ReplicaFailure"), copied];
}
