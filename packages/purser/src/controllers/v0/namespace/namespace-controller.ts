import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { namespaces } from "@purser/kubernetes/apis/resources";
import {
  catalogSources,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../../../apis/olm-resources.ts";
import type { CatalogSource } from "../../../apis/v0/catalog-source.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import type { ContentKey, ContentState } from "../../../catalog/content-state.ts";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { written } from "@purser/kubernetes/kube/refusal";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import { catalogImageIndex } from "../catalog-source/catalog-source-controller.ts";
import { observeNamespace, supplyNamespace } from "./observe-namespace.ts";
import type { NamespaceAction, NamespaceNeed } from "./plan/plan-namespace.ts";
import { planNamespace, pointedAt } from "./plan/plan-namespace.ts";
import type { NamespaceWorld } from "./plan/world.ts";

const itsNamespace = (object: KubeObject): readonly ObjectKey[] => [{ name: object.metadata.namespace ?? "" }];

/** Resolves namespaces: one key per namespace, the only writer of Subscription status and of new InstallPlans. */
export function namespaceController(surroundings: Surroundings): Controller {
  const waiting = new Waiting();
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
  const needingFor =
    (namespace: string) =>
    (content: ContentKey): ContentState => {
      const state = surroundings.content.need(content);
      // Also while it is present: it may be invalid, and is looked at again when its directory changes.
      if (content.kind === "bundle") waiting.add(content, namespace);
      return state;
    };
  return defineController<NamespaceWorld | undefined, NamespaceAction, KubeObject[], never, NamespaceNeed>({
    name: "namespace-resolution",
    watches: [
      watching<Subscription>({
        type: subscriptions,
        indexes: { all: () => ["true"], of: ({ spec }) => [spec.sourceNamespace] },
        map: itsNamespace,
      }),
      watching<ClusterServiceVersion>({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        map: itsNamespace,
      }),
      watching<InstallPlan>({ type: installPlans, map: itsNamespace }),
      watching({ type: operatorGroups, map: itsNamespace }),
      watching<CatalogSource>({ type: catalogSources, indexes: catalogImageIndex, map: affected }),
    ],
    wakes: [
      async function* (signal, cache) {
        for await (const changed of surroundings.content.changes(signal)) {
          if (changed.kind === "bundle") yield* waiting.take(changed);
          else
            for (const source of cache.byIndex(catalogSources, "image", changed.reference))
              yield* affected(source, cache);
        }
      },
    ],
    steps: {
      observe: (key, context) => observeNamespace(key.name, context, surroundings, needingFor(key.name)),
      plan: (world, { now }) => (world === undefined ? { actions: [] } : planNamespace(world, now)),
      supply: async (world, need, { signal }) =>
        world && supplyNamespace(world, need, signal, surroundings, needingFor(world.namespace)),
      apply: applyNamespace,
    },
  });
}

/** Which namespaces asked for bundles that were not there: they are woken when the content changes. */
class Waiting {
  readonly #namespaces = new Map<string, Set<string>>();

  add(key: ContentKey, namespace: string): void {
    const held = this.#namespaces.get(key.reference) ?? new Set();
    this.#namespaces.set(key.reference, held.add(namespace));
  }

  take(key: ContentKey): readonly ObjectKey[] {
    const held = this.#namespaces.get(key.reference) ?? new Set();
    this.#namespaces.delete(key.reference);
    return [...held].map((name) => ({ name }));
  }
}

async function applyNamespace(key: ObjectKey, action: NamespaceAction, context: ApplyContext): Promise<void> {
  const { reader, writer, events, signal } = context;
  switch (action.kind) {
    case "announce": {
      const namespace = await reader.get(namespaces, key);
      if (namespace !== undefined) events.record(namespace, "Warning", action.reason, action.message);
      return;
    }
    case "write": {
      const result = await writer.write(action.write, signal);
      if (!result.ok && result.problem.kind !== "notFound") written(result);
      return;
    }
    case "installPlan":
      return ensureInstallPlan(action, context);
  }
}

/** Plan first, then its status, then the Subscriptions: a pass that is cut short anywhere is taken up by the next one. */
async function ensureInstallPlan(
  { wanted, existing, subscriptions: targets }: Extract<NamespaceAction, { kind: "installPlan" }>,
  { writer, now, signal, reader }: ApplyContext,
): Promise<void> {
  let plan = existing;
  if (plan === undefined) {
    const created = await writer.write({ verb: "create", type: installPlans, object: wanted.object }, signal);
    if (!created.ok && created.problem.kind === "alreadyExists")
      plan = await reader.get(installPlans, {
        namespace: wanted.object.metadata.namespace ?? "",
        name: wanted.object.metadata.name ?? "",
      });
    else plan = written(created).object as InstallPlan | undefined;
  }
  if (plan === undefined)
    throw new Error(`InstallPlan ${wanted.object.metadata.name} was created and cannot be read yet`);
  if (plan.status?.plan === undefined)
    plan =
      (written(await writer.write(replaceStatus(installPlans, plan, wanted.status), signal)).object as
        | InstallPlan
        | undefined) ?? plan;
  for (const { subscription, status, currentCSV } of targets) {
    written(
      await writer.write(replaceStatus(subscriptions, subscription, pointedAt(status, plan, currentCSV, now)), signal),
    );
  }
}
