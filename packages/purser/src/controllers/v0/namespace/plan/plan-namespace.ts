import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { installPlans, subscriptions } from "../../../../apis/olm-resources.ts";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { Subscription, SubscriptionCondition, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { formatTime } from "@purser/kubernetes/clock";
import { conditionText } from "../../../../explanation/condition-text.ts";
import { plainJson } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { Plan } from "@purser/kubernetes/kube/plan";
import type { NamespaceOutcome } from "../../../../resolver/v0/outcome.ts";
import { replaceStatus } from "../../../plan/metadata-patch.ts";
import { projectCatalogHealth } from "./catalog-health.ts";
import { projectDeprecation } from "./deprecation.ts";
import { projectInstallPlan } from "./install-plan-projection.ts";
import { setCondition, withoutConditions } from "./subscription-condition.ts";
import { judgeState, planReferences } from "./subscription-state.ts";
import type { WantedInstallPlan } from "./wanted-install-plan.ts";
import { wantedInstallPlan } from "./wanted-install-plan.ts";
import type { NamespaceWorld } from "./world.ts";

export type NamespaceAction =
  | { readonly kind: "write"; readonly write: ObjectWrite }
  /** Creates the plan, or finds the one that a pass before a crash made, and points the Subscriptions at it. */
  | {
      readonly kind: "installPlan";
      readonly wanted: WantedInstallPlan;
      readonly existing: InstallPlan | undefined;
      readonly subscriptions: readonly {
        readonly subscription: Subscription;
        readonly status: SubscriptionStatus;
        readonly currentCSV: string;
      }[];
    }
  | { readonly kind: "announce"; readonly reason: string; readonly message: string }
  | { readonly kind: "retry"; readonly message: string };

/** A Subscription with the status that it should show. */
export interface Shown {
  readonly subscription: Subscription;
  readonly status: SubscriptionStatus;
}

/** The statuses that follow from what is there, before anything is resolved. */
export function projectStatuses(world: NamespaceWorld, now: number): readonly Shown[] {
  return world.subscriptions.map((subscription) => {
    const projected = projectInstallPlan(subscription.status ?? { lastUpdated: "" }, world.installPlans, now);
    const judged = judgeState({ ...subscription, status: projected }, world);
    const healthy = world.reading ? judged : projectCatalogHealth(subscription, judged, world.catalogs, now);
    return { subscription, status: projectDeprecation(subscription, healthy, world.catalogs, now) };
  });
}

/** Whether the state machine moved: resolution then waits for the next pass, which sees the written states. */
export function statesMoved(shown: readonly Shown[]): boolean {
  return shown.some(
    ({ subscription: { status: held }, status }) =>
      (held?.state ?? "") !== (status.state ?? "") ||
      held?.installedCSV !== status.installedCSV ||
      held?.currentCSV !== status.currentCSV ||
      held?.installPlanRef?.name !== status.installPlanRef?.name,
  );
}

/** One pass over a namespace: status of its Subscriptions, the plan that brings what was resolved, old plans away. */
export function planNamespace(world: NamespaceWorld, now: number): Plan<NamespaceAction> {
  return decide(world, projectStatuses(world, now), now);
}

/** What follows from the resolution once the statuses are known. */
export function decide(world: NamespaceWorld, shown: readonly Shown[], now: number): Plan<NamespaceAction> {
  const old = planCollection(world);
  const { resolution } = world;
  if (statesMoved(shown) || resolution === undefined)
    return {
      actions: [...writeStatuses(shown, now), ...old],
      ...(world.reading ? { recheckAfterMs: 5_000 } : {}),
    };
  switch (resolution.kind) {
    case "unsatisfiable":
    case "error":
      return refuse(shown, resolution, now, old);
    case "resolved":
      return proceed(world, shown, resolution, now, old);
  }
}

function writeStatuses(shown: readonly Shown[], now: number): readonly NamespaceAction[] {
  return shown.flatMap(({ subscription, status }): readonly NamespaceAction[] => {
    const { lastUpdated: _before, ...held } = subscription.status ?? { lastUpdated: "" };
    const { lastUpdated: _after, ...next } = status;
    if (deepEqual(plainJson(held), plainJson(next))) return [];
    return [
      { kind: "write", write: replaceStatus(subscriptions, subscription, { ...status, lastUpdated: formatTime(now) }) },
    ];
  });
}

const withConditions = (
  shown: readonly Shown[],
  change: (held: SubscriptionStatus["conditions"]) => readonly SubscriptionCondition[],
): readonly Shown[] =>
  shown.map(({ subscription, status }) => {
    const conditions = change(status.conditions);
    return {
      subscription,
      status: conditions.length === 0 && status.conditions === undefined ? status : { ...status, conditions },
    };
  });

function refuse(
  shown: readonly Shown[],
  outcome: Extract<NamespaceOutcome, { kind: "unsatisfiable" | "error" }>,
  now: number,
  old: readonly NamespaceAction[],
): Plan<NamespaceAction> {
  const reason = outcome.kind === "unsatisfiable" ? "ConstraintsNotSatisfiable" : "ErrorPreventedResolution";
  const message = `${outcome.explanation.code}: ${conditionText(outcome.explanation)}\n${outcome.upstream}`;
  const condition: SubscriptionCondition = { type: "ResolutionFailed", status: "True", reason, message };
  const refused = withConditions(shown, (held) => setCondition(held, condition));
  const writes = writeStatuses(refused, now);
  const news = shown.some(
    ({ subscription }) =>
      subscription.status?.conditions?.some((held) => held.type === "ResolutionFailed" && held.message === message) !==
      true,
  );
  return {
    actions: [...writes, ...(news ? [{ kind: "announce", reason: "ResolutionFailed", message } as const] : []), ...old],
    ...(outcome.kind === "error" ? { recheckAfterMs: 60_000 } : {}),
  };
}

function proceed(
  world: NamespaceWorld,
  shown: readonly Shown[],
  outcome: Extract<NamespaceOutcome, { kind: "resolved" }>,
  now: number,
  old: readonly NamespaceAction[],
): Plan<NamespaceAction> {
  const fresh = outcome.operators.filter((operator) => !operator.upToDate);
  const troubles = fresh.flatMap(({ bundle }) => contentTrouble(bundle.name, world));
  const [trouble] = troubles;
  if (trouble !== undefined) {
    const condition: SubscriptionCondition = {
      type: "BundleUnpackFailed",
      status: "True",
      reason: trouble.reason,
      message: trouble.message,
    };
    const failed = withConditions(shown, (held) =>
      setCondition(withoutConditions(held, "BundleUnpacking", "ResolutionFailed"), condition),
    );
    return { actions: [...writeStatuses(failed, now), ...old], recheckAfterMs: 300_000 };
  }
  if (fresh.some(({ bundle }) => world.contents.get(bundle.name)?.steps === undefined)) {
    const condition: SubscriptionCondition = { type: "BundleUnpacking", status: "True", reason: "UnpackingInProgress" };
    const waiting = withConditions(shown, (held) =>
      setCondition(withoutConditions(held, "ResolutionFailed"), condition),
    );
    return { actions: [...writeStatuses(waiting, now), ...old], recheckAfterMs: 5_000 };
  }
  const cleared = withConditions(shown, (held) =>
    withoutConditions(held, "BundleUnpacking", "BundleUnpackFailed", "ResolutionFailed"),
  );
  const wanted = outcome.updated.length === 0 ? undefined : wantedInstallPlan(world, outcome.operators);
  if (wanted === undefined) return { actions: [...writeStatuses(cleared, now), ...old] };
  const updated = new Map(
    outcome.updated.map(({ subscription, currentCSV }) => [subscription.metadata.name, currentCSV]),
  );
  const targets = cleared.flatMap(({ subscription, status }) => {
    const currentCSV = updated.get(subscription.metadata.name);
    return currentCSV === undefined ? [] : [{ subscription, status, currentCSV }];
  });
  const others = cleared.filter(({ subscription }) => !updated.has(subscription.metadata.name));
  return {
    actions: [
      { kind: "installPlan", wanted, existing: unfinished(world, wanted), subscriptions: targets },
      ...writeStatuses(others, now),
      ...old,
    ],
  };
}

function contentTrouble(
  name: string,
  world: NamespaceWorld,
): readonly { readonly reason: string; readonly message: string }[] {
  const content = world.contents.get(name);
  if (content?.state.kind === "failed") {
    const { cause, remedy } = content.state;
    return [
      {
        reason: "BundleUnpackFailed",
        message: `Bundle unpacking failed - BundleUnavailable: ${name}: ${cause}${remedy === undefined ? "" : `; ${remedy}`}`,
      },
    ];
  }
  if (content?.steps?.ok === false) {
    const { fatal, message } = content.steps.problem;
    return [
      {
        reason: fatal ? "ErrorPreventedUnpacking" : "BundleUnpackFailed",
        message: `Bundle unpacking failed - BundleInvalid: ${name}: ${message}`,
      },
    ];
  }
  return [];
}

/** A plan for the same CSVs and Subscriptions that no Subscription points at yet: made by a pass that was cut short. */
function unfinished(world: NamespaceWorld, { object }: WantedInstallPlan): InstallPlan | undefined {
  const referenced = new Set(world.subscriptions.map((subscription) => subscription.status?.installPlanRef?.name));
  const wanted = object.spec.clusterServiceVersionNames.join("\n");
  return world.installPlans.find(
    (plan) =>
      !referenced.has(plan.metadata.name) &&
      plan.metadata.deletionTimestamp === undefined &&
      plan.status?.phase !== "Failed" &&
      plan.status?.phase !== "Complete" &&
      plan.spec.clusterServiceVersionNames.join("\n") === wanted &&
      world.subscriptions.every(
        (subscription) =>
          plan.metadata.ownerReferences?.some((owner) => owner.uid === subscription.metadata.uid) === true,
      ),
  );
}

const plansKept = 5;

/** The oldest plans beyond five go; one that a Subscription points at stays. */
function planCollection({
  installPlans: plans,
  subscriptions: subs,
  namespace,
}: NamespaceWorld): readonly NamespaceAction[] {
  const referenced = new Set(subs.map((subscription) => subscription.status?.installPlanRef?.name));
  const age = ({ spec, metadata }: InstallPlan): string =>
    `${String(spec.generation ?? 0).padStart(12, "0")} ${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`;
  return plans
    .toSorted((a, b) => (age(a) < age(b) ? -1 : 1))
    .slice(0, Math.max(0, plans.length - plansKept))
    .filter((plan) => !referenced.has(plan.metadata.name))
    .map((plan) => ({
      kind: "write",
      write: { verb: "delete", type: installPlans, key: { namespace, name: plan.metadata.name ?? "" } },
    }));
}

/** A Subscription's status once its plan exists. */
export function pointedAt(
  status: SubscriptionStatus,
  plan: InstallPlan,
  currentCSV: string,
  now: number,
): SubscriptionStatus {
  return {
    ...status,
    ...planReferences(plan),
    currentCSV,
    state: "UpgradePending",
    installPlanGeneration: plan.spec.generation ?? 0,
    lastUpdated: formatTime(now),
  };
}
