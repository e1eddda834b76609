import type { InstallPlan, InstallPlanCondition, InstallPlanStatus, Step } from "../../../../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { formatTime } from "@purser/kubernetes/clock";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { installerAccount } from "../../plan/installer-account.ts";

export interface InstallPlanWorld {
  readonly plan: InstallPlan;
  /** Groups of the plan's namespace. */
  readonly groups: readonly OperatorGroup[];
  /** Steps of a complete plan whose object was deleted while an operator of the plan has an unmet requirement. */
  readonly missing: readonly Step[];
  /** Bundles that steps refer to and whose content is still being read; the plan is enqueued when it is available. */
  readonly pendingBundles: readonly string[];
}

/** Kinds whose objects an operator needs and that no other controller creates again. */
export const repairedKinds: ReadonlySet<string> = new Set([
  "CustomResourceDefinition",
  "ServiceAccount",
  "Role",
  "RoleBinding",
  "ClusterRole",
  "ClusterRoleBinding",
]);

export type InstallPlanAction =
  | { readonly kind: "status"; readonly status: InstallPlanStatus }
  /** Executes the steps; its outcome decides the next status. */
  | { readonly kind: "execute"; readonly status: InstallPlanStatus }
  /** Executes steps of a complete plan once more; its status stays. */
  | { readonly kind: "repair"; readonly steps: readonly Step[] }
  | { readonly kind: "retry"; readonly message: string };

/** How long an error is retried, counted from the first attempt; a 403 is retried without a time limit. */
const retryTimeoutMs = 60_000;

/** The condition list with `Installed` replaced; the transition time moves only when the status does. */
function withInstalled(
  status: InstallPlanStatus,
  condition: Omit<InstallPlanCondition, "type" | "lastUpdateTime" | "lastTransitionTime">,
  now: number,
): readonly InstallPlanCondition[] {
  const time = formatTime(now);
  const held = status.conditions ?? [];
  const before = held.find(({ type }) => type === "Installed");
  const lastTransitionTime =
    before !== undefined && before.status === condition.status ? (before.lastTransitionTime ?? time) : time;
  const next: InstallPlanCondition = { type: "Installed", ...condition, lastUpdateTime: time, lastTransitionTime };
  return before === undefined ? [...held, next] : held.map((existing) => (existing === before ? next : existing));
}

/** Moves an InstallPlan on by one step: approval, the account it acts as, execution. */
export function planInstallPlan(world: InstallPlanWorld | undefined, now: number): Plan<InstallPlanAction> {
  const status = world?.plan.status;
  if (world === undefined || status === undefined) return { actions: [] };
  if ((status.plan ?? []).length === 0 && (status.bundleLookups ?? []).length === 0) return { actions: [] };
  if (status.phase === "Failed") return { actions: [] };
  const isReading = world.pendingBundles.length > 0;
  if (status.phase === "Complete")
    return { actions: world.missing.length === 0 || isReading ? [] : [{ kind: "repair", steps: world.missing }] };
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
      actions: [
        ...(isShown ? [] : [{ kind: "status", status: { ...status, conditions } } as const]),
        { kind: "retry", message: `attenuated service account query failed - ${account.problem}` },
      ],
    };
  }
  if (status.conditions?.some(({ reason }) => reason === "InstallCheckFailed") === true)
    return {
      actions: [
        {
          kind: "status",
          status: { ...status, conditions: withInstalled(status, { status: "False", reason: "Unknown" }, now) },
        },
      ],
    };
  const reference =
    account.value === undefined
      ? undefined
      : world.groups.find((group) => group.spec?.serviceAccountName !== undefined)?.status?.serviceAccountRef;
  if (reference !== undefined && reference.uid !== status.attenuatedServiceAccountRef?.uid)
    return { actions: [{ kind: "status", status: { ...status, attenuatedServiceAccountRef: reference } }] };
  switch (status.phase) {
    case "":
    case "Planning":
    case "RequiresApproval": {
      if (!world.plan.spec.approved) return { actions: [] };
      const { message: _, ...rest } = status;
      return { actions: [{ kind: "status", status: { ...rest, phase: "Installing" } }] };
    }
    case "Installing":
      // The retry period does not start yet: reading content may take longer than that.
      if (isReading) return { actions: [] };
      return { actions: [{ kind: "execute", status: { ...status, startTime: status.startTime ?? formatTime(now) } }] };
  }
}

/** Status after one pass of execution. */
export function afterExecution(
  status: InstallPlanStatus,
  outcome: {
    readonly steps: readonly Step[];
    readonly failure?: { readonly message: string; readonly forbidden: boolean; readonly final?: boolean };
  },
  now: number,
): { readonly status: InstallPlanStatus; readonly retry?: string } {
  const { message: _, ...rest } = status;
  const kept = { ...rest, plan: outcome.steps };
  const { failure } = outcome;
  if (failure !== undefined) {
    const elapsed = now - Date.parse(status.startTime ?? formatTime(now));
    if (failure.final !== true && (failure.forbidden || elapsed < retryTimeoutMs))
      return {
        status: { ...kept, message: `retrying execution due to error: ${failure.message}` },
        retry: failure.message,
      };
    const conditions = withInstalled(
      status,
      { status: "False", reason: "InstallComponentFailed", message: failure.message },
      now,
    );
    return { status: { ...kept, phase: "Failed", message: failure.message, conditions }, retry: failure.message };
  }
  if (outcome.steps.some((step) => step.status === "WaitingForApi" || step.status === "NotPresent"))
    return { status: kept };
  return { status: { ...kept, phase: "Complete", conditions: withInstalled(status, { status: "True" }, now) } };
}
