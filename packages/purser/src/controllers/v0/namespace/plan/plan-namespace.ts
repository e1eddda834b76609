import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { Needs, Plan } from "@purser/kubernetes/kube/plan";
import type { NamespaceInput } from "../../../../resolver/v0/input.ts";
import type { WantedContent } from "../../../../resolver/v0/install-plan/known-content.ts";
import type { NamespaceOutcome } from "../../../../resolver/v0/outcome.ts";
import type { InstallationHolds } from "../../../../policy/installation-holds.ts";
import { recheckAt } from "../../../../policy/effective-policy.ts";
import { isReading } from "./catalogs-reading.ts";
import { namespaceHolds, resolverHolds, withHeldUpdates } from "./held-updates.ts";
import { collectInstallPlans } from "./collect-install-plans.ts";
import type { NamespaceAction } from "./namespace-action.ts";
import { atRest, judgeSet, planSets, refused, type Verdict } from "./plan-sets.ts";
import { projectStatuses, type Shown, statesMoved, statusWrites } from "./shown-status.ts";
import { withReadinessOfPlan, withSubscriptionReadiness } from "./subscription-readiness.ts";
import type { UpgradeToLeave } from "./late-upgrades.ts";
import { rollbacksOf } from "./rolled-back-subscriptions.ts";
import { isDenied, type UpgradeToJudge, upgradesToJudge } from "./judged-upgrades.ts";
import { wantsResolution } from "./subscription-state.ts";
import { withoutWithdrawnPlans } from "./withdrawn-plans.ts";
import type { NamespaceWorld } from "./world.ts";

/** Input that a stage needs to continue; it is put into the field of the world with the same name. */
export type NamespaceNeed =
  | { readonly kind: "resolution"; readonly input: NamespaceInput }
  | { readonly kind: "contents"; readonly bundles: readonly WantedContent[] }
  /** Whether upgrades that are past their time go back. */
  | { readonly kind: "rollbacks"; readonly upgrades: readonly UpgradeToLeave[] }
  /** What upgrades hold, because policies judge by it. */
  | { readonly kind: "upgrades"; readonly upgrades: readonly UpgradeToJudge[] };

export type NamespaceStage = Plan<NamespaceAction> | Needs<NamespaceNeed>;

/**
 * One pass over a namespace, in stages: the statuses of its Subscriptions; when one of them asks for it the resolution;
 * the contents of the bundles that this brings; then the InstallPlans. Old InstallPlans are deleted in every pass.
 */
export function planNamespace(world: NamespaceWorld, now: number): NamespaceStage {
  const rollbacks = rollbacksOf(world, projectStatuses(world, now), now);
  if (rollbacks.unknown.length > 0) return { needs: { kind: "rollbacks", upgrades: rollbacks.unknown } };
  // The next pass reads the records, and shows the versions that they lead to.
  if (rollbacks.begin.length > 0) return { actions: rollbacks.begin };
  const holds = namespaceHolds(world, rollbacks.shown, now);
  const standing = withoutWithdrawnPlans(world, rollbacks.shown, holds);
  const unjudged = world.upgrades === undefined ? world.policies : undefined;
  const shown = withHeldUpdates(standing, holds, now, unjudged);
  const stage = rollbacks.isGoing
    ? concluded(world, { shown, after: rollbacks.leave }, now)
    : stageOf(world, shown, holds, now);
  const { until } = rollbacks;
  const atChange = recheckAt([...holds.map(({ changesAt }) => changesAt), until === Infinity ? undefined : until], now);
  if (atChange === undefined || "needs" in stage) return stage;
  return { ...stage, recheckAfterMs: Math.min(stage.recheckAfterMs ?? Infinity, atChange) };
}

function stageOf(
  world: NamespaceWorld,
  shown: readonly Shown[],
  holds: readonly InstallationHolds[],
  now: number,
): NamespaceStage {
  if (isReading(world.catalogs, now)) return concluded(world, { shown, recheckAfterMs: 5_000 }, now);
  if (statesMoved(shown) || !shown.some(({ status }) => wantsResolution(status, world)))
    return concluded(world, { shown }, now);
  const { resolution } = world;
  switch (resolution?.kind) {
    case undefined:
      return { needs: { kind: "resolution", input: resolutionInput(world, shown, resolverHolds(shown, holds)) } };
    case "unsatisfiable":
      return concluded(world, refused(shown, { ...resolution, reason: "ConstraintsNotSatisfiable" }), now);
    case "error":
      return concluded(world, refused(shown, { ...resolution, reason: "ErrorPreventedResolution" }), now);
    case "resolved":
      return installed(world, { shown, holds }, now, resolution);
  }
}

/** The end of a pass: makes InstallPlans, writes changed statuses, adds the other actions and deletes old InstallPlans. */
function concluded(
  world: NamespaceWorld,
  { shown, plans = [], after = [], recheckAfterMs }: Verdict,
  now: number,
): Plan<NamespaceAction> {
  const write = (each: ObjectWrite): NamespaceAction => ({ kind: "write", write: each });
  const made: readonly NamespaceAction[] =
    plans.length === 0
      ? []
      : [{ kind: "installPlans", plans: plans.map((plan) => withReadinessOfPlan(plan, world, now)) }];
  const statuses = statusWrites(withSubscriptionReadiness(shown, world, now), now);
  return {
    actions: [...made, ...statuses.map(write), ...after, ...collectInstallPlans(world).map(write)],
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
function resolutionInput(
  world: NamespaceWorld,
  shown: readonly Shown[],
  holds: NonNullable<NamespaceInput["holds"]>,
): NamespaceInput {
  return {
    namespace: world.namespace,
    globalNamespace: world.globalNamespace,
    catalogs: catalogsOf(world),
    subscriptions: shown.map(({ subscription, status }) => ({ ...subscription, status })),
    clusterServiceVersions: world.csvs,
    operatorGroups: world.groups,
    replacedOperators: world.replacedOperators,
    missingCatalogs: world.missingCatalogs,
    ...(holds.length === 0 ? {} : { holds }),
  };
}

/** Every set gets its own InstallPlan and its own conditions; what is in none is at rest. */
function installed(
  world: NamespaceWorld,
  { shown: before, holds }: { readonly shown: readonly Shown[]; readonly holds: readonly InstallationHolds[] },
  now: number,
  outcome: Extract<NamespaceOutcome, { readonly kind: "resolved" }>,
): NamespaceStage {
  const held = resolverHolds(before, holds);
  // What an upgrade holds is known after it was chosen: another one is chosen where a policy denies it.
  if (isDenied(outcome, held)) return { needs: { kind: "resolution", input: resolutionInput(world, before, held) } };
  const shown = withHeldUpdates(before, holds, now, undefined);
  const planned = planSets(world, catalogsOf(world), shown, outcome, now);
  const bundles = planned.flatMap(({ install }) => (install.kind === "incomplete" ? install.needs : []));
  if (bundles.length > 0) return { needs: { kind: "contents", bundles } };
  const upgrades = upgradesToJudge(world, planned, now);
  if (upgrades.length > 0) return { needs: { kind: "upgrades", upgrades } };
  const setOf = new Map(
    planned.flatMap((each) => each.set.subscriptions.map(({ metadata }) => [metadata.name, each] as const)),
  );
  const bySet = Map.groupBy(shown, ({ subscription }) => setOf.get(subscription.metadata.name));
  const verdicts = [...bySet].map(([each, own]) =>
    each === undefined ? { shown: atRest(own) } : judgeSet(world, own, each),
  );
  return concluded(world, joined(verdicts), now);
}

function joined(verdicts: readonly Verdict[]): Verdict {
  const soonest = Math.min(...verdicts.map(({ recheckAfterMs = Infinity }) => recheckAfterMs));
  return {
    shown: verdicts.flatMap(({ shown }) => shown),
    plans: verdicts.flatMap(({ plans = [] }) => plans),
    after: verdicts.flatMap(({ after = [] }) => after),
    ...(soonest === Infinity ? {} : { recheckAfterMs: soonest }),
  };
}
