import type { ConfigFault } from "../../../../bundle/config-schema.ts";
import { failureText } from "../../../../catalog/failure-text.ts";
import type { ClusterExtension, ClusterExtensionStatus } from "../../../../apis/v1/cluster-extension.ts";
import { clusterExtensions } from "../../../../apis/olm-resources.ts";
import {
  approvedPlanAnnotation,
  bundleNameAnnotation,
  extensionFinalizers,
  pausedAnnotation,
  pendingPlanAnnotation,
  revisionApprovalAnnotation,
} from "../../../../apis/v1/labels.ts";
import { pausedReason } from "../../../../apis/v1/paused.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import { type Condition, withCondition } from "@purser/kubernetes/apis/condition";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { formatTime } from "@purser/kubernetes/clock";
import { conditionText } from "../../../../explanation/condition-text.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { recheckAt } from "../../../../policy/effective-policy.ts";
import { approvedText } from "../../../../policy/approver.ts";
import {
  approvedPlanOf,
  approvedPlanText,
  isStale,
  planStaleCondition,
  staleText,
} from "../../../../policy/approved-plan.ts";
import {
  rolledBackAnnotation,
  rolledBackOf,
  rolledBackSentence,
  rolledBackText,
} from "../../../../apis/policy/rolled-back.ts";
import { deprecationConditions } from "../../../../resolver/v1/deprecation-conditions.ts";
import { byRevision, type RevisionRequest } from "../../../../rollout/plan/revision.ts";
import { annotate } from "../../../plan/metadata-patch.ts";
import { withSignature } from "../../../plan/signature-condition.ts";
import { ownFinalizers } from "../../../plan/own-finalizers.ts";
import { withReadiness } from "../../../plan/readiness.ts";
import { changedBundle, withChangedBundle } from "./changed-bundle.ts";
import { explainConfiguration } from "./explain-configuration.ts";
import { type ExtensionEvent, extensionNews } from "./extension-news.ts";
import { readinessOf } from "./extension-readiness.ts";
import { extensionStatus, standardStatus } from "./extension-status.ts";
import type { RevisionSource } from "./revision-source.ts";
import { bundleOf } from "./revision-state.ts";
import { rolledBackCondition } from "../../../plan/automatic-rollback.ts";
import type { ExtensionWorld, WantedBundle } from "./world.ts";

const clusterRecheckMs = 600_000;
const unwatchedRecheckMs = 60_000;
/** For APIs of an operator that is being installed: discovery shows them a little later than its extension. */
const comingRecheckMs = 5_000;
/** A bundle that is read within this time was not worth a write of the status. */
const quickReadMs = 500;

export type Progress = Pick<Condition, "status" | "reason" | "message">;

export type ExtensionAction =
  | {
      readonly kind: "status";
      readonly extension: ClusterExtension;
      readonly status: ClusterExtensionStatus;
      readonly events: readonly ExtensionEvent[];
    }
  | { readonly kind: "finalizers"; readonly write: ObjectWrite }
  /** Writes or removes the annotation with what waits for approval. */
  | { readonly kind: "pendingPlan"; readonly write: ObjectWrite }
  /** Records that an upgrade goes back, and says so by an event. */
  | {
      readonly kind: "rollBack";
      readonly extension: ClusterExtension;
      readonly write: ObjectWrite;
      readonly message: string;
    }
  /** Creates the first revision of an extension from a Helm release. */
  | { readonly kind: "adopt"; readonly extension: ClusterExtension; readonly revision: ClusterObjectSet }
  /** Creates the extension, unless one of its name exists. */
  | { readonly kind: "create"; readonly extension: ClusterExtension }
  /** The newest revision is known to be as desired; the status is derived as after `apply`. */
  | { readonly kind: "keep"; readonly revision: string }
  /** Applies the revision; the status is derived from the outcome. */
  | {
      readonly kind: "apply";
      readonly request: RevisionRequest;
      /** What the revision is made from. */
      readonly source: RevisionSource;
      readonly checksCrds: boolean;
      readonly revisions: readonly ClusterObjectSet[];
      /** An event of the extension on who approved it. */
      readonly approved?: { readonly extension: ClusterExtension; readonly message: string };
    };

function statusWith(world: ExtensionWorld, progress: Progress | undefined, now: number): ClusterExtensionStatus {
  const { extension, states, decision, deprecation, missing, unreadable } = world;
  const observedGeneration = extension.metadata.generation ?? 0;
  const time = formatTime(now);
  const status = extensionStatus(
    extension,
    states,
    {
      progressing: progress === undefined ? undefined : { type: "Progressing", ...progress },
      deprecation: deprecationConditions({
        data: deprecation,
        channels: extension.spec?.source.catalog?.channels ?? [],
        installed: states.installed?.metadata.annotations?.["olm.operatorframework.io/bundle-name"],
      }),
      missing,
      unreadable,
    },
    time,
  );
  const written = { observedGeneration, time };
  const withSignatureOf = ({ bundle, content }: WantedBundle, held: readonly Condition[]) =>
    withSignature(held, `bundle ${bundle.name} (${bundle.image})`, content, written);
  const isWanted = decision.kind === "want";
  const changed = isWanted ? changedBundle(extension, states, decision.wanted) : undefined;
  const withChange = withChangedBundle(status.conditions ?? [], changed, observedGeneration, time);
  const signed = isWanted ? withSignatureOf(decision.wanted, withChange) : withChange;
  const judged = withStalePlan(withHeldUpdate(signed, world.holds, written), world, written);
  const conditions = withRolledBack(judged, world, written);
  return { ...status, conditions: withReadiness(conditions, readinessOf(status, states, progress), written) };
}

/** The write of an extension's finalizers, before which nothing else is done; undefined when they are right. */
export function finalizersWrite(extension: ClusterExtension): ObjectWrite | undefined {
  return ownFinalizers(clusterExtensions, extension, extensionFinalizers, true);
}

/** The condition UpdateHeld while every upgrade is held back; it stays as it was without a resolution. */
function withHeldUpdate(
  conditions: readonly Condition[],
  holds: ExtensionWorld["holds"],
  { observedGeneration, time }: { readonly observedGeneration: number; readonly time: string },
): readonly Condition[] {
  if (holds === undefined) return conditions;
  const type = "UpdateHeld";
  const { waiting } = holds;
  if (waiting === undefined) return conditions.filter((condition) => condition.type !== type);
  const message = conditionText(waiting);
  return withCondition(conditions, { type, status: "True", reason: waiting.code, message, observedGeneration }, time);
}

/** The condition RolledBack from when an upgrade went back by itself until another one is installed, or while it may not go back. */
function withRolledBack(
  conditions: readonly Condition[],
  { extension, states, rollback }: ExtensionWorld,
  { observedGeneration, time }: { readonly observedGeneration: number; readonly time: string },
): readonly Condition[] {
  const type = rolledBackCondition;
  if (rollback?.kind === "refused") {
    const { code, ...explanation } = rollback.explanation;
    const message = conditionText({ code, ...explanation });
    return withCondition(conditions, { type, status: "False", reason: code, message, observedGeneration }, time);
  }
  const record = rolledBackOf(extension.metadata);
  const isBack =
    record !== undefined && states.installed !== undefined && bundleOf(states.installed).name === record.to;
  if (!isBack) return conditions.filter((condition) => condition.type !== type);
  const message = `${rolledBackSentence(record)}. End the hold: purser unhold ext/${extension.metadata.name}`;
  return withCondition(conditions, { type, status: "True", reason: "BeforeReady", message, observedGeneration }, time);
}

/** The condition PlanStale from when an approval is found stale until another one is given. */
function withStalePlan(
  conditions: readonly Condition[],
  { extension, approval }: ExtensionWorld,
  { observedGeneration, time }: { readonly observedGeneration: number; readonly time: string },
): readonly Condition[] {
  const type = planStaleCondition;
  if (approval !== undefined && approval.approved.digest !== approval.digest) {
    const message = staleText(approval.approved, approval.digest, `ext/${extension.metadata.name ?? ""}`);
    return withCondition(conditions, { type, status: "True", reason: "Changed", message, observedGeneration }, time);
  }
  const approved = approvedPlanOf(extension);
  const stays = approved !== undefined && isStale(extension, approved);
  return stays ? conditions : conditions.filter((condition) => condition.type !== type);
}

/** One pass over a ClusterExtension: its finalizers first, then its status and the revision to apply. */
export function planExtension(world: ExtensionWorld | undefined, now: number): Plan<ExtensionAction> {
  const plan = planned(world, now);
  const backAt = world?.rollback?.kind === "waits" ? world.rollback.until : undefined;
  const atChange = recheckAt([world?.holds?.changesAt, backAt], now);
  return atChange === undefined
    ? plan
    : { ...plan, recheckAfterMs: Math.min(plan.recheckAfterMs ?? Infinity, atChange) };
}

/** The write of the annotation with what waits for approval, before which nothing else is done; undefined when it is right, or not known. */
function pendingPlanWrite({ extension, pending }: ExtensionWorld): ObjectWrite | undefined {
  if (pending === undefined) return undefined;
  const text = pending === "nothing" ? undefined : approvedPlanText(pending);
  if (extension.metadata.annotations?.[pendingPlanAnnotation] === text) return undefined;
  return annotate(clusterExtensions, extension, { [pendingPlanAnnotation]: text ?? null });
}

function planned(world: ExtensionWorld | undefined, now: number): Plan<ExtensionAction> {
  if (world === undefined) return { actions: [] };
  const write = finalizersWrite(world.extension);
  if (write !== undefined) return { actions: [{ kind: "finalizers", write }] };
  // What a deleted extension installed is garbage collected by the owner references of its revisions.
  if (world.extension.metadata.deletionTimestamp !== undefined || world.extension.spec === undefined)
    return { actions: [] };
  const pending = pendingPlanWrite(world);
  if (pending !== undefined) return { actions: [{ kind: "pendingPlan", write: pending }] };
  const { decision, unreadable } = world;
  if (unreadable !== undefined) {
    const message = told(world, unreadable, "retrying to get installed bundle");
    return { actions: statusActions(world, { status: "True", reason: "Retrying", message }, now) };
  }
  switch (decision.kind) {
    case "refused": {
      const cause = `${decision.explanation.code}: ${conditionText(decision.explanation)}`;
      const message = told(world, cause, decision.upstream);
      const creations = (decision.installs ?? []).map((extension) => ({ kind: "create", extension }) as const);
      const { isComing = false } = decision;
      const reason = isComing ? "RollingOut" : "Retrying";
      const actions = [...creations, ...statusActions(world, { status: "True", reason, message }, now)];
      // An API that is served only now is not watched.
      if (decision.explanation.code !== "DependencyMissing") return { actions };
      return { actions, recheckAfterMs: isComing ? comingRecheckMs : unwatchedRecheckMs };
    }
    case "adopt":
      return { actions: [{ kind: "adopt", extension: world.extension, revision: decision.revision }] };
    case "unadoptable": {
      const { name = "" } = world.extension.metadata;
      const cause = `RolloutFailed: ${name}: its Helm release cannot be taken over: ${decision.upstream}; nothing is changed until it can be read`;
      const message = told(world, cause, `migrating storage: ${decision.upstream}`);
      return { actions: statusActions(world, { status: "True", reason: "Retrying", message }, now) };
    }
    case "wait":
      return { actions: [], recheckAfterMs: 5_000 };
    case "paused":
      return { actions: pausedStatus(world.extension, now) };
    case "rollBack": {
      const { extension } = world;
      const { metadata } = extension;
      const annotations = { [rolledBackAnnotation]: rolledBackText(decision.rolledBack) };
      const write = annotate(clusterExtensions, extension, annotations);
      const message = `${rolledBackSentence(decision.rolledBack)}; it is held back until: purser unhold ext/${metadata.name}`;
      return { actions: [{ kind: "rollBack", extension, write, message }] };
    }
    case "stale":
      return { actions: statusActions(world, undefined, now) };
    case "want":
      return planWanted(world, decision.wanted, now);
  }
}

/** The status of a paused extension: what it showed before, also whether it is ready, and that it is paused. */
function pausedStatus(extension: ClusterExtension, now: number): readonly ExtensionAction[] {
  const { metadata, status: held = {} } = extension;
  const message = `Paused by the annotation ${pausedAnnotation}; to continue: purser resume ext/${metadata.name}`;
  const conditions = withReadiness(
    held.conditions ?? [],
    { kind: "paused", reason: pausedReason, message },
    { observedGeneration: metadata.generation ?? 0, time: formatTime(now) },
  );
  const status = { ...held, conditions };
  if (deepEqual(plainJson(status), plainJson(held))) return [];
  return [{ kind: "status", extension, status, events: extensionNews(held, status, undefined) }];
}

/** The cause before OLM's text, or that text alone. */
export function told({ hasPlainTexts }: ExtensionWorld, cause: string, upstream: string): string {
  return hasPlainTexts === true ? upstream : `${cause}\n${upstream}`;
}

function configurationCause(extension: ClusterExtension, faults: readonly ConfigFault[]): string {
  const explanation = explainConfiguration(extension, faults);
  return `${explanation.code}: ${conditionText(explanation)}`;
}

/** OLM marks the errors that it does not retry, and takes the mark away where it shows them. */
const withoutMark = (text: string): string => text.replaceAll("terminal error: ", "");

function planWanted(world: ExtensionWorld, wanted: WantedBundle, now: number): Plan<ExtensionAction> {
  const { bundle, content, digest, certificateProvider, rendered } = wanted;
  const { installed } = world.states;
  const about = `error for resolved bundle ${goQuote(bundle.name)} with version ${goQuote(bundle.version)}: `;
  if (rendered === undefined) {
    const held = installed === undefined ? undefined : bundleOf(installed);
    const isInstalled = held?.name === bundle.name && held.version === bundle.version;
    if (isInstalled) return { actions: statusActions(world, undefined, now) };
    const unshownMs = content.kind === "pending" ? content.since + quickReadMs - now : 0;
    if (unshownMs > 0) return { actions: [], recheckAfterMs: unshownMs };
    const isFailing = content.kind === "failing" || content.kind === "refused";
    const message = isFailing
      ? told(
          world,
          `${content.code ?? "BundleUnavailable"}: ${bundle.name}: ${failureText(content)}`,
          `${about}${content.cause}`,
        )
      : `${about}the bundle's content is being read`;
    // Content that is being read is not a fault, so the reason is not Retrying.
    const progress: Progress =
      content.kind === "refused"
        ? { status: "False", reason: "Blocked", message }
        : { status: "True", reason: isFailing ? "Retrying" : "RollingOut", message };
    return { actions: statusActions(world, progress, now), recheckAfterMs: 60_000 };
  }
  const isMisconfigured = !rendered.ok && rendered.problem.reason === "InvalidConfiguration";
  if (!isMisconfigured && changedBundle(world.extension, world.states, wanted) !== undefined)
    return { actions: statusActions(world, undefined, now) };
  if (!rendered.ok) {
    const { reason, violations, configuration = [], explanation } = rendered.problem;
    const message = withoutMark(rendered.problem.message);
    const progress: Progress =
      reason === "InvalidConfiguration"
        ? {
            status: "False",
            reason,
            message: told(world, configurationCause(world.extension, configuration), `${about}${message}`),
          }
        : {
            status: reason === "Blocked" ? "False" : "True",
            reason,
            message: told(
              world,
              explanation === undefined
                ? `BundleInvalid: ${bundle.name}: ${violations.map(withoutMark).join("; ")}`
                : `${explanation.code}: ${conditionText(explanation)}`,
              `${about}${message}`,
            ),
          };
    // The version of the cluster is not watched.
    const again = explanation === undefined ? {} : { recheckAfterMs: clusterRecheckMs };
    return { actions: statusActions(world, progress, now), ...again };
  }
  if (rendered.value.kind === "verified") return { actions: [{ kind: "keep", revision: rendered.value.revision }] };
  const { extension } = world;
  const request: RevisionRequest = {
    extension: {
      name: extension.metadata.name ?? "",
      uid: extension.metadata.uid ?? "",
      ...(extension.spec?.progressDeadlineMinutes === undefined
        ? {}
        : { progressDeadlineMinutes: extension.spec.progressDeadlineMinutes }),
    },
    bundle: {
      ...bundle,
      ...(digest === undefined ? {} : { digest }),
      ...(certificateProvider === undefined ? {} : { certificateProvider }),
      ...(rendered.value.properties === undefined ? {} : { properties: rendered.value.properties }),
    },
    objects: rendered.value.objects,
    ...approvalMarks(world, bundle.name),
  };
  const checksCrds = extension.spec?.install?.preflight?.crdUpgradeSafety?.enforcement !== "None";
  const { approval } = world;
  const before = world.states.installed;
  const news =
    approval === undefined
      ? {}
      : {
          approved: {
            extension,
            message: approvedText(
              [{ from: before?.metadata.annotations?.[bundleNameAnnotation], to: bundle.name }],
              approval.digest,
              approval.by,
            ),
          },
        };
  return {
    actions: [
      { kind: "apply", request, source: rendered.value.source, checksCrds, revisions: world.revisions, ...news },
    ],
  };
}

/** What was approved of a revision, which it keeps for as long as it exists. */
function approvalMarks({ approval, revisions }: ExtensionWorld, bundle: string): Pick<RevisionRequest, "approval"> {
  if (approval !== undefined)
    return {
      approval: { [approvedPlanAnnotation]: approval.digest, [revisionApprovalAnnotation]: approval.by },
    };
  const { annotations = {} } = byRevision(revisions).at(-1)?.metadata ?? {};
  if (annotations[bundleNameAnnotation] !== bundle) return {};
  const kept = [approvedPlanAnnotation, revisionApprovalAnnotation].flatMap((name) =>
    annotations[name] === undefined ? [] : [[name, annotations[name]] as const],
  );
  return kept.length === 0 ? {} : { approval: Object.fromEntries(kept) };
}

/**
 * The write of the status; none when it does not change.
 * @param progress undefined: that of the newest revision
 */
export function statusActions(
  world: ExtensionWorld,
  progress: Progress | undefined,
  now: number,
): readonly ExtensionAction[] {
  const held = world.extension.status;
  const whole = statusWith(world, progress, now);
  const status = world.isStandard === true ? standardStatus(whole) : whole;
  if (deepEqual(plainJson(status), plainJson(held ?? {}))) return [];
  return [{ kind: "status", extension: world.extension, status, events: extensionNews(held, status, progress) }];
}
