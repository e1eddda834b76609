import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { PolicyRule, Role, RoleBinding, Subject } from "@purser/kubernetes/apis/rbac";
import { permissionsHashLabel } from "../apis/v0/labels.ts";
import type { ClusterServiceVersion, StrategyPermission } from "../apis/v0/cluster-service-version.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { goJson } from "@purser/kubernetes/text/documents";
import type { Steps } from "@purser/kubernetes/steps";
import { derivedInSteps } from "../derived-once.ts";
import { writeListInSteps, writeTyped } from "./api-types/write-typed.ts";
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
  return permissionsOnce.now(csv, undefined);
}

/** {@link permissionsOf} with pauses, after which it answers at once: a CSV may have thousands of permissions and rules. */
export function permissionsInSteps(csv: ClusterServiceVersion): Steps<Result<readonly AccountPermissions[], string>> {
  return permissionsOnce.inSteps(csv, undefined);
}

const permissionsOnce = derivedInSteps(derivePermissions, () => "");

/** Permissions whose objects are made between two pauses: each takes three hashes. */
const permissionsPerStep = 128;

function* derivePermissions(csv: ClusterServiceVersion): Steps<Result<readonly AccountPermissions[], string>> {
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
  let untilPause = permissionsPerStep;
  function* both(kind: RoleKind, listed: readonly StrategyPermission[]): Steps<readonly Made[]> {
    const [made, bindings]: [Made[], Made[]] = [[], []];
    for (const permission of listed) {
      const rules = yield* rulesText(permission);
      const name = nameOf(kind, owner, permission, rules);
      made.push(role(kind, name, owner, permission, permissionsHash(rules)));
      bindings.push(roleBinding(kind, name, owner, permission));
      if (--untilPause > 0) continue;
      untilPause = permissionsPerStep;
      yield;
    }
    return [...made, ...bindings];
  }
  const made: AccountPermissions[] = [];
  for (const [serviceAccountName, { namespaced, cluster, first }] of accounts)
    made.push({
      serviceAccountName,
      objects: [
        serviceAccount(owner, serviceAccountName, first),
        ...(yield* both("Role", namespaced)),
        ...(yield* both("ClusterRole", cluster)),
      ],
    });
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
    // Of a permission without a name for its account, which the API server refuses.
    ...(name === "" ? {} : { name }),
    ...(namespaced ? { namespace: owner.namespace } : {}),
    ownerReferences: [{ ...csvOwnerReference(owner) }],
  };
  return { type: "ServiceAccount", object: { metadata } };
}

/** @param rules their text: a permission may have thousands, and it is hashed for the name and for the label */
function nameOf(kind: RoleKind, owner: Owner, permission: StrategyPermission, rules: string): string {
  // Empty ones are left out of the text, as of all that upstream writes.
  const given = { name: owner.name, ...(kind === "Role" ? {} : { namespace: owner.namespace }) };
  const owned = Object.entries(given).flatMap(([key, value]) => (value === "" ? [] : [`"${key}":${goJson(value)},`]));
  const hash = deepHash(`{${owned.join("")}"permission":${permissionText(permission, rules)}}`);
  return joinName(kind === "Role" ? `${owner.name}-${permission.serviceAccountName}` : owner.name, hash);
}

function permissionText({ serviceAccountName, rules: given }: StrategyPermission, rules: string): string {
  const members = [
    ...(serviceAccountName === undefined ? [] : [`"serviceAccountName":${goJson(serviceAccountName)}`]),
    ...(given === undefined ? [] : [`"rules":${rules}`]),
  ];
  return `{${members.join(",")}}`;
}

function* rulesText(permission: StrategyPermission): Steps<string> {
  const rules = rulesOf(permission) as unknown as JsonValue;
  return Array.isArray(rules)
    ? yield* writeListInSteps("PolicyRule", rules as readonly JsonValue[])
    : writeTyped("[]PolicyRule", rules);
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

type RoleKind = "Role" | "ClusterRole";

function role(kind: RoleKind, name: string, owner: Owner, permission: StrategyPermission, rulesHash: string): Made {
  const metadata = {
    name,
    ...(kind === "Role" ? { namespace: owner.namespace } : {}),
    ...marks(kind, owner, rulesHash),
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
