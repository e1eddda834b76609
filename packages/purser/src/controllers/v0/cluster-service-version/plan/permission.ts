import { managedLabel, ownerKindLabel, ownerLabel, ownerNamespaceLabel } from "../../../../apis/v0/labels.ts";
import { plainJson } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { PolicyRule, Role, RoleBinding, Subject } from "@purser/kubernetes/apis/rbac";
import type {
  ClusterServiceVersion,
  DependentStatus,
  RequirementStatus,
  StrategyPermission,
} from "../../../../apis/v0/cluster-service-version.ts";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { RuleRequest } from "@purser/kubernetes/object/rbac";
import { RuleLookup } from "@purser/kubernetes/object/rbac";
import type { RbacWorld, RequirementWorld } from "./world.ts";

/** A service account can be bound as what it is or by its user name; groups do not count. */
const bindsAccount =
  (namespace: string, account: string) =>
  (subjects: readonly Subject[] | undefined): boolean =>
    subjects?.some((subject) => {
      if (subject.kind === "User") return subject.name === `system:serviceaccount:${namespace}:${account}`;
      return subject.kind === "ServiceAccount" && subject.name === account && subject.namespace === namespace;
    }) === true;

/** Rules that a service account holds: everywhere, and beyond that in `scope` when one is given. */
function heldRules(
  rbac: RbacWorld,
  namespace: string,
  account: string,
  scope: string | undefined,
): readonly PolicyRule[] {
  const binds = bindsAccount(namespace, account);
  const clusterRole = (name: string): readonly PolicyRule[] =>
    rbac.clusterRoles.find((role) => role.metadata.name === name)?.rules ?? [];
  const everywhere = rbac.clusterRoleBindings
    .filter((binding) => binds(binding.subjects))
    .flatMap((binding) => clusterRole(binding.roleRef.name));
  if (scope === undefined) return everywhere;
  const here = rbac.roleBindings
    .filter((binding) => binding.metadata.namespace === scope && binds(binding.subjects))
    .flatMap(({ roleRef }) =>
      roleRef.kind === "ClusterRole"
        ? clusterRole(roleRef.name)
        : (rbac.roles.find((role) => role.metadata.namespace === scope && role.metadata.name === roleRef.name)?.rules ??
          []),
    );
  return [...everywhere, ...here];
}

/**
 * Whether the CSV's own Role carries exactly these rules and its own binding gives it to the account. What was made
 * for the CSV counts as it is, also where a rule names no API group and so grants nothing.
 */
function ownRoleHolds(world: RequirementWorld, account: string, rules: readonly PolicyRule[]): boolean {
  const { namespace = "", name = "" } = world.csv.metadata;
  const isOwn = ({ metadata: { labels = {}, ...metadata } }: Role | RoleBinding): boolean =>
    metadata.namespace === namespace &&
    labels[managedLabel] === "true" &&
    labels[ownerLabel] === name &&
    labels[ownerNamespaceLabel] === namespace &&
    labels[ownerKindLabel] === "ClusterServiceVersion";
  const binds = bindsAccount(namespace, account);
  return world.rbac.roles.some(
    (role) =>
      isOwn(role) &&
      deepEqual(plainJson(role.rules ?? []), plainJson(rules)) &&
      world.rbac.roleBindings.some(
        (binding) =>
          isOwn(binding) &&
          binding.roleRef.kind === "Role" &&
          binding.roleRef.name === role.metadata.name &&
          binds(binding.subjects),
      ),
  );
}

/** Limit of comparisons for one CSV, some ten milliseconds; what is beyond it counts as not satisfied. */
const mostLooks = 500_000;

const unsatisfied = "Policy rule not satisfied for service account";

/** After OLM's own words: why a rule counts so that may be granted. */
const unjudged = `${unsatisfied}: the rules of this ClusterServiceVersion need more than ${mostLooks / 1000},000 comparisons with the rules of its accounts; the rest counts as not satisfied. List fewer groups, resources and verbs in its rules, or use "*".`;

/** Whether `rbac` gives every account of the CSV its namespaced permissions in every namespace. */
export function permissionsHoldEverywhere({ metadata, spec }: ClusterServiceVersion, rbac: RbacWorld): boolean {
  const looks = { left: mostLooks };
  return (spec.install.spec?.permissions ?? []).every(({ serviceAccountName, rules }) => {
    const held = new RuleLookup(heldRules(rbac, metadata.namespace ?? "", serviceAccountName, undefined), looks);
    return (rules ?? []).every((rule) => requestsOf(rule).every((request) => held.allow(request)));
  });
}

/** The rule as upstream prints it: fixed key order, empty lists left out but for verbs. */
function ruleText(rule: PolicyRule): string {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  return JSON.stringify({
    verbs,
    ...(apiGroups.length > 0 ? { apiGroups } : {}),
    ...(resources.length > 0 ? { resources } : {}),
    ...(resourceNames.length > 0 ? { resourceNames } : {}),
    ...(nonResourceURLs.length > 0 ? { nonResourceURLs } : {}),
  });
}

function ruleProblem(rule: PolicyRule): string | undefined {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if ((verbs ?? []).length === 0) return "rule invalid: policy rule must have at least one verb";
  if (nonResourceURLs.length > 0 && apiGroups.length + resources.length + resourceNames.length > 0)
    return "rule invalid: rule cannot apply to both regular resources and non-resource URLs";
  return undefined;
}

const orEmpty = (list: readonly string[]): readonly string[] => (list.length === 0 ? [""] : list);

/**
 * Everything that the rule asks for, one right each and when it is looked at: a rule of a few thousand words stands for billions.
 * A wildcard asks for the wildcard; `pods/log` is one name.
 */
function* requestsOf(rule: PolicyRule): Generator<RuleRequest> {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  for (const verb of rule.verbs ?? []) {
    for (const path of nonResourceURLs) yield { kind: "path", verb, path };
    if (nonResourceURLs.length > 0) continue;
    for (const group of orEmpty(apiGroups))
      for (const resource of orEmpty(resources))
        for (const name of orEmpty(resourceNames)) yield { kind: "resource", verb, group, resource, name };
  }
}

/** One entry per service account of the strategy, sorted by name, with its rules as dependents. */
export function permissionRequirements(
  world: RequirementWorld,
): Result<readonly (readonly [RequirementStatus, boolean])[], string> {
  const { namespace = "", uid } = world.csv.metadata;
  const { permissions = [], clusterPermissions = [] } = world.csv.spec.install.spec ?? {};
  const entries = new Map<
    string,
    { status: string; message: string; met: boolean; uuid?: string; dependents: DependentStatus[] }
  >();
  const looks = { left: mostLooks };
  const judge = (list: readonly StrategyPermission[], scope: string | undefined): string | undefined => {
    for (const { serviceAccountName: account, rules } of list) {
      const entry = entries.get(account) ?? { status: "Present", message: "", met: true, dependents: [] };
      entries.set(account, entry);
      const found = world.serviceAccounts.get(account);
      if (found === undefined) {
        Object.assign(entry, { status: "NotPresent", message: "Service account does not exist", met: false });
        continue;
      }
      if (found.metadata.uid !== undefined) entry.uuid = found.metadata.uid;
      const owners = (found.metadata.ownerReferences ?? []).filter((owner) => owner.kind === "ClusterServiceVersion");
      if (owners.length > 0 && !owners.some((owner) => owner.uid === uid)) {
        Object.assign(entry, {
          status: "PresentNotSatisfied",
          message: "Service account is owned by another ClusterServiceVersion",
          met: false,
        });
        continue;
      }
      const byOwnRole = scope !== undefined && ownRoleHolds(world, account, rules ?? []);
      const held = new RuleLookup(heldRules(world.rbac, namespace, account, scope), looks);
      for (const rule of rules ?? []) {
        const problem = ruleProblem(rule);
        if (problem !== undefined) return problem;
        const satisfied = byOwnRole || requestsOf(rule).every((request) => held.allow(request));
        entry.dependents.push({
          group: "rbac.authorization.k8s.io",
          version: "v1",
          kind: "PolicyRule",
          status: satisfied ? "Satisfied" : "NotSatisfied",
          message: `${scope === undefined ? "cluster" : "namespaced"} rule:${ruleText(rule)}`,
        });
        if (!satisfied)
          Object.assign(entry, {
            status: "PresentNotSatisfied",
            message: looks.left < 0 ? unjudged : unsatisfied,
            met: false,
          });
      }
    }
    return undefined;
  };
  const problem = judge(permissions, namespace) ?? judge(clusterPermissions, undefined);
  if (problem !== undefined) return failed(problem);
  return done(
    [...entries]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { status, message, met, uuid, dependents }]) => [
        {
          group: "",
          version: "v1",
          kind: "ServiceAccount",
          name,
          status,
          message,
          ...(uuid === undefined || !met ? {} : { uuid }),
          ...(dependents.length === 0 ? {} : { dependents }),
        },
        met,
      ]),
  );
}
