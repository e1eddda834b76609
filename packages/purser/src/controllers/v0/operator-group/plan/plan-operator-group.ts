import type { Condition } from "@purser/kubernetes/apis/condition";
import type { Namespace, ServiceAccount } from "@purser/kubernetes/apis/core";
import type { ClusterRole } from "@purser/kubernetes/apis/rbac";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { clusterRoles, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorGroups } from "../../../../apis/olm-resources.ts";
import { matchesSelector, selectorOf } from "@purser/kubernetes/apis/selector";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import {
  aggregateLabelPrefix,
  managedLabel,
  ownerKindLabel,
  ownerLabel,
  ownerNamespaceLabel,
  providedApisAnnotation,
} from "../../../../apis/v0/labels.ts";
import type { Compat } from "../../../../compat.ts";
import type { OperatorGroup, OperatorGroupStatus } from "../../../../apis/v0/operator-group.ts";
import { withCondition } from "@purser/kubernetes/apis/condition";
import { formatTime } from "@purser/kubernetes/clock";
import { base62Sha224, fnv1a64 } from "@purser/kubernetes/digest";
import { plainJson } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { Plan } from "@purser/kubernetes/kube/plan";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { annotate, label, replaceStatus } from "../../../plan/metadata-patch.ts";
import { isMember, membership } from "../../cluster-service-version/plan/gate.ts";
import { targetsChanged } from "./namespace-set.ts";
import { withGroupReadiness } from "./operator-group-readiness.ts";
import { isCopied } from "../../cluster-service-version/plan/plan-csv.ts";
import {
  formatProvidedApis,
  parseProvidedApis,
  providedApis,
} from "../../cluster-service-version/plan/provided-api.ts";

export interface OperatorGroupWorld {
  readonly group: OperatorGroup;
  /** How many groups the namespace holds, this one included. */
  readonly groupsInNamespace: number;
  /** Asked for only when the group selects by label. */
  readonly namespaces: readonly Namespace[];
  readonly csvs: readonly ClusterServiceVersion[];
  readonly serviceAccount: ServiceAccount | undefined;
  /** The group's generated roles, by name. */
  readonly clusterRoles: ReadonlyMap<string, ClusterRole>;
}

export interface OperatorGroupAction {
  readonly kind: "write";
  readonly write: ObjectWrite;
}

/** The namespaces that a group selects, sorted; `[""]` for all. The problem is upstream's text. */
export function resolveTargets(
  group: OperatorGroup,
  namespaces: readonly Namespace[],
): Result<readonly string[], string> {
  const named = group.spec?.targetNamespaces ?? [];
  if (named.includes("")) return failed(`TargetNamespaces cannot contain NamespaceAll: [${named.join(" ")}]`);
  if (named.length > 0) return done([...new Set(named)].sort());
  const { selector } = group.spec ?? {};
  if (
    selector === undefined ||
    (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0)
  )
    return done([""]);
  const parsed = selectorOf(selector);
  if (!parsed.ok) return failed(parsed.problem.message);
  return done(
    namespaces
      .filter((namespace) => matchesSelector(parsed.value, namespace.metadata.labels ?? {}))
      .map((namespace) => namespace.metadata.name ?? "")
      .sort(),
  );
}

/**
 * One pass: status (targets, service account, multiplicity), membership annotations of CSVs, roles, provided APIs. A group whose
 * targets are invalid serves no namespace and is `Stalled`; with `--compat=group-targets` it keeps its last status.
 */
export function planOperatorGroup(
  world: OperatorGroupWorld | undefined,
  now: number,
  compat: Compat,
): Plan<OperatorGroupAction> {
  if (world === undefined || world.group.metadata.deletionTimestamp !== undefined) return { actions: [] };
  const { group } = world;
  const targets = resolveTargets(group, world.namespaces);
  if (!targets.ok && compat.keepsUpstream("group-targets")) return { actions: [], retry: targets.problem };
  // Only accounts with the managed label are watched: an existing account gets it, a missing one is polled.
  const { serviceAccount } = world;
  const lacksAccount = (group.spec?.serviceAccountName ?? "") !== "" && serviceAccount === undefined;
  const looksAgain = lacksAccount ? { recheckAfterMs: 2_000 } : {};
  const marked: readonly OperatorGroupAction[] =
    serviceAccount === undefined || serviceAccount.metadata.labels?.[managedLabel] === "true"
      ? []
      : [{ kind: "write", write: label(serviceAccounts, serviceAccount, { [managedLabel]: "true" }) }];
  const status = nextStatus(world, targets, now);
  if (status !== undefined)
    return {
      actions: [...marked, { kind: "write", write: replaceStatus(operatorGroups, group, status) }],
      ...looksAgain,
    };
  const csvs = world.csvs.filter((csv) => !isCopied(csv) && csv.metadata.deletionTimestamp === undefined);
  const members = csvs
    .filter((csv) => world.groupsInNamespace === 1 && !isMember(csv, group))
    .map((csv): OperatorGroupAction => ({
      kind: "write",
      write: annotate(clusterServiceVersions, csv, membership(group)),
    }));
  return { actions: [...marked, ...members, ...planRoles(world, csvs), ...prune(group, csvs)], ...looksAgain };
}

const readinessTypes: readonly string[] = ["Ready", "Reconciling", "Stalled"];
const ownConditions: readonly string[] = ["MultipleOperatorGroup", "OperatorGroupServiceAccount", ...readinessTypes];

function nextStatus(
  world: OperatorGroupWorld,
  resolved: Result<readonly string[], string>,
  now: number,
): OperatorGroupStatus | undefined {
  const targets = resolved.ok ? resolved.value : [];
  const { group, groupsInNamespace, serviceAccount } = world;
  const time = formatTime(now);
  const held = group.status;
  const wantedAccount = group.spec?.serviceAccountName ?? "";
  const { metadata } = group;
  let conditions: readonly Condition[] = (held?.conditions ?? []).filter(({ type }) => !ownConditions.includes(type));
  const keep = (type: string): readonly Condition[] =>
    (held?.conditions ?? []).filter((condition) => condition.type === type);
  if (groupsInNamespace > 1)
    conditions = withCondition(
      [...conditions, ...keep("MultipleOperatorGroup")],
      {
        type: "MultipleOperatorGroup",
        status: "True",
        reason: "MultipleOperatorGroupsFound",
        message: "Multiple OperatorGroup found in the same namespace",
      },
      time,
    );
  if (wantedAccount !== "" && serviceAccount === undefined)
    conditions = withCondition(
      [...conditions, ...keep("OperatorGroupServiceAccount")],
      {
        type: "OperatorGroupServiceAccount",
        status: "True",
        reason: "ServiceAccountNotFound",
        message: `ServiceAccount ${wantedAccount} not found`,
      },
      time,
    );
  const shown = withGroupReadiness(
    [...conditions, ...readinessTypes.flatMap(keep)],
    {
      targets: resolved.ok ? undefined : resolved.problem,
      hasNeighbours: groupsInNamespace > 1,
      missingAccount: wantedAccount !== "" && serviceAccount === undefined ? wantedAccount : undefined,
    },
    { observedGeneration: metadata.generation, time },
  );
  const reference =
    wantedAccount === "" || serviceAccount === undefined
      ? undefined
      : {
          apiVersion: "v1",
          kind: "ServiceAccount",
          namespace: metadata.namespace ?? "",
          name: wantedAccount,
          uid: serviceAccount.metadata.uid ?? "",
        };
  // OLM leaves a list that names the same namespaces as it is, whatever its order.
  const isSame = held?.namespaces !== undefined && !targetsChanged(held.namespaces, targets);
  const next = {
    namespaces: isSame ? held.namespaces : targets,
    ...(reference === undefined ? {} : { serviceAccountRef: reference }),
    conditions: shown,
  };
  const { lastUpdated: _, ...before } = held ?? { lastUpdated: "" };
  const { resourceVersion: __, ...heldReference } = before.serviceAccountRef ?? {};
  const comparable = before.serviceAccountRef === undefined ? before : { ...before, serviceAccountRef: heldReference };
  if (deepEqual(plainJson(comparable), plainJson(next))) return undefined;
  return { ...next, lastUpdated: time };
}

const suffixes = ["admin", "edit", "view"] as const;
const nameLimit = 253;

/** `olm.og.<group>.<suffix>-<hash>`, cut to what a name may hold. */
function groupRoleName(group: OperatorGroup, suffix: (typeof suffixes)[number]): string {
  const { name = "", namespace = "" } = group.metadata;
  const hash = base62Sha224(`${namespace}/${name}/${suffix}`);
  const limit = nameLimit - 9 - suffix.length - hash.length;
  return `olm.og.${name.slice(0, limit)}.${suffix}-${hash}`;
}

/** The labels, without suffix, of the roles of every provided API. */
export function aggregatedLabels(apis: Iterable<string>): readonly string[] {
  return [...new Set(apis)].map((api) => `${aggregateLabelPrefix}${fnv1a64(api)}`).sort();
}

/** Labels of the roles whose rules the group's role with the suffix gathers. */
function gatheredKeys(suffix: (typeof suffixes)[number], aggregated: readonly string[]): readonly string[] {
  return aggregated.map((label) => `${label}-${suffix}`).sort();
}

/** The role as it should be: it gathers what the roles with these labels and the suffix grant. */
export function groupRole(
  group: OperatorGroup,
  suffix: (typeof suffixes)[number],
  aggregated: readonly string[],
): ClusterRole {
  const keys = gatheredKeys(suffix, aggregated);
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: groupRoleName(group, suffix), labels: groupRoleLabels(group) },
    rules: [],
    ...(keys.length === 0
      ? {}
      : { aggregationRule: { clusterRoleSelectors: keys.map((key) => ({ matchLabels: { [key]: "true" } })) } }),
  };
}

function groupRoleLabels(group: OperatorGroup): Readonly<Record<string, string>> {
  return {
    [ownerLabel]: group.metadata.name ?? "",
    [ownerNamespaceLabel]: group.metadata.namespace ?? "",
    [ownerKindLabel]: "OperatorGroup",
    [managedLabel]: "true",
  };
}

/** Whether the role gathers by exactly these labels: without making the selectors anew, of which a CSV may cause thousands. */
function gathers({ aggregationRule }: ClusterRole, keys: readonly string[]): boolean {
  if (aggregationRule === undefined) return keys.length === 0;
  const { clusterRoleSelectors = [], ...others } = aggregationRule;
  return (
    Object.keys(others).length === 0 &&
    keys.length > 0 &&
    clusterRoleSelectors.length === keys.length &&
    clusterRoleSelectors.every(({ matchLabels = {}, ...more }, index) => {
      const [key, ...rest] = Object.keys(matchLabels);
      const isWanted = rest.length === 0 && key === keys[index] && key !== undefined && matchLabels[key] === "true";
      return isWanted && Object.keys(more).length === 0;
    })
  );
}

function planRoles(world: OperatorGroupWorld, csvs: readonly ClusterServiceVersion[]): readonly OperatorGroupAction[] {
  const { group } = world;
  const listed = parseProvidedApis(group.metadata.annotations?.[providedApisAnnotation]);
  const aggregated = aggregatedLabels([...listed, ...csvs.flatMap(providedApis)]);
  const labels = groupRoleLabels(group);
  return suffixes.flatMap((suffix): readonly OperatorGroupAction[] => {
    const name = groupRoleName(group, suffix);
    const live = world.clusterRoles.get(name);
    const sameLabels = Object.entries(labels).every(([key, value]) => live?.metadata.labels?.[key] === value);
    if (live !== undefined && sameLabels && gathers(live, gatheredKeys(suffix, aggregated))) return [];
    const role = groupRole(group, suffix, aggregated);
    if (live === undefined) return [{ kind: "write", write: { verb: "create", type: clusterRoles, object: role } }];
    const { aggregationRule } = role;
    return [
      {
        kind: "write",
        write: {
          verb: "patch",
          type: clusterRoles,
          key: { name },
          patchType: "merge",
          // Kubernetes keeps what a role last aggregated when it stops: rights on APIs that are no longer provided.
          patch: {
            metadata: { labels },
            aggregationRule: plainJson(aggregationRule ?? null),
            ...(aggregationRule === undefined && live.aggregationRule !== undefined ? { rules: [] } : {}),
          },
        },
      },
    ];
  });
}

/** What a status says to the group of a CSV: whether it is a copy, and whether its APIs are still to be added to the list. */
export const groupState = (csv: ClusterServiceVersion): readonly [isCopy: boolean, isNew: boolean] => {
  const { phase = "" } = csv.status ?? {};
  return [isCopied(csv), phase === "" || phase === "Pending"];
};

/** Removes the APIs that no CSV of the namespace provides any more from the group's list. */
function prune(group: OperatorGroup, csvs: readonly ClusterServiceVersion[]): readonly OperatorGroupAction[] {
  if (group.spec?.staticProvidedAPIs === true) return [];
  const text = group.metadata.annotations?.[providedApisAnnotation];
  const listed = parseProvidedApis(text);
  const known = new Set(listed);
  const aboutToAdd = csvs.some((csv) => {
    const [, isNew] = groupState(csv);
    return isNew && providedApis(csv).some((api) => !known.has(api));
  });
  if (aboutToAdd) return [];
  const provided = new Set(csvs.flatMap(providedApis));
  const kept = listed.filter((api) => provided.has(api));
  if (kept.length === listed.length) return [];
  return [
    { kind: "write", write: annotate(operatorGroups, group, { [providedApisAnnotation]: formatProvidedApis(kept) }) },
  ];
}
