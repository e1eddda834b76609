import { boundedMessage, findCondition } from "@purser/kubernetes/apis/condition";
import { formatTime } from "@purser/kubernetes/clock";
import { plainJson } from "@purser/kubernetes/json";
import type { PassEnd, Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { clusterObjectSets } from "../../../../apis/olm-resources.ts";
import type { ClusterObjectSet, ClusterObjectSetStatus } from "../../../../apis/v1/cluster-object-set.ts";
import { bundleVersionAnnotation, ownerNameLabel } from "../../../../apis/v1/labels.ts";
import { conditionText } from "../../../../explanation/condition-text.ts";
import type { Explanation } from "../../../../explanation/explanation.ts";
import { awaitedTypes, explainMissing } from "../../../../rollout/plan/missing-prerequisite.ts";
import { type Colliding, collisionReport, ownedElsewhere } from "../../../../rollout/plan/owned-elsewhere.ts";
import type { ObjectSetOutcome } from "../../../../rollout/plan/object-set-outcome.ts";
import { replaceStatus } from "../../../plan/metadata-patch.ts";
import { objectSetConditions, type ObjectSetState, progressDeadline } from "./object-set-status.ts";
import { withReadiness } from "../../../plan/readiness.ts";
import { readinessOf, stuckAt } from "./object-set-readiness.ts";
import { quickMsLeft } from "./quick-rollout.ts";
import { activeSiblings } from "./plan-object-set.ts";
import type { ObjectSetAction, ObjectSetWorld } from "./world.ts";

/** For changes that are not watched: of an object with another owner that causes a collision, of a Secret that is made immutable. */
const obstacleRecheckMs = 10_000;
/** For an API that is served only some time after its CustomResourceDefinition has appeared. */
const prerequisiteRecheckMs = 30_000;
const tearDownRecheckMs = 5_000;
/** For objects that were not read because a pass before had read them moments ago. */
const skimmedRecheckMs = 3_000;
/** For objects of types that cannot be watched. */
const resyncMs = 600_000;

/** Whether the status differs from the one that is shown in messages alone, or the extension shows the same: that it rolls out. */
function isSameStage({ metadata, status: held }: ClusterObjectSet, status: ClusterObjectSetStatus): boolean {
  if (held?.conditions === undefined) return metadata.labels?.[ownerNameLabel] !== undefined;
  const stage = ({ conditions = [] }: ClusterObjectSetStatus): readonly string[] =>
    conditions.map(({ type, status: value, reason }) => `${type} ${value} ${reason}`);
  return held.observedPhases !== undefined && stage(held).join() === stage(status).join();
}

/** What a pass did not read is read by the next one. */
const recheckOf = ({ isSkimmed }: { readonly isSkimmed?: true }): number =>
  isSkimmed === true ? skimmedRecheckMs : resyncMs;

interface Verdict extends PassEnd {
  readonly state: ObjectSetState;
  readonly explanation?: Explanation;
  /** Names of revisions that this one supersedes. */
  readonly archive?: readonly string[];
}

/** Status, events, archived revisions, recheck time and watches after the objects of a revision were applied or removed. */
export function afterApply(world: ObjectSetWorld, outcome: ObjectSetOutcome, now: number): Plan<ObjectSetAction> {
  const { revision } = world;
  const {
    state,
    explanation,
    archive = [],
    retry,
    watches,
    recheckAfterMs = resyncMs,
  } = verdictOn(world, outcome, now);
  const nextChange = Math.min(
    ...[progressDeadline(revision), stuckAt(revision, state, now)].map((time) =>
      time === undefined || time <= now ? Infinity : time - now,
    ),
  );
  const isFault = retry !== undefined || explanation !== undefined || outcome.kind === "invalid";
  const nextRetry = nextRetryOf(retry, recheckAfterMs);
  const status = statusAfter(world, { state, explanation, nextRetry }, outcome, now);
  const unshownMs =
    state.kind === "rollingOut" && isSameStage(revision, status) ? quickMsLeft(revision, now, world.firstLookAt) : 0;
  return {
    actions: [...(unshownMs > 0 ? [] : statusWrite(revision, status, isFault)), ...archive.map(archiving)],
    // At the latest when a deadline passes, so that the status reports it on time.
    recheckAfterMs: Math.min(recheckAfterMs, nextChange, unshownMs > 0 ? unshownMs : Infinity),
    ...(watches === undefined ? {} : { watches }),
    ...(retry === undefined ? {} : { retry }),
  };
}

function verdictOn(world: ObjectSetWorld, outcome: ObjectSetOutcome, now: number): Verdict {
  switch (outcome.kind) {
    case "blocked":
      return { state: outcome, recheckAfterMs: obstacleRecheckMs };
    case "unresolved":
      return refusal([outcome.message]);
    case "invalid":
      return {
        state: retrying(outcome.message),
        recheckAfterMs: obstacleRecheckMs,
        ...(outcome.types === undefined ? {} : { watches: outcome.types }),
      };
    case "collided":
      return {
        state: retrying(collisionReport(outcome.phase, outcome.collisions)),
        explanation: ownedElsewhere(outcome.collisions, collidingOf(world)),
        recheckAfterMs: obstacleRecheckMs,
        watches: outcome.types,
      };
    case "refused": {
      const awaited = awaitedTypes(outcome.missing);
      const explanation = explainMissing(outcome.missing);
      return {
        ...refusal(outcome.errors),
        ...(explanation === undefined ? {} : { explanation, recheckAfterMs: prerequisiteRecheckMs }),
        watches: [...outcome.types, ...awaited],
      };
    }
    case "rollingOut":
      return { state: outcome, watches: outcome.types, recheckAfterMs: recheckOf(outcome) };
    case "complete": {
      const number = world.revision.spec?.revision ?? 0;
      const lower = activeSiblings(world).filter(({ spec }) => (spec?.revision ?? 0) < number);
      return {
        state: outcome,
        archive: lower.map(({ metadata }) => metadata.name ?? ""),
        watches: outcome.types,
        recheckAfterMs: Math.min(recheckOf(outcome), Math.max(0, (outcome.rotateAt ?? Infinity) - now)),
      };
    }
    case "tearingDown":
      return {
        state: retrying("removing revision resources that are not owned by another revision"),
        recheckAfterMs: tearDownRecheckMs,
        watches: outcome.types,
      };
    case "tornDown":
      return { state: { kind: "archived" } };
  }
}

function collidingOf({ revision, family }: ObjectSetWorld): Colliding {
  const installed = family.findLast(
    ({ metadata, status, spec }) =>
      metadata.uid !== revision.metadata.uid &&
      spec?.lifecycleState === "Active" &&
      findCondition(status?.conditions, "Succeeded")?.status === "True",
  );
  return {
    extension: revision.metadata.labels?.[ownerNameLabel],
    installed: installed?.metadata.annotations?.[bundleVersionAnnotation],
  };
}

/** What a revision does not leave without help, or not in time. */
const faultReasons: readonly string[] = ["Blocked", "ProgressDeadlineExceeded"];

const retrying = (message: string): ObjectSetState => ({ kind: "retrying", message, unknown: false });

function refusal(errors: readonly string[]): Verdict {
  const message = errors.join("\n");
  return { state: { kind: "retrying", message, unknown: true }, retry: message };
}

const nextRetryOf = (retry: string | undefined, recheckAfterMs: number): string =>
  retry === undefined
    ? `when an object changes, and every ${recheckAfterMs / 1000} s`
    : "when an object changes, and with back-off, every 2 minutes at the latest";

/** The status; with an explanation its cause code and text precede OLM's message in Progressing. */
function statusAfter(
  { revision, hasPlainTexts }: ObjectSetWorld,
  verdict: {
    readonly state: ObjectSetState;
    readonly explanation: Explanation | undefined;
    readonly nextRetry: string;
  },
  outcome: ObjectSetOutcome,
  now: number,
): ClusterObjectSetStatus {
  const { state, explanation, nextRetry } = verdict;
  const cause =
    explanation === undefined || hasPlainTexts === true ? "" : `${explanation.code}: ${conditionText(explanation)}\n`;
  const shown = objectSetConditions(revision, state, now).map((condition) =>
    condition.type === "Progressing" ? { ...condition, message: boundedMessage(cause + condition.message) } : condition,
  );
  const readiness = readinessOf(revision, state, explanation, nextRetry, now);
  const observedGeneration = revision.metadata.generation;
  const conditions = withReadiness(shown, readiness, { observedGeneration, time: formatTime(now) });
  const observedPhases = revision.status?.observedPhases ?? ("content" in outcome ? outcome.content : undefined);
  return { ...revision.status, conditions, ...(observedPhases === undefined ? {} : { observedPhases }) };
}

function archiving(name: string): ObjectSetAction {
  const patch = { spec: { lifecycleState: "Archived" } };
  return { kind: "write", write: { verb: "patch", type: clusterObjectSets, key: { name }, patchType: "merge", patch } };
}

/** The write of the status; none when it does not change. With an event when the message of Progressing changed. */
function statusWrite(
  revision: ClusterObjectSet,
  status: ClusterObjectSetStatus,
  isFault: boolean,
): readonly ObjectSetAction[] {
  const { status: held } = revision;
  if (deepEqual(plainJson(status), plainJson(held ?? {}))) return [];
  const write = replaceStatus(clusterObjectSets, revision, status);
  const before = findCondition(held?.conditions, "Progressing");
  const progress = findCondition(status.conditions, "Progressing");
  if (progress === undefined || progress.message === before?.message) return [{ kind: "write", write }];
  const { message } = progress;
  // While an archived revision is taken down nothing is retried, whatever OLM's condition says.
  const isTearDown = !isFault && progress.reason === "Retrying" && revision.spec?.lifecycleState === "Archived";
  const reason = isTearDown ? "Archiving" : progress.reason;
  const type = isFault || faultReasons.includes(reason) ? "Warning" : "Normal";
  return [{ kind: "write", write, event: { about: revision, type, reason, message } }];
}
