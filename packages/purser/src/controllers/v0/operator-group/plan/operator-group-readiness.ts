import type { Condition } from "@purser/kubernetes/apis/condition";
import { type Readiness, withReadiness } from "../../../plan/readiness.ts";

/** What keeps a group from serving its namespace. */
export interface GroupObstacles {
  /** Why the targets cannot be resolved. */
  readonly targets: string | undefined;
  readonly hasNeighbours: boolean;
  /** The ServiceAccount that the group names and that does not exist. */
  readonly missingAccount: string | undefined;
}

/** The conditions with `Ready`, `Reconciling` and `Stalled`, which OLM's OperatorGroups do not have. */
export function withGroupReadiness(
  conditions: readonly Condition[],
  obstacles: GroupObstacles,
  written: { readonly observedGeneration: number | undefined; readonly time: string },
): readonly Condition[] {
  return withReadiness(conditions, readinessOf(obstacles), written);
}

function readinessOf({ targets, hasNeighbours, missingAccount }: GroupObstacles): Readiness {
  if (targets !== undefined)
    return {
      kind: "stalled",
      reason: "InvalidTargets",
      blockedBy: `${targets}. Correct spec.targetNamespaces or spec.selector; without both, the group targets every namespace`,
      nextRetry: "when the OperatorGroup changes",
    };
  if (hasNeighbours)
    return {
      kind: "stalled",
      reason: "OperatorGroupAmbiguous",
      blockedBy: "the namespace has several OperatorGroups. Delete all but one",
      nextRetry: "when an OperatorGroup of the namespace is deleted",
    };
  if (missingAccount !== undefined)
    return {
      kind: "stalled",
      reason: "ServiceAccountNotFound",
      blockedBy: `ServiceAccount ${missingAccount} does not exist. Create it or correct spec.serviceAccountName`,
      nextRetry: "every 2 seconds",
    };
  return { kind: "ready", reason: "Serving", message: "" };
}
