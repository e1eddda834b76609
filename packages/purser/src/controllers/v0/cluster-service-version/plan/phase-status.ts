import { formatTime } from "@purser/kubernetes/clock";
import { plainJson } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type {
  ClusterServiceVersionPhase,
  ClusterServiceVersionStatus,
  RequirementStatus,
} from "../../../../apis/v0/cluster-service-version.ts";

/** Upstream's wire values. */
export type PhaseReason =
  | "RequirementsUnknown"
  | "RequirementsNotMet"
  | "AllRequirementsMet"
  | "OwnerConflict"
  | "InstallComponentFailed"
  | "InstallComponentFailedNoRetry"
  | "InvalidInstallStrategy"
  | "InstallWaiting"
  | "InstallSucceeded"
  | "InstallCheckFailed"
  | "ComponentUnhealthy"
  | "BeingReplaced"
  | "Replaced"
  | "NeedsReinstall"
  | "NeedsCertRotation"
  | "APIServiceResourceIssue"
  | "APIServiceResourcesNeedReinstall"
  | "APIServiceInstallFailed"
  | "InvalidInstallModes"
  | "NoTargetNamespaces"
  | "UnsupportedOperatorGroup"
  | "NoOperatorGroup"
  | "TooManyOperatorGroups"
  | "InterOperatorGroupOwnerConflict"
  | "CannotModifyStaticOperatorGroupProvidedAPIs"
  | "DetectedClusterChange"
  | "InvalidWebhookDescription"
  | "OperatorConditionNotUpgradeable";

export interface PhaseChange {
  readonly phase: ClusterServiceVersionPhase;
  readonly reason: PhaseReason;
  readonly message: string;
}

/** Conditions that a CSV keeps. */
export const historyLimit = 20;

/** The status after a transition: history appended when phase or reason differ, transition time moved with the phase. */
export function withPhase(
  status: ClusterServiceVersionStatus | undefined,
  change: PhaseChange,
  now: number,
  requirements?: readonly RequirementStatus[],
): ClusterServiceVersionStatus {
  const time = formatTime(now);
  const lastTransitionTime = status?.phase === change.phase ? (status.lastTransitionTime ?? time) : time;
  const entry = { ...change, lastUpdateTime: time, lastTransitionTime };
  const history = status?.conditions ?? [];
  const last = history.at(-1);
  const moved = last === undefined || last.phase !== change.phase || last.reason !== change.reason;
  return {
    ...status,
    ...entry,
    conditions: moved ? [...history, entry].slice(-historyLimit) : history,
    ...(requirements === undefined ? {} : { requirementStatus: requirements }),
  };
}

export function isAt(status: ClusterServiceVersionStatus | undefined, change: PhaseChange): boolean {
  return status?.phase === change.phase && status.reason === change.reason && status.message === change.message;
}

/** Whether a list of the status holds just this. kube-apiserver answers the members of custom resources in alphabetical order. */
export function isShown(held: readonly object[] | undefined, wanted: readonly object[]): boolean {
  return deepEqual(plainJson(held ?? null), plainJson(wanted));
}
