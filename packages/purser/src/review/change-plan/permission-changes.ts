import { type LabelSelector, matchesSelector, selectorOf } from "@purser/kubernetes/apis/selector";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { type PolicyRule, rulesCover, uncoveredRules } from "@purser/kubernetes/object/rbac";

/** Why a permission deserves a look. */
const permissionFlags = [
  "cluster-wide",
  "wildcard",
  "secrets",
  "escalate",
  "bind",
  "impersonate",
  "exec",
  "node",
] as const;
export type PermissionFlag = (typeof permissionFlags)[number];

export interface PermissionRule {
  readonly rule: PolicyRule;
  readonly flags: readonly PermissionFlag[];
}

/** What one ServiceAccount gains and loses in one namespace, or in all of them. */
export interface PermissionChange {
  /** `NAMESPACE/NAME` of the ServiceAccount. */
  readonly account: string;
  /** A namespace; undefined: the whole cluster. */
  readonly namespace?: string;
  readonly added: readonly PermissionRule[];
  readonly removed: readonly PermissionRule[];
}

/** The rules of a ServiceAccount, by namespace; the key "" is the whole cluster. */
type Grants = ReadonlyMap<string, readonly PolicyRule[]>;

/**
 * The differences of the permissions that the roles and bindings among the objects give to ServiceAccounts, sorted by account and
 * namespace. A rule that is split or written otherwise is no difference; what the cluster-wide rules cover counts as held in each
 * namespace.
 */
export function permissionChanges(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): readonly PermissionChange[] {
  const [old, next] = [grantsOf(before), grantsOf(after)];
  const accounts = [...new Set([...old.keys(), ...next.keys()])].toSorted();
  return accounts.flatMap((account) => {
    const [held, wanted] = [old.get(account) ?? new Map(), next.get(account) ?? new Map()] as [Grants, Grants];
    const namespaces = [...new Set([...held.keys(), ...wanted.keys()])].toSorted();
    return namespaces.flatMap((namespace): readonly PermissionChange[] => {
      const added = flagged(gainedIn(held, wanted, namespace), namespace);
      const removed = flagged(gainedIn(wanted, held, namespace), namespace);
      if (added.length + removed.length === 0) return [];
      return [{ account, ...(namespace === "" ? {} : { namespace }), added, removed }];
    });
  });
}

/** What is held in a namespace, or held or gained in the whole cluster, is not gained in the namespace. */
function gainedIn(held: Grants, wanted: Grants, namespace: string): readonly PolicyRule[] {
  const everywhere = [...(held.get("") ?? []), ...(namespace === "" ? [] : (wanted.get("") ?? []))];
  const here = namespace === "" ? [] : (held.get(namespace) ?? []);
  return uncoveredRules([...everywhere, ...here], wanted.get(namespace) ?? []);
}

function flagged(rules: readonly PolicyRule[], namespace: string): readonly PermissionRule[] {
  return rules.map((rule) => ({ rule, flags: flagsOf(rule, namespace === "") }));
}

/** Which sensitive requests the rule allows; `wildcard` stands for any `*` in it. */
function flagsOf(rule: PolicyRule, isClusterWide: boolean): readonly PermissionFlag[] {
  const { verbs = [], apiGroups = [], resources = [], nonResourceURLs = [] } = rule;
  const allows = (group: string, resource: string, wanted: readonly string[]): boolean =>
    wanted.some((verb) =>
      rulesCover([{ ...rule, resourceNames: [] }], [{ apiGroups: [group], resources: [resource], verbs: [verb] }]),
    );
  const rbac = "rbac.authorization.k8s.io";
  const roles = ["roles", "clusterroles"];
  const has: Readonly<Record<PermissionFlag, () => boolean>> = {
    "cluster-wide": () => isClusterWide && nonResourceURLs.length === 0,
    wildcard: () => [...verbs, ...apiGroups, ...resources, ...nonResourceURLs].some((text) => text.includes("*")),
    secrets: () => allows("", "secrets", ["get", "list", "watch"]),
    escalate: () => roles.some((role) => allows(rbac, role, ["escalate"])),
    bind: () => roles.some((role) => allows(rbac, role, ["bind"])),
    impersonate: () =>
      ["users", "groups", "serviceaccounts"].some((resource) => allows("", resource, ["impersonate"])) ||
      ["uids", "userextras/scopes"].some((resource) => allows("authentication.k8s.io", resource, ["impersonate"])),
    exec: () =>
      ["pods/exec", "pods/attach", "pods/portforward"].some((resource) => allows("", resource, ["create", "get"])),
    node: () =>
      allows("", "nodes/proxy", ["get", "create"]) || allows("", "nodes", ["create", "update", "patch", "delete"]),
  };
  return permissionFlags.filter((flag) => has[flag]());
}

/** Roles of Kubernetes itself that bundles bind. */
const ownRoles: readonly (readonly [string, readonly PolicyRule[]])[] = [
  [
    "ClusterRole /cluster-admin",
    [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ],
  ],
];

function grantsOf(objects: readonly JsonObject[]): ReadonlyMap<string, Grants> {
  const isRole = ({ kind }: JsonObject): boolean => kind === "Role" || kind === "ClusterRole";
  const given = objects
    .filter(isRole)
    .map(
      (role) =>
        [`${textIn(role, "kind")} ${roleNamespace(role)}/${nameIn(role, "name")}`, rulesOf(role, objects)] as const,
    );
  const roles = new Map([...ownRoles, ...given]);
  const grants = new Map<string, Map<string, PolicyRule[]>>();
  for (const binding of objects) {
    const kind = textIn(binding, "kind");
    if (kind !== "RoleBinding" && kind !== "ClusterRoleBinding") continue;
    const scope = kind === "RoleBinding" ? nameIn(binding, "namespace") : "";
    const reference = objectIn(binding, "roleRef");
    const role = textIn(reference, "kind");
    const rules = roles.get(`${role} ${role === "Role" ? scope : ""}/${textIn(reference, "name")}`) ?? [];
    for (const subject of itemsIn(binding, "subjects")) {
      if (textIn(subject, "kind") !== "ServiceAccount") continue;
      const account = `${textIn(subject, "namespace")}/${textIn(subject, "name")}`;
      const held = grants.get(account) ?? new Map<string, PolicyRule[]>();
      held.set(scope, [...(held.get(scope) ?? []), ...rules]);
      grants.set(account, held);
    }
  }
  return grants;
}

function roleNamespace(role: JsonObject): string {
  return role["kind"] === "ClusterRole" ? "" : nameIn(role, "namespace");
}

/** An aggregated role has the rules of the ClusterRoles among the objects that its selectors match. */
function rulesOf(role: JsonObject, objects: readonly JsonObject[]): readonly PolicyRule[] {
  const selectors = itemsIn(objectIn(role, "aggregationRule"), "clusterRoleSelectors");
  if (selectors.length === 0) return itemsIn(role, "rules") as readonly PolicyRule[];
  const matching = objects.filter(
    (other) => other["kind"] === "ClusterRole" && selectors.some((selector) => isSelected(other, selector)),
  );
  return matching.flatMap((other) => itemsIn(other, "rules") as readonly PolicyRule[]);
}

function isSelected(role: JsonObject, selector: LabelSelector): boolean {
  const labels = objectIn(objectIn(role, "metadata"), "labels") as Readonly<Record<string, string>>;
  const parsed = selectorOf(selector);
  return parsed.ok && matchesSelector(parsed.value, labels);
}

function objectIn(object: JsonObject, key: string): JsonObject {
  const value = member(object, key);
  return isJsonObject(value) ? value : {};
}

function itemsIn(object: JsonObject, key: string): readonly JsonObject[] {
  const value = member(object, key);
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => isJsonObject(item)) : [];
}

function textIn(object: JsonObject, key: string): string {
  const value = member(object, key);
  return typeof value === "string" ? value : "";
}

function nameIn(object: JsonObject, key: "name" | "namespace"): string {
  return textIn(objectIn(object, "metadata"), key);
}
