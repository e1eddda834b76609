import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../apis/v0/operator-group.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";

/** An operator that works in a namespace. */
export interface ServingOperator {
  /** `csv/NAMESPACE/NAME` or `ext/NAME`. */
  readonly reference: string;
  readonly version?: string;
  /** Why it serves the namespace: `OperatorGroup NAMESPACE/NAME`, or `all namespaces`. */
  readonly through: string;
  /** The account that bounds what it may install; absent: the manager's own. */
  readonly account?: string;
  /** `Kind.group` of the APIs that it provides, in order. */
  readonly apis: readonly string[];
}

/** Something that keeps operators of the namespace from working together. */
export interface TenancyConflict {
  readonly text: string;
  readonly command?: string;
}

export interface Tenancy {
  readonly namespace: string;
  readonly operators: readonly ServingOperator[];
  readonly conflicts: readonly TenancyConflict[];
}

/**
 * The operators that serve `namespace`: those whose OperatorGroup targets it or all namespaces, and every ClusterExtension. The
 * conflicts: several groups in the namespace, operators in it without one, and an API that two of the operators provide.
 */
export function tenancyOf(
  namespace: string,
  world: {
    readonly csvs: readonly ClusterServiceVersion[];
    readonly groups: readonly OperatorGroup[];
    readonly extensions: readonly ClusterExtension[];
  },
): Tenancy {
  const serving = world.groups.filter((group) => serves(group, namespace));
  const v0 = world.csvs.flatMap((csv): readonly ServingOperator[] => {
    const group = serving.find(({ metadata }) => metadata.namespace === csv.metadata.namespace);
    return group === undefined ? [] : [operatorOf(csv, group)];
  });
  const v1 = world.extensions
    .filter(({ status }) => status?.install !== undefined)
    .map(({ metadata, status }): ServingOperator => {
      const version = status?.install?.bundle.version;
      return {
        reference: `ext/${metadata.name ?? ""}`,
        ...(version === undefined ? {} : { version }),
        through: "all namespaces",
        apis: [],
      };
    });
  const operators = [...v0, ...v1].toSorted((left, right) => (left.reference < right.reference ? -1 : 1));
  return { namespace, operators, conflicts: [...groupConflicts(namespace, world), ...apiConflicts(operators)] };
}

function serves({ status, spec }: OperatorGroup, namespace: string): boolean {
  const targets = status?.namespaces ?? spec?.targetNamespaces ?? [""];
  return targets.includes("") || targets.includes(namespace);
}

function operatorOf({ metadata, spec }: ClusterServiceVersion, group: OperatorGroup): ServingOperator {
  const account = group.spec?.serviceAccountName;
  return {
    reference: `csv/${metadata.namespace ?? ""}/${metadata.name ?? ""}`,
    ...(spec.version === undefined ? {} : { version: spec.version }),
    through: `OperatorGroup ${group.metadata.namespace ?? ""}/${group.metadata.name ?? ""}`,
    ...(account === undefined || account === "" ? {} : { account }),
    apis: (spec.customresourcedefinitions?.owned ?? [])
      .map(({ name, kind }) => `${kind}.${name.slice(name.indexOf(".") + 1)}`)
      .toSorted(),
  };
}

function groupConflicts(
  namespace: string,
  { groups, csvs }: Parameters<typeof tenancyOf>[1],
): readonly TenancyConflict[] {
  const own = groups.filter(({ metadata }) => metadata.namespace === namespace);
  const here = csvs.filter(({ metadata }) => metadata.namespace === namespace);
  const names = own.map(({ metadata }) => metadata.name ?? "").toSorted();
  if (own.length > 1)
    return [
      {
        text: `namespace ${namespace} has ${own.length} OperatorGroups (${names.join(", ")}); operators in it need exactly one`,
        command: `kubectl get operatorgroups.operators.coreos.com -n ${namespace}`,
      },
    ];
  if (own.length > 0 || here.length === 0) return [];
  return [
    {
      text: `namespace ${namespace} has operators and no OperatorGroup, so they are not installed`,
      command: `purser explain -n ${namespace}`,
    },
  ];
}

/** The APIs that two of the operators provide. */
export function apiConflicts(operators: readonly ServingOperator[]): readonly TenancyConflict[] {
  const providers = new Map<string, string[]>();
  for (const { apis, reference } of operators)
    for (const api of apis) providers.set(api, [...(providers.get(api) ?? []), reference]);
  return [...providers]
    .filter(([, who]) => who.length > 1)
    .map(([api, who]) => ({ text: `${api} is provided by ${who.join(" and ")}`, command: `purser status ${who[0]}` }));
}
