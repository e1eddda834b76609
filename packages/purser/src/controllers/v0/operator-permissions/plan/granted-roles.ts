import type { KubeObject, OwnerReference } from "@purser/kubernetes/apis/object";
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import { plainJson } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { permissionsOf, rbacGroup } from "../../../../bundle/csv-permissions.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel, managedLabel, ownerNamespaceLabel } from "../../../../apis/v0/labels.ts";
import { derivedOnce } from "../../../../derived-once.ts";

/** The Roles and RoleBindings of an operator in its own namespace. */
export interface OwnPermissions {
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

const apiVersion = `${rbacGroup}/v1`;

/** Names under which an InstallPlan makes the Roles and RoleBindings for a CSV's `permissions`. */
export function permissionNames(csv: ClusterServiceVersion): ReadonlySet<string> {
  return namesOnce(csv, undefined);
}

/** Each name has a hash of its rules, and every pass asks for the names of the same CSV several times. */
const namesOnce = derivedOnce(namesOf, () => "");

function namesOf(csv: ClusterServiceVersion): ReadonlySet<string> {
  const made = permissionsOf(csv);
  return new Set(
    (made.ok ? made.value : []).flatMap(({ objects }) =>
      objects.flatMap(({ type, object }) =>
        type === "Role" || type === "RoleBinding" ? [(object["metadata"] as { readonly name: string }).name] : [],
      ),
    ),
  );
}

/**
 * Of the Roles and RoleBindings with the CSV's owner labels those that stand for its `permissions`: by name, or because they
 * give one of its accounts just what it asks for, as RBAC that was made by hand for a CSV without an InstallPlan. Others come
 * from the manifests of its bundle and stay as their author wrote them; labels alone must not give rights in other namespaces.
 */
export function permissionsAmong(csv: ClusterServiceVersion, { roles, roleBindings }: OwnPermissions): OwnPermissions {
  const names = permissionNames(csv);
  // Older releases appended random characters to the name of the CSV.
  const named = ({ metadata: { name = "" } }: KubeObject): boolean =>
    names.has(name) || name.startsWith(`${csv.metadata.name}-`);
  const repeated = roleBindings.filter(
    (binding) => !named(binding) && roles.some((role) => givesJustWhatIsAsked(role, binding, csv)),
  );
  const bound = new Set(repeated.map(({ roleRef }) => roleRef.name));
  return {
    roles: roles.filter((role) => named(role) || bound.has(role.metadata.name ?? "")),
    roleBindings: roleBindings.filter((binding) => named(binding) || repeated.includes(binding)),
  };
}

function givesJustWhatIsAsked(
  role: Role,
  { roleRef, subjects = [] }: RoleBinding,
  { metadata: { namespace }, spec }: ClusterServiceVersion,
): boolean {
  if (roleRef.kind !== "Role" || roleRef.name !== role.metadata.name || subjects.length === 0) return false;
  return (spec.install.spec?.permissions ?? []).some(
    ({ serviceAccountName, rules }) =>
      sameRules(rules, role.rules) &&
      subjects.every(
        (subject) =>
          subject.kind === "ServiceAccount" &&
          subject.name === serviceAccountName &&
          (subject.namespace ?? namespace) === namespace,
      ),
  );
}

/** Whether two roles allow the same, rule by rule. */
export const sameRules = (one: readonly PolicyRule[] | undefined, other: readonly PolicyRule[] | undefined): boolean =>
  deepEqual(plainJson(one ?? []), plainJson(other ?? []));

/** What OLM adds, so that an operator for all namespaces can list them. */
const readsNamespaces: PolicyRule = { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["namespaces"] };

/** The same permissions in every namespace. */
export function liftedRole({ metadata: { name = "", labels = {} }, rules = [] }: Role): ClusterRole {
  return { apiVersion, kind: "ClusterRole", metadata: { name, labels }, rules: [...rules, readsNamespaces] };
}

/** Binds the lifted role to the accounts of the RoleBinding. */
export function liftedBinding({ metadata, subjects = [], roleRef }: RoleBinding): ClusterRoleBinding {
  const { name = "", namespace = "", labels = {} } = metadata;
  return {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata: { name, labels },
    subjects: inNamespace(subjects, namespace),
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: roleRef.name },
  };
}

/** The same permissions in a target namespace. */
export function tenantRole({ metadata, rules = [] }: Role, namespace: string, owner: OwnerReference | undefined): Role {
  return { apiVersion, kind: "Role", metadata: tenantMetadata(metadata, namespace, owner), rules };
}

/** Binds the tenant role to the accounts of the operator's namespace. */
export function tenantBinding(
  { metadata, subjects = [], roleRef }: RoleBinding,
  namespace: string,
  owner: OwnerReference | undefined,
): RoleBinding {
  return {
    apiVersion,
    kind: "RoleBinding",
    metadata: tenantMetadata(metadata, namespace, owner),
    subjects: inNamespace(subjects, metadata.namespace ?? ""),
    roleRef,
  };
}

function tenantMetadata(
  { name = "", namespace: from = "", labels = {} }: Role["metadata"],
  namespace: string,
  owner: OwnerReference | undefined,
): Role["metadata"] {
  return {
    name,
    namespace,
    labels: { ...labels, [ownerNamespaceLabel]: namespace, [copiedFromLabel]: from, [managedLabel]: "true" },
    ...(owner === undefined ? {} : { ownerReferences: [owner] }),
  };
}

/** Accounts without a namespace are of the namespace of their RoleBinding. */
const inNamespace = (
  subjects: NonNullable<RoleBinding["subjects"]>,
  namespace: string,
): NonNullable<RoleBinding["subjects"]> =>
  subjects.map((subject) => (subject.kind === "ServiceAccount" ? { namespace, ...subject } : subject));
