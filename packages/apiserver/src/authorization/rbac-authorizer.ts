import type { ClusterRole, PolicyRule, Role, RoleBinding, RoleRef, Subject } from "@purser/kubernetes/apis/rbac";
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "@purser/kubernetes/apis/resources";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import { ruleAllows } from "@purser/kubernetes/object/rbac";
import { tableOf } from "../registry/served-kind.ts";
import type { Storage } from "../storage/storage.ts";
import { StoredIndex } from "../storage/stored-index.ts";
import type { AccessDecision, AccessRequest } from "./attributes.ts";
import { isMaster, serviceAccountOf } from "./attributes.ts";

const tables = {
  roles: tableOf(roles),
  clusterRoles: tableOf(clusterRoles),
  roleBindings: tableOf(roleBindings),
  clusterRoleBindings: tableOf(clusterRoleBindings),
};

/** A role that a user has through a binding. */
export interface Grant {
  readonly rules: readonly PolicyRule[];
  /** The reason in access reviews. */
  readonly reason: string;
}

export interface Grants {
  readonly grants: readonly Grant[];
  /** Errors about bindings whose role does not exist. */
  readonly errors: readonly string[];
}

/** Role-based access control by the stored roles and bindings. */
export class RbacAuthorizer {
  readonly #storage: Storage;
  readonly #clusterWide: StoredIndex;
  readonly #local: StoredIndex;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#clusterWide = new StoredIndex(storage, tables.clusterRoleBindings, subjectKeys);
    this.#local = new StoredIndex(storage, tables.roleBindings, subjectKeys);
  }

  decide({ user, request, namespace }: AccessRequest): AccessDecision {
    if (isMaster(user)) return { allowed: true, reason: "" };
    const { grants, errors } = this.grantsOf(user, namespace);
    for (const { rules, reason } of grants)
      if (rules.some((rule) => ruleAllows(rule, request))) return { allowed: true, reason };
    const [only] = errors;
    return {
      allowed: false,
      reason: only === undefined ? "" : errors.length === 1 ? `RBAC: ${only}` : `RBAC: [${errors.join(", ")}]`,
    };
  }

  /** All grants of a user, cluster-wide and, when given, in one namespace. */
  grantsOf(user: UserInfo, namespace: string | undefined): Grants {
    const grants: Grant[] = [];
    const errors: string[] = [];
    const visit = (
      kind: "ClusterRoleBinding" | "RoleBinding",
      binding: RoleBinding,
      scope: string | undefined,
    ): void => {
      const subject = binding.subjects?.find((candidate) => matches(candidate, user, scope));
      if (subject === undefined) return;
      const rules = this.rulesOf(binding.roleRef, scope);
      if (rules === undefined) {
        errors.push(missingRole(binding.roleRef));
        return;
      }
      const { name = "" } = binding.metadata;
      const place = scope === undefined ? name : `${name}/${scope}`;
      grants.push({
        rules,
        reason: `RBAC: allowed by ${kind} "${place}" of ${binding.roleRef.kind} "${binding.roleRef.name}" to ${subjectText(subject, scope)}`,
      });
    };
    const named = [`User ${user.name}`, ...user.groups.map((group) => `Group ${group}`)];
    for (const binding of this.#clusterWide.find(named.map((key) => subjectKey(undefined, key))))
      visit("ClusterRoleBinding", binding as RoleBinding, undefined);
    if (namespace !== undefined && namespace !== "")
      for (const binding of this.#local.find(named.map((key) => subjectKey(namespace, key))))
        visit("RoleBinding", binding as RoleBinding, namespace);
    return { grants, errors };
  }

  /** The rules of a referenced role; undefined when it does not exist. */
  rulesOf(ref: RoleRef, namespace: string | undefined): readonly PolicyRule[] | undefined {
    const found =
      ref.kind === "ClusterRole"
        ? this.#storage.get(tables.clusterRoles, ref.name)
        : this.#storage.get(tables.roles, `${namespace ?? ""}/${ref.name}`);
    return found === undefined ? undefined : ((found as Role | ClusterRole).rules ?? []);
  }
}

/** Index values of a binding by subject; {@link matches} makes the final decision. */
function subjectKeys(object: KubeObject): readonly string[] {
  const { metadata, subjects = [] } = object as RoleBinding;
  return subjects.flatMap(({ kind, name, namespace }): readonly string[] => {
    if (kind === "User" || kind === "Group") return [subjectKey(metadata.namespace, `${kind} ${name}`)];
    const of = (namespace ?? "") === "" ? metadata.namespace : namespace;
    return [subjectKey(metadata.namespace, `User system:serviceaccount:${of ?? ""}:${name}`)];
  });
}

const subjectKey = (scope: string | undefined, subject: string): string => `${scope ?? ""}/${subject}`;

function missingRole({ kind, name }: RoleRef): string {
  return `${kind === "ClusterRole" ? "clusterrole" : "role"}.rbac.authorization.k8s.io "${name}" not found`;
}

function matches(subject: Subject, user: UserInfo, bindingNamespace: string | undefined): boolean {
  switch (subject.kind) {
    case "User":
      return subject.name === user.name;
    case "Group":
      return user.groups.includes(subject.name);
    case "ServiceAccount": {
      const account = serviceAccountOf(user.name);
      const namespace = (subject.namespace ?? "") === "" ? bindingNamespace : subject.namespace;
      return account?.name === subject.name && account.namespace === namespace;
    }
    default:
      return false;
  }
}

function subjectText({ kind, name, namespace }: Subject, bindingNamespace: string | undefined): string {
  return kind === "ServiceAccount"
    ? `ServiceAccount "${name}/${namespace ?? bindingNamespace ?? ""}"`
    : `${kind} "${name}"`;
}
