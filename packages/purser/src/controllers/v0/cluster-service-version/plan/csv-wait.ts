import type { Plan } from "@purser/kubernetes/kube/plan";
import { formatTime, remainingMs } from "@purser/kubernetes/clock";
import { clusterServiceVersions } from "../../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { stateAnnotation } from "../../../../apis/v0/labels.ts";
import type { CauseCode } from "../../../../explanation/explanation.ts";
import { type CsvWait, csvWaitText, waitOf } from "../../../../installation/csv-wait.ts";
import { firstLine } from "../../../plan/condition-cause.ts";
import { annotate } from "../../../plan/metadata-patch.ts";
import type { CsvAction } from "./csv-action.ts";
import type { PhaseReason } from "./phase-status.ts";
import { isCopied } from "./plan-csv.ts";

/** What is over sooner is part of an install and shown by its phase alone, so that an install needs no further writes. */
const patienceMs = 30_000;

/**
 * The plan with the annotation `purser.dev/state` of a CSV that waits: what a CSV waits for is not a condition, because its
 * conditions are the history of its phases. Written by a pass that has nothing else to do, kept while the phases change on the
 * way, and removed when the CSV succeeds.
 * @param blockedBy what the pass found that no phase shows
 */
export function withWait(
  plan: Plan<CsvAction>,
  csv: ClusterServiceVersion,
  now: number,
  blockedBy?: string,
): Plan<CsvAction> {
  if (plan.actions.length > 0 || isCopied(csv)) return plan;
  const shown = csv.metadata.annotations?.[stateAnnotation];
  const cause = causeOf(csv, blockedBy);
  if (cause === undefined) return shown === undefined ? plan : { ...plan, actions: [annotation(csv, null)] };
  const since = waitOf(csv)?.stuckSince ?? unsuccessfulSince(csv);
  const left = remainingMs(since, patienceMs, now);
  if (left > 0) return { ...plan, recheckAfterMs: Math.min(plan.recheckAfterMs ?? Infinity, left) };
  const text = csvWaitText({ ...cause, stuckSince: since ?? formatTime(now) });
  return text === shown ? plan : { ...plan, actions: [annotation(csv, text)] };
}

const annotation = (csv: ClusterServiceVersion, text: string | null): CsvAction => ({
  kind: "write",
  write: annotate(clusterServiceVersions, csv, { [stateAnnotation]: text }),
});

/** When the CSV left the phase Succeeded, or entered the first one that its history still has; RFC 3339. */
function unsuccessfulSince({ status }: ClusterServiceVersion): string | undefined {
  const history = status?.conditions ?? [];
  const left = history[history.findLastIndex(({ phase }) => phase === "Succeeded") + 1];
  return left?.lastUpdateTime ?? status?.lastTransitionTime;
}

type Cause = Omit<CsvWait, "stuckSince">;

/** Undefined for a CSV that waits for nothing. */
function causeOf({ spec, status }: ClusterServiceVersion, found: string | undefined): Cause | undefined {
  const { phase = "", reason = "", message = "" } = status ?? {};
  const cause = causes[reason as PhaseReason] ?? reason;
  const text = firstLine(message);
  switch (phase) {
    case "Succeeded":
    case "Deleting":
    case "":
    case "Unknown":
      return undefined;
    case "InstallReady":
      return found === undefined
        ? undefined
        : {
            reason: "PermissionDenied",
            blockedBy: found,
            nextRetry: "when the OperatorGroup changes, and with back-off",
          };
    case "Pending":
      return reason === "RequirementsNotMet"
        ? { reason: cause, blockedBy: unmet(status) ?? text, nextRetry: "when a requirement changes" }
        : { reason: cause, blockedBy: text, nextRetry: `when ${replacedOf(spec)}changes` };
    case "Installing":
      return { reason: "RolloutStuck", blockedBy: text, nextRetry: "when an object of the operator changes" };
    case "Failed":
      return { reason: cause, blockedBy: text, nextRetry: retries[reason as PhaseReason] ?? withBackOff };
    case "Replacing":
      return { reason: cause, blockedBy: text, nextRetry: "when the replacement changes" };
  }
}

const replacedOf = ({ replaces = "" }: ClusterServiceVersion["spec"]): string =>
  replaces === "" ? "an object of the operator " : `ClusterServiceVersion ${replaces} `;

/** The first requirement that is not met, and how many more there are. */
function unmet(status: ClusterServiceVersion["status"]): string | undefined {
  const missing = (status?.requirementStatus ?? []).filter((each) => each.status !== "Present");
  const [first] = missing;
  if (first === undefined) return undefined;
  const more = missing.length === 1 ? "" : `, and ${missing.length - 1} more`;
  return `${first.kind} ${first.name} is ${first.status}${more}`;
}

const causes: Partial<Record<PhaseReason, CauseCode>> = {
  RequirementsNotMet: "DependencyMissing",
  OperatorConditionNotUpgradeable: "NotUpgradeable",
  NoOperatorGroup: "OperatorGroupMissing",
  TooManyOperatorGroups: "OperatorGroupAmbiguous",
  UnsupportedOperatorGroup: "InstallModeUnsupported",
  OwnerConflict: "ApiConflict",
  InterOperatorGroupOwnerConflict: "ApiConflict",
  InstallComponentFailedNoRetry: "PermissionDenied",
  InstallComponentFailed: "RolloutFailed",
  InstallCheckFailed: "RolloutStuck",
  ComponentUnhealthy: "RolloutStuck",
};

const withBackOff = "when an object of the operator changes, and with back-off";
const ofGroup = "when the OperatorGroup changes";
const ofSpec = "when the ClusterServiceVersion changes";

const retries: Partial<Record<PhaseReason, string>> = {
  NoOperatorGroup: "when an OperatorGroup is created",
  TooManyOperatorGroups: "when an OperatorGroup is deleted",
  NoTargetNamespaces: ofGroup,
  UnsupportedOperatorGroup: ofGroup,
  InterOperatorGroupOwnerConflict: "when an OperatorGroup or the other operator changes",
  CannotModifyStaticOperatorGroupProvidedAPIs: ofGroup,
  OwnerConflict: "when the other operator changes",
  InvalidInstallModes: ofSpec,
  InvalidInstallStrategy: ofSpec,
  InvalidWebhookDescription: ofSpec,
  InstallComponentFailedNoRetry: "30 seconds after each attempt",
};
