import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { RoleBinding } from "@purser/kubernetes/apis/rbac";
import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import {
  managedLabel,
  ownerKindLabel,
  ownerLabel,
  ownerNamespaceLabel,
  copiedFromLabel,
  providedApisAnnotation,
} from "../../../apis/v0/labels.ts";
import {
  apiServices,
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  deployments,
  mutatingWebhookConfigurations,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import {
  clusterServiceVersions,
  operatorConditions,
  operatorGroups,
  subscriptions,
} from "../../../apis/olm-resources.ts";
import { proxies } from "../../../apis/openshift.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView, ObjectChange } from "@purser/kubernetes/kube/informer-cache";
import { written, writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { installStrategy } from "../../../rollout/install-strategy.ts";
import { installedAlongside } from "../../../rollout/plan/installed-alongside.ts";
import type { InstallOutcome } from "../../../rollout/plan/strategy/install-outcome.ts";
import { isDefined } from "../../openshift/is-defined.ts";
import { watching } from "../../watching.ts";
import { VersionedReads } from "../../versioned-reads.ts";
import { csvProgress } from "../../plan/progress.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { changedBeyondMarks, changedMarks, crdState, isManagedCrd, managedCrds } from "../crd-state.ts";
import { labellingComponents } from "../operator/labelling-components.ts";
import { installingWriter } from "../scoped-writer.ts";
import { rememberedVersion } from "./remembered-version.ts";
import { observeCleanup } from "./observe-cleanup.ts";
import { type CsvSurroundings, observeCsv } from "./observe-csv.ts";
import { alongsideIndex, observeDeparture, observeGone, readingDeployment } from "./observe-departure.ts";
import { afterApply } from "./plan/after-apply.ts";
import type { CsvAction } from "./plan/csv-action.ts";
import { withWait } from "./plan/csv-wait.ts";
import type { Departure } from "./plan/departure.ts";
import { planDeparture } from "./plan/departure.ts";
import { planCsv } from "./plan/plan-csv.ts";
import { groupSurface, intersectingGroups, parseProvidedApis, providedApis } from "./plan/provided-api.ts";
import { labelAccounts } from "./plan/unlabelled-accounts.ts";
import type { CsvWorld } from "./plan/world.ts";

const own = (csv: ClusterServiceVersion): ObjectKey => ({
  namespace: csv.metadata.namespace ?? "",
  name: csv.metadata.name ?? "",
});

/**
 * A CSV and those whose next step depends on it: all that it replaces, one after the other, because failing forward they wait
 * for the last of their chain, and the ones that replace it.
 */
function relatives(csv: ClusterServiceVersion, cache: CacheView): readonly ObjectKey[] {
  const { namespace = "", name = "" } = csv.metadata;
  return [
    own(csv),
    ...predecessors(csv, cache).map(own),
    ...cache.byIndex(clusterServiceVersions, "replaces", `${namespace}/${name}`).map(own),
  ];
}

/** Only those that exist: one that does not has no next step; its deletion ran its own key. */
function predecessors(csv: ClusterServiceVersion, cache: CacheView): readonly ClusterServiceVersion[] {
  const found = new Map<string, ClusterServiceVersion>();
  for (let name = csv.spec.replaces; name !== undefined && !found.has(name);) {
    const before = cache.cached(clusterServiceVersions, { namespace: csv.metadata.namespace ?? "", name });
    if (before === undefined) break;
    found.set(name, before);
    name = before.spec.replaces;
  }
  return [...found.values()];
}

const inNamespace = (
  object: { readonly metadata: { readonly namespace?: string } },
  cache: CacheView,
): readonly ObjectKey[] => cache.byIndex(clusterServiceVersions, "namespace", object.metadata.namespace ?? "").map(own);

const everywhere = (_object: KubeObject, cache: CacheView): readonly ObjectKey[] =>
  cache.byIndex(clusterServiceVersions, "any", "true").map(own);

/**
 * The CSVs of a group's namespace, and those anywhere that provide an API of its list: they lose or win it with the group's
 * targets, list and existence.
 */
function contenders({ before, after }: ObjectChange<OperatorGroup>, cache: CacheView): readonly ObjectKey[] {
  const states = [before, after].flatMap((group) => group ?? []);
  const near = states.flatMap((group) => inNamespace(group, cache));
  const claims = states.map(claimOf);
  if (before !== undefined && after !== undefined && claims[0] === claims[1]) return near;
  const listed = new Set(
    states.flatMap(({ metadata }) => parseProvidedApis(metadata.annotations?.[providedApisAnnotation])),
  );
  const meets = ({ metadata: { namespace = "" } }: ClusterServiceVersion): boolean =>
    cache
      .byIndex(operatorGroups, "namespace", namespace)
      .some((other) => states.some((group) => intersectingGroups(group, [other]).length > 0));
  return [
    ...near,
    ...[...listed].flatMap((api) => cache.byIndex(clusterServiceVersions, "provided", api).filter(meets).map(own)),
  ];
}

/** What other groups can lose or win by a change of the group. */
const claimOf = (group: OperatorGroup): string =>
  JSON.stringify([groupSurface(group), group.metadata.annotations?.[providedApisAnnotation]]);

/** The groups of a namespace and all whose targets meet theirs; undefined when that takes a look at all groups of the cluster. */
function groupsNear(namespace: string, cache: CacheView): readonly OperatorGroup[] | undefined {
  const own = cache.byIndex(operatorGroups, "namespace", namespace);
  const surfaces = new Set(own.flatMap(groupSurface));
  if (own.length === 0 || surfaces.has("")) return undefined;
  const found = ["", ...surfaces].flatMap((target) => cache.byIndex(operatorGroups, "surface", target));
  return [...new Set([...own, ...found])];
}

/** CSVs that an object names as owner, by reference or by label. */
function owners(object: { readonly metadata: ClusterServiceVersion["metadata"] }): readonly ObjectKey[] {
  const { namespace = "", labels = {}, ownerReferences = [] } = object.metadata;
  // Tenant roles belong to the copy of a CSV.
  if (labels[copiedFromLabel] !== undefined) return [];
  const byReference = ownerReferences
    .filter((owner) => owner.kind === "ClusterServiceVersion")
    .map((owner) => ({ namespace, name: owner.name }));
  const { [ownerLabel]: name, [ownerNamespaceLabel]: where, [ownerKindLabel]: kind } = labels;
  if (kind !== "ClusterServiceVersion" || name === undefined || where === undefined) return byReference;
  return [...byReference, { namespace: where, name }];
}

/**
 * Owners of a RoleBinding, and of one in `kube-system`, which as in OLM names no owner, the CSVs in the namespace of its account that
 * have its Deployment. Without one it is an orphan of that namespace, for which the Deployment's name stands.
 */
function ownersOfBinding(binding: RoleBinding, cache: CacheView): readonly ObjectKey[] {
  const deployment = readingDeployment(binding);
  if (deployment === undefined) return owners(binding);
  const namespaces = new Set((binding.subjects ?? []).flatMap(({ namespace }) => namespace ?? []));
  return [...namespaces].flatMap((namespace) => {
    const near = cache.byIndex(clusterServiceVersions, "namespace", namespace);
    const keys = near
      .filter(({ spec }) => spec.install.spec?.deployments.some(({ name }) => name === deployment))
      .map(own);
    return keys.length === 0 ? [{ namespace, name: deployment }] : keys;
  });
}

/** The CSVs that own or require a CRD, and those that it was installed with, which may not exist any more; that of Proxies concerns all. */
function concernedBy(crd: KubeObject, cache: CacheView): readonly ObjectKey[] {
  if (crd.metadata.name === groupResource(proxies)) return everywhere(crd, cache);
  const concerned = cache.byIndex(clusterServiceVersions, "crd", crd.metadata.name ?? "").map(own);
  return [...concerned, ...installedAlongside(crd.metadata.annotations).values()];
}

/** A CSV asks only for the marks of its own namespace; with one each of many installations every mark would wake all of them. */
function concernedByChange(change: ObjectChange, cache: CacheView): readonly ObjectKey[] {
  const { before, after } = change;
  if (changedBeyondMarks(change))
    return [before, after].flatMap((crd) => (crd === undefined ? [] : concernedBy(crd, cache)));
  const marked = changedMarks(change);
  const namespaces = new Set(marked.map(({ namespace }) => namespace));
  return [...marked, ...[...namespaces].flatMap((namespace) => inNamespace({ metadata: { namespace } }, cache))];
}

/** Objects that are found by their owner labels alone: those of older releases lack the label of managed objects. */
const ofCsvs = { scope: { labelSelector: `${ownerKindLabel}=ClusterServiceVersion` }, map: owners } as const;

const managed = { scope: { labelSelector: `${managedLabel}=true` }, map: owners } as const;

type CsvObservation =
  /** `watches`: types beyond the controller's own watches that the world was read from. */
  | { readonly kind: "present"; readonly world: CsvWorld; readonly watches: readonly ResourceType[] }
  | { readonly kind: "departing"; readonly departure: Departure };

/** A CSV that is being deleted is observed without its requirements, so that a failing read cannot block its deletion. */
async function observe(
  key: ObjectKey,
  context: Pick<ApplyContext, "reader" | "cache" | "signal" | "now">,
  surroundings: CsvSurroundings,
  memory: VersionedReads,
): Promise<CsvObservation> {
  const { reader } = context;
  const csv = await reader.get(clusterServiceVersions, key);
  if (csv?.metadata.deletionTimestamp !== undefined)
    return {
      kind: "departing",
      departure: {
        ...(await observeDeparture(csv, reader)),
        ...(surroundings.compat.keepsUpstream("csv-cleanup") ? {} : { cleanup: await observeCleanup(csv, reader) }),
      },
    };
  const reads = memory.during(reader, context.cache);
  const { signal, cache, now } = context;
  const proxy = isDefined(proxies, cache) ? await reads.get(proxies, { name: "cluster" }) : undefined;
  const world =
    csv === undefined
      ? undefined
      : await observeCsv(
          key,
          { reader: reads, signal, proxy, now, groups: groupsNear(key.namespace ?? "", cache) },
          surroundings,
        );
  return world === undefined
    ? { kind: "departing", departure: await observeGone(key, reads, context.cache) }
    : { kind: "present", world, watches: reads.toWatch.filter((type) => type !== customResourceDefinitions) };
}

/** Drives every ClusterServiceVersion through its phases; the only writer of their status. */
export function csvController(surroundings: Surroundings): Controller {
  const memory = new VersionedReads(crdState);
  const observed = { ...surroundings, client: rememberedVersion(surroundings.client, surroundings.clock) };
  return defineController<CsvObservation, CsvAction, KubeObject[], InstallOutcome>({
    name: "cluster-service-version",
    progress: csvProgress,
    watches: [
      watching({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        indexes: {
          any: () => ["true"],
          namespace: (csv: ClusterServiceVersion) => [csv.metadata.namespace ?? ""],
          replaces: (csv: ClusterServiceVersion) =>
            csv.spec.replaces === undefined || csv.spec.replaces === ""
              ? []
              : [`${csv.metadata.namespace}/${csv.spec.replaces}`],
          crd: (csv: ClusterServiceVersion) => {
            const { owned = [], required = [] } = csv.spec.customresourcedefinitions ?? {};
            return [...owned, ...required].map(({ name }) => name);
          },
          provided: providedApis,
        },
        map: relatives,
      }),
      watching<OperatorGroup>({
        type: operatorGroups,
        indexes: { namespace: ({ metadata }) => [metadata.namespace ?? ""], surface: groupSurface },
        concerned: contenders,
      }),
      watching({
        type: subscriptions,
        map: (subscription) => {
          const name = subscription.status?.installedCSV ?? "";
          return name === "" ? [] : [{ namespace: subscription.metadata.namespace ?? "", name }];
        },
      }),
      watching({
        type: operatorConditions,
        map: (condition, cache) => [...owners(condition), ...inNamespace(condition, cache)],
      }),
      watching({
        type: customResourceDefinitions,
        projection: "metadata",
        indexes: {
          [alongsideIndex]: (crd) =>
            [...installedAlongside(crd.metadata.annotations).values()].map(
              ({ namespace, name }) => `${namespace}/${name}`,
            ),
        },
        map: (crd, cache) => (isManagedCrd(crd) ? [] : concernedBy(crd, cache)),
      }),
      watching({ ...managedCrds, concerned: concernedByChange }),
      // managedFields show who edited a Deployment.
      watching({ type: deployments, ...ofCsvs, projection: "whole", indexedLabels: [ownerLabel] }),
      watching({ type: services, ...managed }),
      watching({ type: serviceAccounts, ...managed }),
      watching({ type: secrets, ...managed, projection: "metadata" }),
      watching({ type: roles, ...managed, indexedLabels: [ownerLabel] }),
      watching({ type: roleBindings, ...managed, map: ownersOfBinding, indexedLabels: [ownerLabel] }),
      watching({ type: clusterRoles, ...managed, indexedLabels: [ownerLabel, ownerNamespaceLabel] }),
      watching({ type: clusterRoleBindings, ...managed, indexedLabels: [ownerLabel, ownerNamespaceLabel] }),
      watching({ type: apiServices, map: ofCsvs.map }),
      watching({ type: validatingWebhookConfigurations, ...ofCsvs, indexedLabels: [ownerLabel, ownerNamespaceLabel] }),
      watching({ type: mutatingWebhookConfigurations, ...ofCsvs, indexedLabels: [ownerLabel, ownerNamespaceLabel] }),
    ],
    wakingWatch: (type) => ({ map: type.namespaced ? inNamespace : everywhere }),
    steps: {
      observe: (key, context) => observe(key, context, observed, memory),
      plan: (seen, { now }) => {
        switch (seen.kind) {
          case "present": {
            const planned = withWait(planCsv(seen.world, now), seen.world.csv, now);
            const plan = { ...planned, actions: [...labelAccounts(seen.world), ...planned.actions] };
            // A CSV on its way is read anew anyway: watches of the whole cluster are for one that waits or rests.
            return plan.actions.length > 0 ? plan : { ...plan, watches: seen.watches };
          }
          case "departing":
            return planDeparture(seen.departure, now);
        }
      },
      apply: (_key, action, context) => applyCsv(action, context, surroundings),
      afterApply: (seen, outcome, { now }) =>
        seen.kind === "present" ? afterApply(seen.world, outcome, now) : { actions: [] },
    },
  });
}

/** Executes one action. `notFound` is ignored; a failed `attempt` is logged; other refusals end the pass. */
async function applyCsv(
  action: CsvAction,
  context: ApplyContext,
  { clock, entropy }: Surroundings,
): Promise<InstallOutcome | undefined> {
  const { writer, events, signal, log } = context;
  switch (action.kind) {
    case "write": {
      writtenUnlessDeleted(await writer.write(action.write, signal));
      return undefined;
    }
    case "attempt": {
      const result = await writer.write(action.write, signal);
      if (!result.ok && result.problem.kind !== "notFound")
        log("warn", "An object of a deleted operator could not be reset", { error: result.problem.status.message });
      return undefined;
    }
    case "status": {
      const { csv, status, announce } = action;
      if (announce !== undefined)
        events.record(csv, announce.phase === "Failed" ? "Warning" : "Normal", announce.reason, announce.message);
      writtenUnlessDeleted(await writer.write(replaceStatus(clusterServiceVersions, csv, status), signal));
      return undefined;
    }
    case "announce":
      events.record(action.csv, "Warning", action.reason, action.message);
      return undefined;
    case "deleteOperand": {
      const result = await context.identities.serviceAccount(action.account).write(action.write, signal);
      if (!result.ok && result.problem.kind !== "notFound") {
        events.record(action.csv, "Warning", "CleanupFailed", result.problem.status.message);
        written(result);
      }
      return undefined;
    }
    case "install": {
      const installer = installingWriter(action.groups, context);
      if (!installer.ok) return { kind: "noAccount", message: installer.problem };
      const writer = labellingComponents(installer.value, action.strategy.csv);
      return installStrategy(action.strategy, { writer, clock, entropy }, signal);
    }
  }
}
