import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { PolicyRule, Role, RoleBinding, Subject } from "@purser/kubernetes/apis/rbac";
import { permissionsHashLabel } from "../apis/v0/labels.ts";
import type { ClusterServiceVersion, StrategyPermission } from "../apis/v0/cluster-service-version.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { goJson } from "@purser/kubernetes/text/documents";
import { writeTyped } from "./api-types/write-typed.ts";
import { deepHash, joinName, permissionsHash } from "./generated-name.ts";
import { csvOwnerReference, ownerLabels } from "./owned-by-csv.ts";

/** What one service account of a CSV needs, in the order in which upstream makes it. */
export interface AccountPermissions {
  readonly serviceAccountName: string;
  /** Objects as upstream writes them into manifests: without `kind` and `apiVersion`. */
  readonly objects: readonly { readonly type: RbacType; readonly object: JsonObject }[];
}

export type RbacType = "ServiceAccount" | "Role" | "RoleBinding" | "ClusterRole" | "ClusterRoleBinding";

/** Group of the kinds of {@link RbacType} but ServiceAccount; all are served in version `v1`. */
export const rbacGroup = "rbac.authorization.k8s.io";

/**
 * ServiceAccounts, Roles and bindings that a CSV's `permissions` and `clusterPermissions` ask for, by account in order of
 * first appearance; names and hashes as upstream gives them. The account `default` is listed too, though it is never created.
 * The problem is upstream's text: only the strategy `deployment` is known.
 */
export function permissionsOf(csv: ClusterServiceVersion): Result<readonly AccountPermissions[], string> {
  if (csv.spec.install.strategy !== "deployment") return failed("unrecognized install strategy");
  const { permissions, clusterPermissions } = csv.spec.install.spec ?? {};
  const accounts = new Map<
    string,
    { namespaced: StrategyPermission[]; cluster: StrategyPermission[]; first: boolean }
  >();
  const account = (name: string, namespaced: boolean) => {
    const known = accounts.get(name);
    if (known !== undefined) return known;
    const fresh = { namespaced: [], cluster: [], first: namespaced };
    accounts.set(name, fresh);
    return fresh;
  };
  for (const permission of permissions ?? []) account(permission.serviceAccountName, true).namespaced.push(permission);
  for (const permission of clusterPermissions ?? [])
    account(permission.serviceAccountName, false).cluster.push(permission);
  const owner = ownerOf(csv);
  // A permission may have thousands of rules: all of them are hashed for the name, once for both objects.
  const both = (kind: RoleKind, listed: readonly StrategyPermission[]): readonly Made[] => {
    const named = listed.map((permission) => ({ permission, name: nameOf(kind, owner, permission) }));
    return [
      ...named.map(({ permission, name }) => role(kind, name, owner, permission)),
      ...named.map(({ permission, name }) => roleBinding(kind, name, owner, permission)),
    ];
  };
  const made = [...accounts].map(([serviceAccountName, { namespaced, cluster, first }]) => ({
    serviceAccountName,
    objects: [
      serviceAccount(owner, serviceAccountName, first),
      ...both("Role", namespaced),
      ...both("ClusterRole", cluster),
    ],
  }));
  return done(made);
}

interface Owner {
  readonly apiVersion: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

function ownerOf({ apiVersion, metadata: { name = "", namespace = "", uid = "" } }: ClusterServiceVersion): Owner {
  return { apiVersion, name, namespace, uid };
}

type Made = AccountPermissions["objects"][number];

/** An account that only cluster permissions name gets its namespace when it is created. */
function serviceAccount(owner: Owner, name: string, namespaced: boolean): Made {
  const metadata = {
    name,
    ...(namespaced ? { namespace: owner.namespace } : {}),
    ownerReferences: [{ ...csvOwnerReference(owner) }],
  };
  return { type: "ServiceAccount", object: { metadata } };
}

function nameOf(kind: RoleKind, owner: Owner, permission: StrategyPermission): string {
  const namespace = kind === "Role" ? "" : `"namespace":${goJson(owner.namespace)},`;
  const hash = deepHash(`{"name":${goJson(owner.name)},${namespace}"permission":${permissionJson(permission)}}`);
  return joinName(kind === "Role" ? `${owner.name}-${permission.serviceAccountName}` : owner.name, hash);
}

function permissionJson(permission: StrategyPermission): string {
  return writeTyped("csv.StrategyDeploymentPermissions", permission as unknown as JsonObject);
}

function rulesOf({ rules }: StrategyPermission): readonly PolicyRule[] | null {
  return rules ?? null;
}

/**
 * The hash that a Role, a ClusterRole or a binding of them carries as label `olm.permissions.hash`; undefined for other types.
 * As `PolicyRuleHashLabelValue` and `RoleReferenceAndSubjectHashLabelValue` of OLM v0.
 */
export function permissionsHashOf({ kind }: { readonly kind: string }, object: KubeObject): string | undefined {
  switch (kind) {
    case "Role":
    case "ClusterRole":
      return permissionsHash(writeTyped("[]PolicyRule", ((object as Role).rules ?? null) as unknown as JsonValue));
    case "RoleBinding":
    case "ClusterRoleBinding": {
      const { roleRef, subjects = null } = object as RoleBinding;
      return bindingHash(roleRef, subjects);
    }
    default:
      return undefined;
  }
}

function bindingHash(roleRef: RoleBinding["roleRef"], subjects: readonly Subject[] | null): string {
  const reference = writeTyped("RoleRef", roleRef as unknown as JsonValue);
  const bound = writeTyped("[]Subject", subjects as unknown as JsonValue);
  return permissionsHash(`{"RoleRef":${reference},"Subjects":${bound}}`);
}

function rulesHash(permission: StrategyPermission): string {
  return permissionsHash(writeTyped("[]PolicyRule", rulesOf(permission) as unknown as JsonValue));
}

type RoleKind = "Role" | "ClusterRole";

function role(kind: RoleKind, name: string, owner: Owner, permission: StrategyPermission): Made {
  const metadata = {
    name,
    ...(kind === "Role" ? { namespace: owner.namespace } : {}),
    ...marks(kind, owner, rulesHash(permission)),
  };
  return { type: kind, object: { metadata, rules: rulesOf(permission) as unknown as JsonValue } };
}

function roleBinding(kind: RoleKind, name: string, owner: Owner, permission: StrategyPermission): Made {
  const binding = bindingOf(kind, name, owner, permission.serviceAccountName);
  // A ClusterRoleBinding has no namespace; upstream writes one all the same, and the text of the manifest counts.
  const metadata = { name, namespace: owner.namespace, ...marks(kind, owner, binding.hash) };
  return { type: `${kind}Binding`, object: { metadata, ...binding.content } };
}

/** Labels, and for namespaced objects the owner reference: a CSV cannot own cluster-scoped objects. */
function marks(kind: RoleKind, owner: Owner, hash: string): JsonObject {
  return {
    labels: { ...ownerLabels(owner), [permissionsHashLabel]: hash },
    ...(kind === "Role" ? { ownerReferences: [{ ...csvOwnerReference(owner) }] } : {}),
  };
}

function bindingOf(kind: RoleKind, name: string, owner: Owner, account: string) {
  const roleRef = { apiGroup: rbacGroup, kind, name };
  const subjects: readonly (Subject & JsonObject)[] = [
    { kind: "ServiceAccount", name: account, namespace: owner.namespace },
  ];
  return { hash: bindingHash(roleRef, subjects), content: { subjects, roleRef } };
}
