import type { KubeObject, ObjectKey, OwnerReference } from "@purser/kubernetes/apis/object";
import { formatKey, keyOf } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "@purser/kubernetes/apis/resources";
import { plainJson } from "@purser/kubernetes/json";
import type { Needs, Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel, ownerKindLabel, ownerLabel, ownerNamespaceLabel } from "../../../../apis/v0/labels.ts";
import type { Compat } from "../../../../compat.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { permissionsHoldEverywhere } from "../../cluster-service-version/plan/permission.ts";
import { declaredOnly } from "./declared-permissions.ts";
import type { OwnPermissions } from "./granted-roles.ts";
import {
  permissionNames,
  permissionsAmong,
  liftedBinding,
  liftedRole,
  tenantBinding,
  tenantRole,
} from "./granted-roles.ts";
import { permissionScope } from "./permission-scope.ts";

export interface OperatorPermissionsWorld {
  /** The switch `tenant-grants`. */
  readonly compat: Compat;
  /** Where the CSV and its own permissions were read: in informers, or in the API server to confirm what they show. */
  readonly source: "cached" | "live";
  /** Absent when it does not exist. */
  readonly csv: ClusterServiceVersion | undefined;
  /** The group that the CSV names in its annotation, if it exists. */
  readonly group: OperatorGroup | undefined;
  /** With the CSV's owner labels, in its namespace. */
  readonly own: OwnPermissions;
  /** With the CSV's owner labels. */
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  /** Copies of the CSV's permissions in other namespaces. */
  readonly tenants: OwnPermissions;
  /** Target namespaces that exist and are not being deleted. */
  readonly namespaces: ReadonlySet<string>;
  /** Owner references to the copies of the CSV, by namespace. */
  readonly copies: ReadonlyMap<string, OwnerReference>;
}

export interface OperatorPermissionsAction {
  readonly kind: "write";
  readonly write: ObjectWrite;
}

/** An RBAC object that should exist. */
export interface Grant {
  readonly type: ResourceType;
  readonly object: Role | RoleBinding | ClusterRole | ClusterRoleBinding;
}

/** What the operator should hold beside its own namespace; undefined while that is undecided. */
export function wantedGrants(world: OperatorPermissionsWorld): readonly Grant[] | undefined {
  const { csv, group } = world;
  const scope = permissionScope(csv, group);
  if (scope.kind === "undecided") return undefined;
  if (csv === undefined || !scope.grants) return [];
  const held = permissionsAmong(csv, world.own);
  const own = world.compat.keepsUpstream("tenant-grants") ? held : declaredOnly(csv, held);
  if (permissionsHoldEverywhere(csv, withoutLifted(csv, world))) return [];
  if (scope.kind === "everywhere")
    return [
      ...own.roles.map((role) => ({ type: clusterRoles, object: liftedRole(role) })),
      ...own.roleBindings.map((binding) => ({ type: clusterRoleBindings, object: liftedBinding(binding) })),
    ];
  const isOwned = ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some(({ uid }) => uid === csv.metadata.uid) === true;
  return scope.namespaces
    .filter((name) => world.namespaces.has(name))
    .flatMap((name) => [
      ...own.roles
        .filter(isOwned)
        .map((role) => ({ type: roles, object: tenantRole(role, name, world.copies.get(name)) })),
      ...own.roleBindings
        .filter(isOwned)
        .map((binding) => ({ type: roleBindings, object: tenantBinding(binding, name, world.copies.get(name)) })),
    ]);
}

/**
 * Gives an operator its namespaced permissions where its group lets it work: as ClusterRoles for a group of all namespaces,
 * else as Roles in every target namespace. What the group no longer covers is deleted after what it covers was written, and
 * before it when an account with limited rights writes it.
 * @param existing objects under the names of the wanted grants, by type and key
 */
export function planOperatorPermissions(
  world: OperatorPermissionsWorld,
  existing: ReadonlyMap<string, KubeObject>,
): Plan<OperatorPermissionsAction> {
  const wanted = wantedGrants(world);
  if (wanted === undefined) return { actions: [] };
  const blocked: string[] = [];
  const actions = wanted.flatMap((grant): readonly OperatorPermissionsAction[] => {
    const live = existing.get(grantName(grant.type, keyOf(grant.object)));
    if (live === undefined) return [{ kind: "write", write: { verb: "create", ...grant } }];
    const owner = foreignOwner(live, grant.object);
    if (owner === undefined) return repaired(grant, live);
    blocked.push(`${grant.type.kind} ${formatKey(keyOf(grant.object))} belongs to the ClusterServiceVersion ${owner}`);
    return [];
  });
  const revoked = revocations(world, wanted);
  // Grants by the account of a group may be refused, which ends the pass.
  const mayFail = (world.group?.spec?.serviceAccountName ?? "") !== "" && !world.compat.keepsUpstream("tenant-grants");
  return {
    actions: mayFail ? [...revoked, ...actions] : [...actions, ...revoked],
    ...(blocked.length === 0 ? {} : { retry: blocked.join("\n") }),
  };
}

/** The plan, for which a deletion needs reasons that were read live: informers show labelled and unlabelled objects apart. */
export function planConfirmed(
  world: OperatorPermissionsWorld,
  existing: ReadonlyMap<string, KubeObject>,
): Plan<OperatorPermissionsAction> | Needs<"liveRead"> {
  const plan = planOperatorPermissions(world, existing);
  const deletes = plan.actions.some(({ write }) => write.verb === "delete");
  return deletes && world.source === "cached" ? { needs: "liveRead" } : plan;
}

/** Name of a grant among `existing`. */
export const grantName = (type: ResourceType, key: ObjectKey): string => `${type.plural} ${formatKey(key)}`;

type ClusterPermissions = Pick<OperatorPermissionsWorld, "clusterRoles" | "clusterRoleBindings">;

/** Lifted roles have the names of Roles; those of cluster permissions have names of their own. */
const isLifted = (
  csv: ClusterServiceVersion,
  { own }: Pick<OperatorPermissionsWorld, "own">,
): ((object: KubeObject) => boolean) => {
  const { roles: ownRoles, roleBindings: ownBindings } = permissionsAmong(csv, own);
  const names = new Set([
    ...permissionNames(csv),
    ...[...ownRoles, ...ownBindings].map(({ metadata }) => metadata.name ?? ""),
  ]);
  return ({ metadata }) => names.has(metadata.name ?? "");
};

function withoutLifted(
  csv: ClusterServiceVersion,
  world: OperatorPermissionsWorld,
): ClusterPermissions & OwnPermissions {
  const lifted = isLifted(csv, world);
  return {
    roles: [],
    roleBindings: [],
    clusterRoles: world.clusterRoles,
    clusterRoleBindings: world.clusterRoleBindings.filter((binding) => !lifted(binding)),
  };
}

/** `namespace/name` of another CSV that owns an object, by its labels. */
function foreignOwner({ metadata: { labels = {} } }: KubeObject, wanted: KubeObject): string | undefined {
  const ours = wanted.metadata.labels ?? {};
  if (labels[ownerKindLabel] !== "ClusterServiceVersion") return undefined;
  const keys = [ownerLabel, ownerNamespaceLabel, copiedFromLabel];
  if (keys.every((key) => labels[key] === ours[key])) return undefined;
  return `${labels[copiedFromLabel] ?? labels[ownerNamespaceLabel] ?? ""}/${labels[ownerLabel] ?? ""}`;
}

const same = (one: unknown, other: unknown): boolean => deepEqual(plainJson(one ?? null), plainJson(other ?? null));

function repaired({ type, object }: Grant, live: KubeObject): readonly OperatorPermissionsAction[] {
  const held = live as Role & RoleBinding;
  const wanted = object as Role & RoleBinding;
  // A roleRef is immutable: the deletion brings the pass that creates the binding again.
  if (!same(held.roleRef, wanted.roleRef))
    return [{ kind: "write", write: { verb: "delete", type, key: keyOf(object) } }];
  const { labels = {}, ownerReferences = [] } = wanted.metadata;
  const labelled = Object.entries(labels).every(([key, value]) => held.metadata.labels?.[key] === value);
  const owned = ownerReferences.every(({ uid }) => held.metadata.ownerReferences?.some((owner) => owner.uid === uid));
  if (labelled && owned && same(held.rules, wanted.rules) && same(held.subjects, wanted.subjects)) return [];
  const metadata = {
    ...held.metadata,
    labels: { ...held.metadata.labels, ...labels },
    ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
  };
  return [{ kind: "write", write: { verb: "replace", type, object: { ...object, metadata } } }];
}

/** Bindings go before their roles, so that nothing is bound to a role that does not exist. */
function revocations(world: OperatorPermissionsWorld, wanted: readonly Grant[]): readonly OperatorPermissionsAction[] {
  const { csv, group, tenants } = world;
  const scope = permissionScope(csv, group);
  const kept = new Set(wanted.map(({ type, object }) => grantName(type, keyOf(object))));
  const revoke = (type: ResourceType, objects: readonly KubeObject[]): readonly OperatorPermissionsAction[] =>
    objects
      .map(keyOf)
      .filter((key) => !kept.has(grantName(type, key)))
      .map((key) => ({ kind: "write", write: { verb: "delete", type, key } }));
  // Those of a CSV that leaves are deleted with it, by its finalizer.
  const lifted = csv === undefined || csv.metadata.deletionTimestamp !== undefined ? () => false : isLifted(csv, world);
  const keepsLifted = scope.kind === "everywhere" && !scope.grants;
  const keepsTenants = (object: KubeObject): boolean =>
    (scope.kind === "everywhere" && !scope.grants) ||
    (scope.kind === "in" && !scope.grants && scope.namespaces.includes(object.metadata.namespace ?? ""));
  return [
    ...(keepsLifted ? [] : revoke(clusterRoleBindings, world.clusterRoleBindings.filter(lifted))),
    ...(keepsLifted ? [] : revoke(clusterRoles, world.clusterRoles.filter(lifted))),
    ...revoke(
      roleBindings,
      tenants.roleBindings.filter((binding) => !keepsTenants(binding)),
    ),
    ...revoke(
      roles,
      tenants.roles.filter((role) => !keepsTenants(role)),
    ),
  ];
}
