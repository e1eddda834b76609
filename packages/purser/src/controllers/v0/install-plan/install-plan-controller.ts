import { type KubeObject, type ObjectKey, keyOf } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions, serviceAccounts } from "@purser/kubernetes/apis/resources";
import {
  clusterServiceVersions,
  clusterUpdatePolicies,
  installPlans,
  operatorGroups,
  subscriptions,
  updatePolicies,
} from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan, Step } from "../../../apis/v0/install-plan.ts";
import { copiedFromLabel, managedLabel } from "../../../apis/v0/labels.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { type Controller, type ObserveContext, defineController } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { hasNotBegun, heldInstallPlan, type HoldExplanation } from "../../../policy/held-install-plan.ts";
import { isWithoutPolicies } from "../../../policy/installation-holds.ts";
import { extensionOwnerOf, type OwnedCrd } from "../../../rollout/plan/crd-of-extension.ts";
import { approverOf } from "../../../policy/approver.ts";
import type { Policies } from "../../../policy/effective-policy.ts";
import type { KnownUpgrades } from "../../../policy/upgrade-contents.ts";
import { needsReview, reviewedChanges } from "./reviewed-changes.ts";
import { turnsByName } from "../../../turns-by-name.ts";
import { installPlanProgress } from "../../plan/progress.ts";
import type { Surroundings } from "../../surroundings.ts";
import { BundleWaiters } from "../../bundle-waiters.ts";
import type { NamespacePasses } from "../namespace/namespace-passes.ts";
import { observeNamespace } from "../namespace/observe-namespace.ts";
import { namespaceHolds } from "../namespace/plan/held-updates.ts";
import { projectStatuses } from "../namespace/plan/shown-status.ts";
import { VersionedReads } from "../../versioned-reads.ts";
import { watching } from "../../watching.ts";
import { afterApply, type InstallPlanOutcome } from "./plan/after-apply.ts";
import {
  type InstallPlanAction,
  type InstallPlanWorld,
  isUndone,
  keptKinds,
  planInstallPlan,
  repairedKinds,
} from "./plan/plan-install-plan.ts";
import { changedBeyondMarks, crdState, isManagedCrd, managedCrds } from "../crd-state.ts";
import { FirstAttempts } from "./first-attempts.ts";
import { ReferencedBundles } from "./referenced-bundles.ts";
import { rolledBackOf } from "../../../apis/policy/rolled-back.ts";
import { marksOf } from "../namespace/plan/rolled-back-subscriptions.ts";
import { goingBack } from "../plan/left-versions.ts";
import { replacedOperators } from "./plan/replaced-operators.ts";
import { applyInstallPlan } from "./apply-install-plan.ts";

const active = (plan: InstallPlan): boolean =>
  plan.status?.phase === "Installing" || plan.status?.phase === "RequiresApproval";

const lacksSomething = ({ metadata, status }: ClusterServiceVersion): boolean =>
  metadata.deletionTimestamp === undefined && status?.reason === "RequirementsNotMet";

const activeIn = (object: KubeObject, cache: CacheView): readonly ObjectKey[] =>
  cache.byIndex(installPlans, "active", object.metadata.namespace ?? "").map(keyOf);

const installing = (_object: KubeObject, cache: CacheView): readonly ObjectKey[] =>
  cache.byIndex(installPlans, "installing", "true").map(keyOf);

/**
 * Milliseconds that an InstallPlan waits at most for a pass over its namespace to end before its steps are executed: making an
 * InstallPlan takes milliseconds, executing one keeps the process busy for a second, so those of a burst are all made first.
 */
const othersWithinMs = 1_000;

/** Executes approved InstallPlans step by step; after their creation the only writer of their status. */
export function installPlanController(surroundings: Surroundings, passes: NamespacePasses): Controller {
  const waiters = new BundleWaiters(surroundings.content, "InstallPlan");
  const attempts = new FirstAttempts();
  const memory = new VersionedReads(crdState);
  const definitions = turnsByName();
  const bundlesOf = (key: ObjectKey, { reader }: ObserveContext): ReferencedBundles =>
    new ReferencedBundles({
      namespace: key.namespace ?? "",
      reader,
      live: surroundings.client,
      ...(surroundings.compat.keepsUpstream("tenant-grants") ? {} : { globalNamespace: surroundings.globalNamespace }),
      ask: (request) => waiters.ask(request, key),
    });
  return defineController<InstallPlanWorld | undefined, InstallPlanAction, KubeObject[], InstallPlanOutcome>({
    name: "install-plan",
    progress: installPlanProgress,
    watches: [
      watching<InstallPlan>({
        type: installPlans,
        indexes: {
          active: (plan) => (active(plan) ? [plan.metadata.namespace ?? ""] : []),
          brought: (plan) =>
            plan.status?.phase === "Complete"
              ? plan.spec.clusterServiceVersionNames.map((name) => `${plan.metadata.namespace}/${name}`)
              : [],
          installing: (plan) => (plan.status?.phase === "Installing" ? ["true"] : []),
          waitingIn: (plan) => (plan.status?.phase === "RequiresApproval" ? [plan.metadata.namespace ?? ""] : []),
          waiting: (plan) => (plan.status?.phase === "RequiresApproval" ? ["true"] : []),
        },
      }),
      // One that was held back is carried out when a Subscription asks for it again.
      watching<Subscription>({
        type: subscriptions,
        map: ({ metadata, status }, cache) => {
          const { namespace = "" } = metadata;
          const name = status?.installPlanRef?.name;
          // That of the version that an upgrade goes back to has ended.
          if (name !== undefined && rolledBackOf(metadata) !== undefined) return [{ namespace, name }];
          return cache
            .byIndex(installPlans, "waitingIn", namespace)
            .filter((plan) => plan.metadata.name === name)
            .map(keyOf);
        },
      }),
      watching({
        type: updatePolicies,
        map: ({ metadata }, cache) => cache.byIndex(installPlans, "waitingIn", metadata.namespace ?? "").map(keyOf),
      }),
      watching({
        type: clusterUpdatePolicies,
        map: (_, cache) => cache.byIndex(installPlans, "waiting", "true").map(keyOf),
      }),
      watching({ type: operatorGroups, map: activeIn }),
      watching({ type: serviceAccounts, scope: { labelSelector: `${managedLabel}=true` }, map: activeIn }),
      watching<ClusterServiceVersion>({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        map: (csv, cache) =>
          lacksSomething(csv)
            ? cache.byIndex(installPlans, "brought", `${csv.metadata.namespace}/${csv.metadata.name}`).map(keyOf)
            : [],
      }),
      watching({
        type: customResourceDefinitions,
        projection: "metadata",
        map: (crd, cache) => (isManagedCrd(crd) ? [] : installing(crd, cache)),
      }),
      // Every plan of a definition leaves its mark, which no other plan waits for.
      watching({ ...managedCrds, when: changedBeyondMarks, map: installing }),
    ],
    wakes: [
      async function* (signal) {
        for await (const notice of surroundings.content.notices(signal)) yield* waiters.woken(notice);
      },
    ],
    steps: {
      async observe(key, context) {
        const { reader, cache, signal } = context;
        const plan = await reader.get(installPlans, key);
        const triedSince = attempts.of(key, plan);
        if (plan === undefined || plan.metadata.deletionTimestamp !== undefined) {
          waiters.release(key);
          return undefined;
        }
        const missing = await missingSteps(plan, reader, surroundings, signal);
        const replaced = await replacedSince(plan, reader);
        const back = await backTo(plan, reader);
        const policies = {
          updatePolicies: await reader.list(updatePolicies, { namespace: key.namespace ?? "" }),
          clusterUpdatePolicies: await reader.list(clusterUpdatePolicies),
        };
        const executed =
          plan.status?.phase === "Installing"
            ? (plan.status.plan ?? []).filter((step) => isUndone(step) && !replaced.has(step.resolving))
            : [...missing, ...(back?.steps ?? [])];
        const reviewed = needsReview(plan, policies)
          ? await reviewedChanges(plan, {
              client: surroundings.client,
              bundlesFor: () => Promise.resolve((request) => waiters.ask(request, key)),
            })
          : undefined;
        const held = await heldByPolicy(plan, policies, reviewed?.upgrades, context, surroundings);
        return {
          plan,
          groups: await reader.list(operatorGroups, { namespace: key.namespace ?? "" }),
          missing,
          ...(back === undefined ? {} : { goingBack: back }),
          pendingBundles: await bundlesOf(key, context).pending(executed),
          ownedElsewhere: surroundings.compat.keepsUpstream("crd-owners") ? [] : ownedElsewhere(executed, cache),
          replaced,
          ...(held === undefined ? {} : { held }),
          ...(reviewed === undefined ? {} : { reviewed: reviewed.changes }),
          // Live, so only of a plan that may begin.
          ...(held === undefined ? await approvedBy(plan, surroundings) : {}),
          isWanted: (await reader.list(subscriptions, { namespace: key.namespace ?? "" })).some(
            ({ status }) => status?.installPlanRef?.name === key.name,
          ),
          ...(triedSince === undefined ? {} : { triedSince }),
          ...(surroundings.installPlanRetryMs === undefined ? {} : { retryMs: surroundings.installPlanRetryMs }),
        };
      },
      plan: (world, { now }) => planInstallPlan(world, now),
      async apply(key, action, context) {
        if (action.kind === "execute") await passes.over(key.namespace ?? "", othersWithinMs, context.signal);
        const plan = await context.reader.get(installPlans, key);
        if (plan === undefined) return undefined;
        if (action.kind === "execute") attempts.note(key, plan, context.now);
        const waiting = memory.during(context.reader, context.cache);
        return applyInstallPlan(plan, action, context, surroundings, {
          bundles: bundlesOf(key, context),
          waiting,
          definitions,
        });
      },
      afterApply: (world, outcome, { now }) =>
        world === undefined ? { actions: [] } : afterApply(world, outcome, now),
    },
  });
}

/** CRDs of the steps that OLM v1 controls, as the cache shows them; the step that writes one looks at the live object again. */
function ownedElsewhere(steps: readonly Step[], cache: CacheView): readonly OwnedCrd[] {
  return steps.flatMap(({ resolving, resource: { kind, name } }) => {
    if (kind !== "CustomResourceDefinition") return [];
    const live = cache.cached(customResourceDefinitions, { name });
    const owner = live === undefined ? undefined : extensionOwnerOf(live);
    return owner === undefined ? [] : [{ crd: name, csv: resolving, owner }];
  });
}

/** Who approved a plan that is about to begin. Read live: caches leave out who wrote which field. */
async function approvedBy(plan: InstallPlan, { client }: Surroundings): Promise<Pick<InstallPlanWorld, "approvedBy">> {
  if (!hasNotBegun(plan) || !plan.spec.approved || plan.spec.approval !== "Manual") return {};
  const live = await client.get(installPlans, keyOf(plan));
  return { approvedBy: live === undefined ? "someone" : approverOf(live, "f:approved") };
}

/** Why policies hold back what a plan brings that has not begun; judged as the pass over its namespace does. */
async function heldByPolicy(
  plan: InstallPlan,
  policies: Policies,
  upgrades: KnownUpgrades | undefined,
  context: ObserveContext,
  surroundings: Surroundings,
): Promise<HoldExplanation | undefined> {
  if (!hasNotBegun(plan) || isWithoutPolicies(policies)) return undefined;
  const world = await observeNamespace(plan.metadata.namespace ?? "", context, surroundings);
  if (world === undefined) return undefined;
  const known = upgrades === undefined ? world : { ...world, upgrades };
  const holds = namespaceHolds(known, projectStatuses(known, context.now), context.now);
  return heldInstallPlan(
    plan,
    holds.flatMap(({ held }) => held),
  );
}

async function replacedSince(plan: InstallPlan, reader: ObjectReader): Promise<ReadonlySet<string>> {
  if (plan.status?.phase !== "Installing") return new Set();
  const { namespace = "" } = plan.metadata;
  const [csvs, plans] = await Promise.all([
    reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
    reader.list(installPlans, { namespace }),
  ]);
  return replacedOperators(plan, csvs, plans);
}

/** The rollback of a Subscription to a CSV that this complete plan brought, while the newer one is not marked. */
async function backTo(plan: InstallPlan, reader: ObjectReader): Promise<InstallPlanWorld["goingBack"]> {
  const { namespace = "", name } = plan.metadata;
  if (plan.status?.phase !== "Complete") return undefined;
  const asking = (await reader.list(subscriptions, { namespace })).filter(
    ({ metadata, status }) =>
      status?.installPlanRef?.name === name && rolledBackOf(metadata)?.to === (status?.currentCSV ?? ""),
  );
  if (asking.length === 0) return undefined;
  const csvs = await reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` });
  for (const subscription of asking) {
    const going = goingBack(subscription, csvs);
    const marks = going === undefined ? [] : marksOf(going, csvs);
    if (going === undefined || marks.length === 0) continue;
    const { to } = going.record;
    const isRun = ({ resolving, resource }: Step): boolean => resolving === to && !keptKinds.has(resource.kind);
    return { steps: (plan.status.plan ?? []).filter(isRun), marks };
  }
  return undefined;
}

/** Steps of a complete plan whose object was deleted, for operators of the plan with an unmet requirement. */
async function missingSteps(
  plan: InstallPlan,
  reader: ObjectReader,
  { client, discovery }: Surroundings,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  if (plan.status?.phase !== "Complete") return [];
  const { namespace = "" } = plan.metadata;
  const csvs = await Promise.all(
    plan.spec.clusterServiceVersionNames.map((name) => reader.get(clusterServiceVersions, { namespace, name })),
  );
  const waiting = new Set(
    csvs.flatMap((csv) => (csv !== undefined && lacksSomething(csv) ? [csv.metadata.name ?? ""] : [])),
  );
  const candidates = (plan.status.plan ?? []).filter(
    ({ resolving, resource }) => waiting.has(resolving) && repairedKinds.has(resource.kind),
  );
  const missing = await Promise.all(
    candidates.map(async (step) => {
      const type = await discovery.typeOf(step.resource, signal);
      if (type === undefined) return [];
      const { name } = step.resource;
      const live = await client.get(type, type.namespaced ? { namespace, name } : { name });
      return live === undefined ? [step] : [];
    }),
  );
  return missing.flat();
}
