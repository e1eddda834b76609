import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { Needs, Plan } from "@purser/kubernetes/kube/plan";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { Subscription, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { conditionText } from "../../../../explanation/condition-text.ts";
import type { Explanation } from "../../../../explanation/explanation.ts";
import type { NamespaceInput } from "../../../../resolver/v0/input.ts";
import type { WantedContent } from "../../../../resolver/v0/install-plan/known-content.ts";
import type { InstallRefusal } from "../../../../resolver/v0/install-plan/install-refusal.ts";
import { planInstall } from "../../../../resolver/v0/install-plan/plan-install.ts";
import type { WantedInstallPlan } from "../../../../resolver/v0/install-plan/wanted-install-plan.ts";
import type { NamespaceOutcome } from "../../../../resolver/v0/outcome.ts";
import { isReading } from "./catalogs-reading.ts";
import { collectInstallPlans } from "./collect-install-plans.ts";
import { unfinished } from "./made-install-plan.ts";
import { projectStatuses, type Shown, statesMoved, statusWrites, withCondition } from "./shown-status.ts";
import { wantsResolution } from "./subscription-state.ts";
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
  | { readonly kind: "announce"; readonly reason: string; readonly message: string };

/** Input that a stage needs to continue; it is put into the field of the world with the same name. */
export type NamespaceNeed =
  | { readonly kind: "resolution"; readonly input: NamespaceInput }
  | { readonly kind: "contents"; readonly bundles: readonly WantedContent[] };

export type NamespaceStage = Plan<NamespaceAction> | Needs<NamespaceNeed>;

/**
 * One pass over a namespace, in stages: the statuses of its Subscriptions; when one of them asks for it the resolution;
 * the contents of the bundles that this brings; then the InstallPlan. Old InstallPlans are deleted in every pass.
 */
export function planNamespace(world: NamespaceWorld, now: number): NamespaceStage {
  const shown = projectStatuses(world, now);
  if (isReading(world.catalogs, now)) return concluded(world, shown, now, { recheckAfterMs: 5_000 });
  if (statesMoved(shown) || !shown.some(({ status }) => wantsResolution(status))) return concluded(world, shown, now);
  const { resolution } = world;
  switch (resolution?.kind) {
    case undefined:
      return { needs: { kind: "resolution", input: resolutionInput(world, shown) } };
    case "unsatisfiable":
      return refused(world, shown, now, { ...resolution, reason: "ConstraintsNotSatisfiable" });
    case "error":
      return refused(world, shown, now, { ...resolution, reason: "ErrorPreventedResolution" });
    case "resolved":
      return installed(world, shown, now, resolution);
  }
}

/** The end of a pass: writes changed statuses, adds the other actions and deletes old InstallPlans. */
function concluded(
  world: NamespaceWorld,
  shown: readonly Shown[],
  now: number,
  {
    before = [],
    after = [],
    recheckAfterMs,
  }: {
    readonly before?: readonly NamespaceAction[];
    readonly after?: readonly NamespaceAction[];
    readonly recheckAfterMs?: number;
  } = {},
): Plan<NamespaceAction> {
  const write = (each: ObjectWrite): NamespaceAction => ({ kind: "write", write: each });
  return {
    actions: [...before, ...statusWrites(shown, now).map(write), ...after, ...collectInstallPlans(world).map(write)],
    ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }),
  };
}

function catalogsOf({ catalogs }: NamespaceWorld): NamespaceInput["catalogs"] {
  return catalogs.map(({ source: { metadata, spec }, content }) => ({
    key: { namespace: metadata.namespace ?? "", name: metadata.name ?? "" },
    priority: spec.priority ?? 0,
    content,
  }));
}

/** Resolution sees the statuses as they are about to be written. */
function resolutionInput(world: NamespaceWorld, shown: readonly Shown[]): NamespaceInput {
  return {
    namespace: world.namespace,
    globalNamespace: world.globalNamespace,
    catalogs: catalogsOf(world),
    subscriptions: shown.map(({ subscription, status }) => ({ ...subscription, status })),
    clusterServiceVersions: world.csvs,
    operatorGroups: world.groups,
    replacedOperators: world.replacedOperators,
    missingCatalogs: world.missingCatalogs,
  };
}

/** Retried after a minute unless only a change of an object or a catalog can succeed. */
function refused(
  world: NamespaceWorld,
  shown: readonly Shown[],
  now: number,
  {
    reason,
    explanation,
    upstream,
  }: {
    readonly reason: "ConstraintsNotSatisfiable" | "ErrorPreventedResolution";
    readonly explanation: Explanation;
    readonly upstream: string;
  },
): Plan<NamespaceAction> {
  const message = `${explanation.code}: ${conditionText(explanation)}\n${upstream}`;
  const news = shown.some(
    ({ subscription }) =>
      subscription.status?.conditions?.some((held) => held.type === "ResolutionFailed" && held.message === message) !==
      true,
  );
  return concluded(world, withCondition(shown, { type: "ResolutionFailed", status: "True", reason, message }), now, {
    after: news ? [{ kind: "announce", reason: "ResolutionFailed", message }] : [],
    ...(reason === "ErrorPreventedResolution" ? { recheckAfterMs: 60_000 } : {}),
  });
}

function installed(
  world: NamespaceWorld,
  shown: readonly Shown[],
  now: number,
  outcome: Extract<NamespaceOutcome, { readonly kind: "resolved" }>,
): NamespaceStage {
  const install = planInstall({ ...world, catalogs: catalogsOf(world) }, outcome);
  switch (install.kind) {
    case "refused":
      return unpackingRefused(world, shown, now, install.refusal);
    case "incomplete": {
      if (install.needs.length > 0) return { needs: { kind: "contents", bundles: install.needs } };
      const unpacking = { type: "BundleUnpacking", status: "True", reason: "UnpackingInProgress" } as const;
      return concluded(world, withCondition(shown, unpacking, "ResolutionFailed"), now, { recheckAfterMs: 5_000 });
    }
    case "complete": {
      const cleared = withCondition(shown, undefined, "BundleUnpacking", "BundleUnpackFailed", "ResolutionFailed");
      if (install.plan === undefined) return concluded(world, cleared, now);
      const moving = new Map(
        outcome.updated.map(({ subscription, currentCSV }) => [subscription.metadata.name, currentCSV]),
      );
      const targets = cleared.flatMap(({ subscription, status }) => {
        const currentCSV = moving.get(subscription.metadata.name);
        return currentCSV === undefined ? [] : [{ subscription, status, currentCSV }];
      });
      const others = cleared.filter(({ subscription }) => !moving.has(subscription.metadata.name));
      const { plan: wanted } = install;
      return concluded(world, others, now, {
        before: [{ kind: "installPlan", wanted, existing: unfinished(world, wanted), subscriptions: targets }],
      });
    }
  }
}

/** Retried after five minutes: a bundle directory or image may be repaired without a notice. */
function unpackingRefused(
  world: NamespaceWorld,
  shown: readonly Shown[],
  now: number,
  { stage, fatal, message, explanation }: InstallRefusal,
): Plan<NamespaceAction> {
  if (stage === "resolution")
    return refused(world, shown, now, { reason: "ErrorPreventedResolution", explanation, upstream: message });
  const reason = fatal ? "ErrorPreventedUnpacking" : "BundleUnpackFailed";
  const failed = { type: "BundleUnpackFailed", status: "True", reason, message } as const;
  return concluded(world, withCondition(shown, failed, "BundleUnpacking", "ResolutionFailed"), now, {
    recheckAfterMs: 300_000,
  });
}
