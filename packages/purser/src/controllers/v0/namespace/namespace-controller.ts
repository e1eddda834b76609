import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { namespaces } from "@purser/kubernetes/apis/resources";
import {
  catalogSources,
  clusterServiceVersions,
  clusterUpdatePolicies,
  installPlans,
  operatorGroups,
  subscriptions,
  updatePolicies,
} from "../../../apis/olm-resources.ts";
import type { CatalogSource } from "../../../apis/v0/catalog-source.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import { causedBy } from "@purser/kubernetes/kube/controller/caused-key";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { written, writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { syncLabels } from "../../../metrics/state-samples.ts";
import { withInstallPlanReadiness } from "../plan/install-plan-readiness.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { type AskForBundle, BundleWaiters } from "../../bundle-waiters.ts";
import { watching } from "../../watching.ts";
import { catalogContentIndex } from "../catalog-source/catalog-source-controller.ts";
import type { NamespacePasses } from "./namespace-passes.ts";
import { observeNamespace, supplyNamespace } from "./observe-namespace.ts";
import type { MadeInstallPlan, NamespaceAction } from "./plan/namespace-action.ts";
import type { NamespaceNeed } from "./plan/plan-namespace.ts";
import { pointedAt } from "./plan/made-install-plan.ts";
import { planNamespace } from "./plan/plan-namespace.ts";
import type { NamespaceWorld } from "./plan/world.ts";

const itsNamespace = (object: KubeObject): readonly ObjectKey[] => [{ name: object.metadata.namespace ?? "" }];

/** Resolves namespaces: one key per namespace, the only writer of Subscription status and of new InstallPlans; `passes` observes it. */
export function namespaceController(surroundings: Surroundings, passes: NamespacePasses): Controller {
  const waiters = new BundleWaiters(surroundings.content, "Namespace");
  const affected = (source: KubeObject, cache: CacheView): readonly ObjectKey[] => {
    const { namespace = "" } = source.metadata;
    const isGlobal = namespace === surroundings.globalNamespace;
    const readers = isGlobal
      ? cache.byIndex(subscriptions, "all", "true")
      : cache.byIndex(subscriptions, "of", namespace);
    return [...new Set([namespace, ...readers.map(({ metadata }) => metadata.namespace ?? "")])].map((name) => ({
      name,
    }));
  };
  const expecting = (keys: readonly ObjectKey[]): readonly ObjectKey[] => {
    for (const { name } of keys) passes.expect(name);
    return keys;
  };
  const askFor =
    (waiter: ObjectKey): AskForBundle =>
    (request) =>
      waiters.ask(request, waiter);
  const controller = defineController<NamespaceWorld | undefined, NamespaceAction, KubeObject[], never, NamespaceNeed>({
    name: "namespace-resolution",
    watches: [
      watching<Subscription>({
        type: subscriptions,
        indexes: { all: () => ["true"], of: ({ spec }) => [spec.sourceNamespace] },
        // One without a status has not been seen by any pass.
        map: (subscription) =>
          subscription.status === undefined ? expecting(itsNamespace(subscription)) : itsNamespace(subscription),
      }),
      watching<ClusterServiceVersion>({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        map: itsNamespace,
      }),
      watching<InstallPlan>({ type: installPlans, map: itsNamespace }),
      watching({ type: operatorGroups, map: itsNamespace }),
      watching({ type: updatePolicies, map: itsNamespace }),
      watching({
        type: clusterUpdatePolicies,
        map: (_, cache) => cache.byIndex(subscriptions, "all", "true").flatMap(itsNamespace),
      }),
      watching<CatalogSource>({ type: catalogSources, indexes: catalogContentIndex, map: affected }),
    ],
    wakes: [
      async function* (signal, cache) {
        for await (const notice of surroundings.content.notices(signal)) {
          yield* expecting(waiters.woken(notice));
          if (notice.kind === "catalog" && notice.onlyTimes !== true)
            for (const source of cache.byIndex(catalogSources, "content", notice.key))
              yield* causedBy(notice.cause, affected(source, cache));
        }
      },
    ],
    about: ({ name }, cache) =>
      cache.byIndex(subscriptions, "all", "true").find(({ metadata }) => metadata.namespace === name),
    steps: {
      async observe(key, context) {
        if (surroundings.watchedNamespaces?.has(key.name) === false) return undefined;
        const world = await observeNamespace(key.name, context, surroundings);
        if (world === undefined) waiters.release({ name: key.name });
        for (const subscription of world?.subscriptions ?? [])
          surroundings.metrics.add("subscription_sync_total", syncLabels(subscription));
        return world;
      },
      plan: (world, { now }) => (world === undefined ? { actions: [] } : planNamespace(world, now)),
      async supply(world, need, { signal }) {
        if (world === undefined) return undefined;
        const { clock, metrics, client } = surroundings;
        const started = clock.monotonic();
        const supplied = await supplyNamespace(world, need, signal, { ask: askFor({ name: world.namespace }), client });
        if (need.kind === "resolution") {
          const outcome = supplied.resolution?.kind === "resolved" ? "succeeded" : "failed";
          metrics.observe("olm_resolution_duration_seconds", { outcome }, (clock.monotonic() - started) / 1000);
        }
        return supplied;
      },
      apply: applyNamespace,
    },
  });
  return passes.observing(controller);
}

async function applyNamespace(key: ObjectKey, action: NamespaceAction, context: ApplyContext): Promise<void> {
  const { reader, writer, events, signal } = context;
  switch (action.kind) {
    case "announce": {
      const regarded = action.subscription ?? (await reader.get(namespaces, key));
      if (regarded !== undefined) events.record(regarded, "Warning", action.reason, action.message);
      return;
    }
    case "write": {
      writtenUnlessDeleted(await writer.write(action.write, signal));
      return;
    }
    case "installPlans":
      return ensureInstallPlans(action.plans, context);
  }
}

/**
 * Creates the plans, then writes the status of each and then its Subscriptions: the next pass continues a pass that was
 * interrupted at any point. What is refused of one plan holds up no other.
 */
async function ensureInstallPlans(plans: readonly MadeInstallPlan[], context: ApplyContext): Promise<void> {
  const created = await Promise.allSettled(plans.map((made) => createdInstallPlan(made, context)));
  const pointed = await Promise.allSettled(
    plans.flatMap((made, index) => {
      const plan = created[index];
      return plan?.status === "fulfilled" ? [pointSubscriptions(made, plan.value, context)] : [];
    }),
  );
  const failed = [...created, ...pointed].find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

async function createdInstallPlan(
  { wanted, existing }: MadeInstallPlan,
  { writer, signal, reader }: ApplyContext,
): Promise<InstallPlan> {
  if (existing !== undefined) return existing;
  const created = await writer.write({ verb: "create", type: installPlans, object: wanted.object }, signal);
  const { namespace = "", name = "" } = wanted.object.metadata;
  const plan =
    !created.ok && created.problem.kind === "alreadyExists"
      ? await reader.get(installPlans, { namespace, name })
      : (written(created).object as InstallPlan | undefined);
  if (plan === undefined) throw new Error(`InstallPlan ${name} was created, but cannot be read yet`);
  return plan;
}

async function pointSubscriptions(
  { wanted, subscriptions: targets }: MadeInstallPlan,
  created: InstallPlan,
  { writer, now, signal }: ApplyContext,
): Promise<void> {
  let plan = created;
  if (plan.status?.plan === undefined) {
    const status = withInstallPlanReadiness(plan, wanted.status, now);
    const shown = written(await writer.write(replaceStatus(installPlans, plan, status), signal));
    plan = (shown.object as InstallPlan | undefined) ?? plan;
  }
  for (const { subscription, status, currentCSV } of targets) {
    written(
      await writer.write(replaceStatus(subscriptions, subscription, pointedAt(status, plan, currentCSV, now)), signal),
    );
  }
}
