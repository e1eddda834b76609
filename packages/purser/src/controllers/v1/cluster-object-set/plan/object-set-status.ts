import { type Condition, findCondition, withCondition } from "@purser/kubernetes/apis/condition";
import { bundleVersionAnnotation } from "../../../../apis/v1/labels.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import { formatTime } from "@purser/kubernetes/clock";

/** The state of a revision, from which its conditions are derived. */
export type ObjectSetState =
  | { readonly kind: "complete" }
  /** `faults`: per incomplete phase one line about its first object that is not ready; empty when every probe passes. */
  | { readonly kind: "rollingOut"; readonly faults: readonly string[] }
  /** The pass is retried; `message` is OLM's text. `unknown`: the availability of the objects is unknown. */
  | { readonly kind: "retrying"; readonly message: string; readonly unknown: boolean }
  | { readonly kind: "blocked"; readonly message: string }
  | { readonly kind: "archived" };

const minuteMs = 60_000;

/** What a revision shows that rolls out and meets no fault. */
export function rollingOutText({ metadata }: ClusterObjectSet): string {
  return `Revision ${metadata.annotations?.[bundleVersionAnnotation] ?? ""} is rolling out.`;
}

/** The revision's conditions after a pass. */
export function objectSetConditions(
  revision: ClusterObjectSet,
  state: ObjectSetState,
  now: number,
): readonly Condition[] {
  const time = formatTime(now);
  let conditions = revision.status?.conditions ?? [];
  const set = (type: string, status: Condition["status"], reason: string, message: string) => {
    const observedGeneration = revision.metadata.generation;
    const next = { type, status, reason, message, ...(observedGeneration === undefined ? {} : { observedGeneration }) };
    conditions = withCondition(conditions, next, time);
  };
  switch (state.kind) {
    case "complete": {
      const version = revision.metadata.annotations?.[bundleVersionAnnotation] ?? "";
      set("Progressing", "True", "Succeeded", `Revision ${version} has rolled out.`);
      set("Available", "True", "ProbesSucceeded", "Objects are available and pass all probes.");
      set("Succeeded", "True", "Succeeded", "Revision succeeded rolling out.");
      break;
    }
    case "rollingOut": {
      const message = rollingOutText(revision);
      if (state.faults.length === 0) set("Available", "False", "RollingOut", message);
      else set("Available", "False", "ProbeFailure", state.faults.join("\n"));
      const late = exceeded(revision, now, message);
      if (late === undefined) set("Progressing", "True", "RollingOut", message);
      else set("Progressing", "False", "ProgressDeadlineExceeded", late);
      break;
    }
    case "retrying": {
      if (state.unknown && findCondition(conditions, "Available") !== undefined) {
        set("Available", "Unknown", "Reconciling", state.message);
      }
      const late = exceeded(revision, now, state.message);
      if (late === undefined) set("Progressing", "True", "Retrying", state.message);
      else set("Progressing", "False", "ProgressDeadlineExceeded", late);
      break;
    }
    case "blocked":
      set("Progressing", "False", "Blocked", state.message);
      break;
    case "archived":
      set("Progressing", "False", "Archived", "revision is archived");
      set("Available", "Unknown", "Archived", "revision is archived");
      break;
  }
  return conditions;
}

/** Epoch milliseconds until which the revision should have rolled out; undefined when no deadline runs. */
export function progressDeadline({ metadata, spec, status }: ClusterObjectSet): number | undefined {
  const minutes = spec?.progressDeadlineMinutes;
  const created = Date.parse(metadata.creationTimestamp ?? "");
  const succeeded = findCondition(status?.conditions, "Succeeded")?.status === "True";
  const over = succeeded || spec?.lifecycleState === "Archived" || metadata.deletionTimestamp !== undefined;
  return minutes === undefined || over || Number.isNaN(created) ? undefined : created + minutes * minuteMs;
}

function exceeded(revision: ClusterObjectSet, now: number, message: string): string | undefined {
  const deadline = progressDeadline(revision);
  if (deadline === undefined || now < deadline) return undefined;
  const minutes = revision.spec?.progressDeadlineMinutes ?? 0;
  return `Revision has not rolled out for ${minutes} minute(s). Last status: ${message}`;
}
