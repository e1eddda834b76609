import type { InstallPlan, InstallPlanStatus, Step } from "../../../../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { Plan } from "@purser/kubernetes/kube/plan";
import type { StepEvent } from "../../../../rollout/plan/execution-outcome.ts";
import type { HoldExplanation } from "../../../../policy/held-install-plan.ts";
import type { HoldCode } from "../../../../policy/verdict.ts";
import { approvedText, type ApprovedChange } from "../../../../policy/approver.ts";
import { staleInstallPlanText, stalePlanReason } from "../../../../policy/approved-plan.ts";
import { planAnnotation } from "../../../../apis/v0/labels.ts";
import type { Digest } from "@purser/kubernetes/digest";
import { conditionText } from "../../../../explanation/condition-text.ts";
import { crdsOwnedElsewhere, type OwnedCrd } from "../../../../rollout/plan/crd-of-extension.ts";
import { installerAccount } from "../../plan/installer-account.ts";
import { withInstalled } from "./installed-condition.ts";

export interface InstallPlanWorld {
  readonly plan: InstallPlan;
  /** Groups of the plan's namespace. */
  readonly groups: readonly OperatorGroup[];
  /** Steps of a complete plan whose object was deleted while an operator of the plan has an unmet requirement. */
  readonly missing: readonly Step[];
  /** The rollback to a CSV of this complete plan, whose steps are run again before the newer CSV is left. */
  readonly goingBack?: { readonly steps: readonly Step[]; readonly marks: readonly ObjectWrite[] };
  /** Bundles that steps refer to and whose content is still being read; the plan is enqueued when it is available. */
  readonly pendingBundles: readonly string[];
  /** CRDs of the steps that OLM v1 controls; the plan is enqueued when a CRD changes. */
  readonly ownedElsewhere: readonly OwnedCrd[];
  /** CSVs of a plan under way that have been replaced since; their steps are left out. */
  readonly replaced: ReadonlySet<string>;
  /** Why an update policy does not let a plan that waits begin; absent when it may. */
  readonly held?: HoldExplanation;
  /** Whether a Subscription asks for the plan. */
  readonly isWanted: boolean;
  /** Who approved a plan that has not begun; absent where nobody was asked. */
  readonly approvedBy?: string;
  /** What an approved plan that has not begun changes now; absent where nothing has to know it. */
  readonly reviewed?: ReviewedChanges;
  /** Epoch milliseconds of the first attempt of this process; absent before it. */
  readonly triedSince?: number;
  /** How long an error is retried; absent: a minute. */
  readonly retryMs?: number;
}

/** What a plan changes, by the objects that it holds and the live ones. */
export type ReviewedChanges =
  | { readonly kind: "known"; readonly digest: Digest; readonly changes: readonly ApprovedChange[] }
  /** They cannot be compared, so that it is not known whether they are what was approved. */
  | { readonly kind: "unknown"; readonly message: string };

/** Whether an execution still reads the step. */
export const isUndone = ({ status }: Step): boolean => status !== "Created" && status !== "Present";

/** Kinds whose objects an operator needs and that no other controller creates again. */
export const repairedKinds: ReadonlySet<string> = new Set([
  "CustomResourceDefinition",
  "ServiceAccount",
  "Role",
  "RoleBinding",
  "ClusterRole",
  "ClusterRoleBinding",
]);

/**
 * Kinds that an automatic rollback leaves as they are: CSVs and Subscriptions are what goes back, and CustomResourceDefinitions stay as
 * the upgrade left them, so that no stored object is changed.
 */
export const keptKinds: ReadonlySet<string> = new Set([
  "ClusterServiceVersion",
  "Subscription",
  "CustomResourceDefinition",
]);

export type InstallPlanAction =
  /** `events` are emitted for the plan before its status is written. */
  | { readonly kind: "status"; readonly status: InstallPlanStatus; readonly events?: readonly StepEvent[] }
  /** Executes the steps but for those of the CSVs `leftOut`; `afterApply` decides on the outcome. */
  | { readonly kind: "execute"; readonly steps: readonly Step[]; readonly leftOut: ReadonlySet<string> }
  /** Executes steps of a complete plan once more; its status stays. */
  | { readonly kind: "repair"; readonly steps: readonly Step[] }
  /** The same of the steps of a CSV that an upgrade goes back to. */
  | { readonly kind: "restore"; readonly steps: readonly Step[] }
  | { readonly kind: "write"; readonly write: ObjectWrite };

/** Moves an InstallPlan on by one step: approval, the account it acts as, execution. */
export function planInstallPlan(world: InstallPlanWorld | undefined, now: number): Plan<InstallPlanAction> {
  const status = world?.plan.status;
  if (world === undefined || status === undefined) return { actions: [] };
  if ((status.plan ?? []).length === 0 && (status.bundleLookups ?? []).length === 0) return { actions: [] };
  if (status.phase === "Failed") return { actions: [] };
  const isReading = world.pendingBundles.length > 0;
  if (status.phase === "Complete" && world.goingBack !== undefined)
    return { actions: isReading ? [] : [{ kind: "restore", steps: world.goingBack.steps }] };
  if (status.phase === "Complete")
    return { actions: world.missing.length === 0 || isReading ? [] : [{ kind: "repair", steps: world.missing }] };
  const waits = whatHolds(world, status, now) ?? whatIsStale(world, status, now);
  if (waits !== undefined) return waits;
  const account = installerAccount(world.groups);
  if (!account.ok) {
    const conditions = withInstalled(
      status,
      { status: "False", reason: "InstallCheckFailed", message: account.problem },
      now,
    );
    const isShown =
      status.conditions?.some(
        ({ reason, message }) => reason === "InstallCheckFailed" && message === account.problem,
      ) === true;
    return {
      actions: isShown ? [] : [{ kind: "status", status: { ...status, conditions } }],
      retry: `attenuated service account query failed - ${account.problem}`,
    };
  }
  const [taken, ...others] = world.ownedElsewhere;
  if (status.phase === "Installing" && taken !== undefined) return ownedElsewhere(status, taken, others, now);
  const installed = status.conditions?.find(({ type }) => type === "Installed")?.reason;
  if (installed !== undefined && obstacles.has(installed))
    return { actions: [{ kind: "status", status: withoutObstacle(status, now) }] };
  const reference =
    account.value === undefined
      ? undefined
      : world.groups.find((group) => group.spec?.serviceAccountName !== undefined)?.status?.serviceAccountRef;
  if (reference !== undefined && reference.uid !== status.attenuatedServiceAccountRef?.uid)
    return { actions: [{ kind: "status", status: { ...status, attenuatedServiceAccountRef: reference } }] };
  switch (status.phase) {
    case "":
    case "Planning":
    case "RequiresApproval":
      return world.plan.spec.approved ? begun(world, status) : { actions: [] };
    case "Installing":
      // The retry period does not start yet: reading content may take longer than that.
      if (isReading) return { actions: [] };
      return { actions: [{ kind: "execute", steps: status.plan ?? [], leftOut: world.replaced }] };
  }
}

/** Reasons of `Installed` while an update policy does not let the plan begin. */
const holdCodes: ReadonlySet<string> = new Set([
  "VersionHeld",
  "OutsideWindow",
  "Soaking",
] satisfies readonly HoldCode[]);

/** Reasons of `Installed` while nothing is executed. */
const obstacles: ReadonlySet<string> = new Set([
  "InstallCheckFailed",
  "ObjectOwnedElsewhere",
  stalePlanReason,
  ...holdCodes,
]);

/**
 * What is done about a plan that a policy holds back, approved or not. One that was held back once begins only when a Subscription
 * asks for it again: meanwhile another version may have been installed. Undefined when nothing holds it.
 */
function whatHolds(
  { held, isWanted }: InstallPlanWorld,
  status: InstallPlanStatus,
  now: number,
): Plan<InstallPlanAction> | undefined {
  if (held === undefined) {
    const reason = status.conditions?.find(({ type }) => type === "Installed")?.reason ?? "";
    const wasHeld = holdCodes.has(reason);
    return wasHeld && !isWanted ? { actions: [] } : undefined;
  }
  const message = conditionText(held);
  const isShown = status.conditions?.some((shown) => shown.reason === held.code && shown.message === message) === true;
  if (isShown) return { actions: [] };
  const conditions = withInstalled(status, { status: "False", reason: held.code, message }, now);
  const event = { type: "Warning", reason: held.code, message } as const;
  return { actions: [{ kind: "status", status: { ...status, conditions }, events: [event] }] };
}

/** What is done about a plan whose approved changes are others by now; undefined when they are not, or nobody compared them. */
function whatIsStale(
  { plan, reviewed }: InstallPlanWorld,
  status: InstallPlanStatus,
  now: number,
): Plan<InstallPlanAction> | undefined {
  if (reviewed === undefined) return undefined;
  if (reviewed.kind === "unknown")
    return { actions: [], retry: `the changes of the plan cannot be computed: ${reviewed.message}` };
  const approved = plan.metadata.annotations?.[planAnnotation];
  if (approved === undefined || reviewed.digest === approved) return undefined;
  const message = staleInstallPlanText(plan.spec.clusterServiceVersionNames, approved, reviewed.digest);
  if (status.conditions?.some((shown) => shown.reason === stalePlanReason && shown.message === message) === true)
    return { actions: [] };
  const conditions = withInstalled(status, { status: "False", reason: stalePlanReason, message }, now);
  const event = { type: "Warning", reason: stalePlanReason, message } as const;
  return { actions: [{ kind: "status", status: { ...status, conditions }, events: [event] }] };
}

/** The plan begins; where a person approved it, an event says who. */
function begun({ plan, reviewed, approvedBy }: InstallPlanWorld, status: InstallPlanStatus): Plan<InstallPlanAction> {
  const { message: _, ...rest } = status;
  const { clusterServiceVersionNames: names } = plan.spec;
  const changes = reviewed?.kind === "known" ? reviewed.changes : names.map((to) => ({ to }));
  const digest = plan.metadata.annotations?.[planAnnotation];
  const events =
    approvedBy === undefined
      ? []
      : [{ type: "Normal", reason: "Approved", message: approvedText(changes, digest, approvedBy) } as const];
  return { actions: [{ kind: "status", status: { ...rest, phase: "Installing" }, events }] };
}

function withoutObstacle(status: InstallPlanStatus, now: number): InstallPlanStatus {
  const { message: _, ...rest } = status;
  return { ...rest, conditions: withInstalled(status, { status: "False", reason: "Unknown" }, now) };
}

/** Waits without a retry: a change of a CRD enqueues the plan. The retry period does not start. */
function ownedElsewhere(
  status: InstallPlanStatus,
  taken: OwnedCrd,
  others: readonly OwnedCrd[],
  now: number,
): Plan<InstallPlanAction> {
  const explanation = crdsOwnedElsewhere(taken, others);
  const message = `${explanation.code}: ${conditionText(explanation)}`;
  if (status.conditions?.some((shown) => shown.reason === explanation.code && shown.message === message) === true)
    return { actions: [] };
  const condition = { status: "False", reason: explanation.code, message } as const;
  return {
    actions: [{ kind: "status", status: { ...status, message, conditions: withInstalled(status, condition, now) } }],
  };
}
