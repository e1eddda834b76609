import type { KubeObject, ObjectKey, OwnerReference } from "@purser/kubernetes/apis/object";
import { formatKey, keyOf } from "@purser/kubernetes/apis/object";
import { clusterRoleBindings, clusterRoles, namespaces, roleBindings, roles } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ApplyContext, Controller, ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import type { ListScope, ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { written } from "@purser/kubernetes/kube/refusal";
import { turns } from "@purser/kubernetes/system/turns";
import { clusterServiceVersions, operatorGroups } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import {
  copiedFromLabel,
  managedLabel,
  operatorGroupAnnotation,
  ownerKindLabel,
  ownerLabel,
  ownerNamespaceLabel,
  targetNamespacesAnnotation,
} from "../../../apis/v0/labels.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Compat } from "../../../compat.ts";
import type { Surroundings } from "../../surroundings.ts";
import { beyondStatus } from "../../beyond-status.ts";
import { watching } from "../../watching.ts";
import { installingWriter } from "../scoped-writer.ts";
import { namedTargets } from "../operator-group/named-targets.ts";
import { permissionsInSteps } from "../../../bundle/csv-permissions.ts";
import { csvOwnerReference } from "../../../bundle/owned-by-csv.ts";
import { copiesWatch } from "../copied-csv/copied-csv-controller.ts";
import { labelledFor, ownedBy } from "../cluster-service-version/owned-by.ts";
import { ownerOf, unlabelledFor, unlabelledScope } from "../managed-label/unlabelled.ts";
import { permissionState } from "./plan/permission-scope.ts";
import type { OperatorPermissionsAction, OperatorPermissionsWorld } from "./plan/plan-operator-permissions.ts";
import { grantName, planConfirmed, wantedGrants } from "./plan/plan-operator-permissions.ts";

interface Observed {
  readonly key: ObjectKey;
  readonly world: OperatorPermissionsWorld;
  /** Objects under the names of the wanted grants. */
  readonly existing: ReadonlyMap<string, KubeObject>;
}

const csvsIn = (namespace: string, cache: CacheView): readonly ObjectKey[] =>
  cache.byIndex(clusterServiceVersions, "namespace", namespace).map(keyOf);

const managed = {
  scope: { labelSelector: `${managedLabel}=true` },
  indexedLabels: [ownerLabel, ownerNamespaceLabel, copiedFromLabel],
  map: ownerOf,
} as const;

/** What an older OLM left counts before it is labelled. */
const unlabelled = { ...managed, scope: unlabelledScope } as const;

/** Keeps what operators may do outside their own namespace in step with what their groups target. */
export function operatorPermissionsController({ compat }: Pick<Surroundings, "compat">): Controller {
  return defineController<Observed, OperatorPermissionsAction, KubeObject[], never, "liveRead">({
    name: "operator-permissions",
    watches: [
      watching<ClusterServiceVersion>({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        indexes: { namespace: (csv) => [csv.metadata.namespace ?? ""] },
        when: beyondStatus(permissionState),
        map: (csv) => [keyOf(csv)],
      }),
      watching<OperatorGroup>({
        type: operatorGroups,
        indexes: { target: namedTargets },
        map: (group, cache) => csvsIn(group.metadata.namespace ?? "", cache),
      }),
      watching({
        type: namespaces,
        map: ({ metadata }, cache) =>
          cache
            .byIndex(operatorGroups, "target", metadata.name ?? "")
            .flatMap((group) => csvsIn(group.metadata.namespace ?? "", cache)),
      }),
      watching({
        ...copiesWatch,
        map: ({ metadata: { name = "", labels = {} } }, cache) => {
          const original = { namespace: labels[copiedFromLabel] ?? "", name };
          const { annotations } = cache.cached(clusterServiceVersions, original)?.metadata ?? {};
          // An operator for all namespaces has no permissions in single ones.
          return annotations?.[targetNamespacesAnnotation] === "" ? [] : [original];
        },
      }),
      watching({ type: roles, ...managed }),
      watching({ type: roles, ...unlabelled }),
      watching({ type: roleBindings, ...managed }),
      watching({ type: roleBindings, ...unlabelled }),
      watching({ type: clusterRoles, ...managed }),
      watching({ type: clusterRoles, ...unlabelled }),
      watching({ type: clusterRoleBindings, ...managed }),
      watching({ type: clusterRoleBindings, ...unlabelled }),
    ],
    steps: {
      observe: (key, context) => observe(key, context, compat, "cached"),
      plan: ({ world, existing }) => planConfirmed(world, existing),
      supply: ({ key }, _need, context) => observe(key, context, compat, "live"),
      apply: async (key, action, context) => {
        const writer = await grantingWriter(key, action, context, compat);
        const result = await writer.write(action.write, context.signal);
        if (result.ok || result.problem.kind === "notFound") return;
        const csv = context.cache.cached(clusterServiceVersions, key);
        if (csv !== undefined && result.problem.kind === "forbidden")
          context.events.record(csv, "Warning", "PermissionsRefused", result.problem.status.message);
        written(result);
      },
    },
  });
}

/**
 * Grants are written as the group's account, if it names one: kube-apiserver refuses what the account does not hold itself.
 * Revocations need no rights of tenants.
 */
async function grantingWriter(
  { namespace = "" }: ObjectKey,
  { write }: OperatorPermissionsAction,
  context: ApplyContext,
  compat: Compat,
): Promise<ObjectWriter> {
  if (write.verb === "delete" || compat.keepsUpstream("tenant-grants")) return context.writer;
  const writer = installingWriter(await context.reader.list(operatorGroups, { namespace }), context);
  if (!writer.ok) throw new Error(writer.problem);
  return writer.value;
}

/** The copy owns the permissions of its namespace, so that they are deleted with it. */
function copyIn(
  target: string,
  { namespace, name }: ObjectKey,
  cache: CacheView,
): readonly (readonly [string, OwnerReference])[] {
  const copy = cache.cached(clusterServiceVersions, { namespace: target, name });
  const { labels, uid, deletionTimestamp } = copy?.metadata ?? {};
  if (uid === undefined || deletionTimestamp !== undefined || labels?.[copiedFromLabel] !== namespace) return [];
  return [[target, csvOwnerReference({ name, uid })]];
}

/** A list of what is labelled and what is not: each is answered by informers of its own. */
async function listOwned<Type extends KubeObject>(
  reader: ObjectReader,
  type: ResourceType<Type>,
  { labelled, other }: { readonly labelled: string; readonly other: string },
  scope: ListScope = {},
): Promise<readonly Type[]> {
  const [managedOnes, others] = await Promise.all([
    reader.list(type, { ...scope, labelSelector: labelled }),
    reader.list(type, { ...scope, labelSelector: other }),
  ]);
  // Two informers may show one object at once while it is being labelled.
  const names = new Set(managedOnes.map((object) => formatKey(keyOf(object))));
  return [...managedOnes, ...others.filter((object) => !names.has(formatKey(keyOf(object))))];
}

/**
 * @param source `live`: the reasons for grants, the CSV and its own permissions, are as the API server has them: an object that
 * is being labelled may be in neither informer for a moment
 */
async function observe(
  key: ObjectKey,
  { reader, cache }: ObserveContext,
  compat: Compat,
  source: OperatorPermissionsWorld["source"],
): Promise<Observed> {
  const { namespace = "", name } = key;
  // Of a CSV that the cache does not hold only what it left is read.
  const held =
    cache.cached(clusterServiceVersions, key) ??
    (source === "live" ? await reader.get(clusterServiceVersions, key) : undefined);
  const csv = held?.metadata.labels?.[copiedFromLabel] === undefined ? held : undefined;
  if (csv !== undefined) await turns.through(permissionsInSteps(csv));
  const groupName = csv?.metadata.annotations?.[operatorGroupAnnotation];
  const group = groupName === undefined ? undefined : await reader.get(operatorGroups, { namespace, name: groupName });
  const owned = { labelled: ownedBy(key), other: unlabelledFor(key) };
  const copies = `${copiedFromLabel}=${namespace},${ownerLabel}=${name},${ownerKindLabel}=ClusterServiceVersion`;
  const copied = { labelled: `${copies},${managedLabel}=true`, other: `${copies},${managedLabel}!=true` };
  const own = <Type extends KubeObject>(type: ResourceType<Type>): Promise<readonly Type[]> =>
    source === "live"
      ? reader.list(type, { namespace, labelSelector: labelledFor(key) })
      : listOwned(reader, type, owned, { namespace });
  const [ownRoles, ownBindings, ownClusterRoles, ownClusterBindings, tenantRoles, tenantBindings] = await Promise.all([
    own(roles),
    own(roleBindings),
    listOwned(reader, clusterRoles, owned),
    listOwned(reader, clusterRoleBindings, owned),
    listOwned(reader, roles, copied),
    listOwned(reader, roleBindings, copied),
  ]);
  const world: OperatorPermissionsWorld = {
    compat,
    source,
    csv,
    group,
    own: { roles: ownRoles, roleBindings: ownBindings },
    clusterRoles: ownClusterRoles,
    clusterRoleBindings: ownClusterBindings,
    tenants: { roles: tenantRoles, roleBindings: tenantBindings },
    namespaces: new Set(
      (group?.status?.namespaces ?? []).filter((target) => {
        const found = target === "" ? undefined : cache.cached(namespaces, { name: target });
        return found !== undefined && found.metadata.deletionTimestamp === undefined;
      }),
    ),
    copies: new Map((group?.status?.namespaces ?? []).flatMap((target) => copyIn(target, key, cache))),
  };
  const existing = await Promise.all(
    (wantedGrants(world) ?? []).map(async ({ type, object }) => {
      const found = await reader.get(type, keyOf(object));
      return found === undefined ? [] : [[grantName(type, keyOf(object)), found] as const];
    }),
  );
  return { key, world, existing: new Map(existing.flat()) };
}
