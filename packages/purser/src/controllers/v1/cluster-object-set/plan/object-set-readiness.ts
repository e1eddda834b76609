import { findCondition } from "@purser/kubernetes/apis/condition";
import { formatTime } from "@purser/kubernetes/clock";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import type { Explanation } from "../../../../explanation/explanation.ts";
import { stalledOf } from "../../../../installation/stalled.ts";
import type { Readiness } from "../../../plan/readiness.ts";
import type { ObjectSetState } from "./object-set-status.ts";

const minuteMs = 60_000;
/** As the default `progressDeadlineSeconds` of a Deployment. */
const defaultPatienceMinutes = 10;

const onChange = "when an object of the revision changes";

/**
 * What a revision waits for. A roll-out whose first object that is not ready stays the same for longer than
 * `progressDeadlineMinutes` (10 when not set) is `RolloutStuck`; one that cannot go on is stalled at once.
 * @param nextRetry when a pass that failed is repeated
 */
export function readinessOf(
  revision: ClusterObjectSet,
  state: ObjectSetState,
  explanation: Explanation | undefined,
  nextRetry: string,
  now: number,
): Readiness {
  switch (state.kind) {
    case "complete":
      return { kind: "ready", reason: "Succeeded", message: "All objects of the revision are available" };
    case "archived":
      return { kind: "ready", reason: "Archived", message: "revision is archived" };
    case "rollingOut": {
      const fault = waitsFor(state);
      const since = waitingSince(revision, fault) ?? formatTime(now);
      if (now < Date.parse(since) + patienceMs(revision))
        return { kind: "reconciling", reason: "RollingOut", message: `since ${since}: ${fault}` };
      return {
        kind: "stalled",
        reason: "RolloutStuck",
        stuckSince: since,
        blockedBy: fault,
        nextRetry: onChange,
      };
    }
    case "blocked":
      return { kind: "stalled", reason: "RolloutFailed", blockedBy: firstLine(state.message), nextRetry };
    case "retrying": {
      if (revision.spec?.lifecycleState === "Archived" && !state.unknown)
        return { kind: "reconciling", reason: "Archiving", message: state.message };
      const { code = "RolloutFailed", summary = firstLine(state.message) } = explanation ?? {};
      return { kind: "stalled", reason: code, blockedBy: summary, nextRetry };
    }
  }
}

/** Epoch milliseconds at which a roll-out that makes no progress until then is stuck, also in the past; undefined when it is not under way. */
export function stuckAt(revision: ClusterObjectSet, state: ObjectSetState, now: number): number | undefined {
  if (state.kind !== "rollingOut") return undefined;
  return (Date.parse(waitingSince(revision, waitsFor(state)) ?? "") || now) + patienceMs(revision);
}

/** The first line of `faults`; a fixed text while every probe passes. */
const waitsFor = ({ faults }: Extract<ObjectSetState, { readonly kind: "rollingOut" }>): string =>
  faults[0] ?? "Revision is rolling out";

const patienceMs = ({ spec }: ClusterObjectSet): number =>
  (spec?.progressDeadlineMinutes ?? defaultPatienceMinutes) * minuteMs;

/** RFC 3339 time since when the revision waits for the object of `fault`, as its conditions show it. */
function waitingSince({ status }: ClusterObjectSet, fault: string): string | undefined {
  const stuck = stalledOf(status?.conditions);
  if (stuck?.reason === "RolloutStuck" && objectOf(stuck.blockedBy) === objectOf(fault)) return stuck.stuckSince;
  const { message = "" } = findCondition(status?.conditions, "Reconciling") ?? {};
  const [, since, shown = ""] = /^since (\S+): (.*)$/s.exec(message) ?? [];
  return objectOf(shown) === objectOf(fault) ? since : undefined;
}

/** `Object KIND.VERSION NAME` of a line about an object that is not ready. */
const objectOf = (fault: string): string => fault.split(": ", 1)[0] ?? "";

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
