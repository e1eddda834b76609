import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { OwnerReference } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ClusterRole } from "@purser/kubernetes/apis/rbac";
import { clusterRoles } from "@purser/kubernetes/apis/resources";
import { plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { aggregateLabelPrefix, managedLabel } from "../../../../apis/v0/labels.ts";
import type { Compat } from "../../../../compat.ts";
import type { ApiServer, DescribedRole } from "./described-roles.ts";
import { describedRoles } from "./described-roles.ts";

export interface ApiRolesWorld {
  /** The switch `api-roles`. */
  readonly compat: Compat;
  readonly csv: ClusterServiceVersion | undefined;
  /** Other CSVs, in any namespace, that own one of the same APIs. */
  readonly rivals: readonly ClusterServiceVersion[];
  /** Uids by name of the owned CRDs that exist. */
  readonly crds: ReadonlyMap<string, string>;
  /** All of the groups that the CSV serves by APIServices. */
  readonly apiServices: readonly APIService[];
  /** Those of the described names that exist. */
  readonly clusterRoles: ReadonlyMap<string, ClusterRole>;
}

export interface ApiRolesAction {
  readonly kind: "write";
  readonly write: ObjectWrite;
}

/**
 * Gives users with `admin`, `edit` or `view` the same on the APIs of an operator that has `Succeeded`. Of several CSVs that
 * describe one role the first by namespace and name decides, so that they do not overwrite each other.
 */
export function planApiRoles(world: ApiRolesWorld): Plan<ApiRolesAction> {
  const { csv } = world;
  if (csv === undefined || !isInstalled(csv)) return { actions: [] };
  const taken = new Set(
    world.rivals
      .filter((rival) => isInstalled(rival) && placeOf(rival) < placeOf(csv))
      .flatMap(describedRoles)
      .map(({ name }) => name),
  );
  const wanted = new Map<string, OwnedRole>();
  for (const role of describedRoles(csv)) {
    const owner = ownerOf(role.server, world);
    if (owner === undefined || taken.has(role.name)) continue;
    wanted.set(role.name, together(wanted.get(role.name), role, owner));
  }
  return { actions: [...wanted.values()].flatMap((role) => planRole(role, world)) };
}

/** A role with the servers that exist of all APIs that it is for. */
interface OwnedRole extends Pick<DescribedRole, "name" | "labels" | "rules"> {
  readonly owners: readonly OwnerReference[];
}

function together(
  before: OwnedRole | undefined,
  { name, labels, rules }: DescribedRole,
  owner: OwnerReference,
): OwnedRole {
  const { owners, ...held } = before ?? { owners: [], labels: {}, rules: [] };
  const isHeld = owners.some(({ uid }) => uid === owner.uid);
  return {
    name,
    labels: { ...held.labels, ...labels },
    rules: held.rules.some((rule) => same([rule], rules)) ? held.rules : [...held.rules, ...rules],
    owners: isHeld ? owners : [...owners, owner],
  };
}

/** Whether a CSV's roles are kept. */
export const isInstalled = ({ metadata, status }: ClusterServiceVersion): boolean =>
  status?.phase === "Succeeded" && metadata.deletionTimestamp === undefined;

/** Ordered like the pair of both. */
export const placeOf = ({ metadata: { namespace = "", name = "" } }: ClusterServiceVersion): string =>
  `${namespace}\n${name}`;

/**
 * The owner reference of the API's roles; undefined while it does not exist. A group that kube-apiserver itself serves in
 * another version has no roles: a rule names no version, so that it would grant kube-apiserver's own resources.
 */
function ownerOf(server: ApiServer, { crds, apiServices, compat }: ApiRolesWorld): OwnerReference | undefined {
  const { kind, name } = server;
  if (kind === "CustomResourceDefinition") {
    const uid = crds.get(name);
    return uid === undefined ? undefined : ownerReference("apiextensions.k8s.io/v1", kind, name, uid);
  }
  const found = apiServices.find(({ metadata }) => metadata.name === name);
  if (found === undefined) return undefined;
  const servedLocally = apiServices.some(
    ({ spec }) => spec?.group === server.group && (spec.service ?? undefined) === undefined,
  );
  if (servedLocally && !compat.keepsUpstream("api-roles")) return undefined;
  return ownerReference("apiregistration.k8s.io/v1", kind, name, found.metadata.uid ?? "");
}

const ownerReference = (apiVersion: string, kind: string, name: string, uid: string): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: false,
  blockOwnerDeletion: false,
});

const same = (one: unknown, other: unknown): boolean => deepEqual(plainJson(one ?? null), plainJson(other ?? null));

function planRole({ name, labels, rules, owners }: OwnedRole, world: ApiRolesWorld): readonly ApiRolesAction[] {
  const live = world.clusterRoles.get(name);
  const role: ClusterRole = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name, labels, ownerReferences: owners },
    rules,
  };
  return live === undefined
    ? [{ kind: "write", write: { verb: "create", type: clusterRoles, object: role } }]
    : correctedRole(role, live, world.compat);
}

/** What makes the live role the wanted one. */
export function correctedRole(
  { metadata: { labels, ownerReferences }, rules, ...role }: ClusterRole,
  live: ClusterRole,
  compat: Compat,
): readonly ApiRolesAction[] {
  if (!isOurs(live) && !compat.keepsUpstream("api-roles")) return [];
  const { metadata } = live;
  if (
    same(metadata.labels, labels) &&
    same(metadata.ownerReferences, ownerReferences) &&
    same(live.rules, rules) &&
    live.aggregationRule === undefined
  )
    return [];
  const object = { ...role, metadata: { ...metadata, labels, ownerReferences }, rules } as ClusterRole;
  return [{ kind: "write", write: { verb: "replace", type: clusterRoles, object } }];
}

/** A description chooses the name: a role that was not made for an operator's API is not overwritten. */
const isOurs = ({ metadata: { labels = {} } }: ClusterRole): boolean =>
  labels[managedLabel] === "true" || Object.keys(labels).some((key) => key.startsWith(aggregateLabelPrefix));
