// Worlds of one CSV in namespace `ns` with one OperatorGroup, for tables of its phases.
import type {
  ClusterServiceVersion,
  ClusterServiceVersionStatus,
} from "../../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../../apis/v0/operator-group.ts";
import { improved } from "../../../../../compat.ts";
import type { CsvWorld } from "../world.ts";

export const namespace = "ns";
/** The CSVs of these worlds entered their phase this many milliseconds after the epoch. */
export const entered = Date.parse("2026-01-01T00:00:00Z");
/** Ten minutes later. */
export const now = entered + 600_000;
export const member = {
  "olm.operatorGroup": "og",
  "olm.operatorNamespace": namespace,
  "olm.targetNamespaces": namespace,
};

export const group: OperatorGroup = {
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace, name: "og", uid: "og" },
  spec: { targetNamespaces: [namespace] },
  status: { namespaces: [namespace], lastUpdated: "" },
};

export type Phase = NonNullable<ClusterServiceVersionStatus["phase"]>;

export function csvAt(name: string, phase: Phase, reason = "", replaces?: string): ClusterServiceVersion {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      namespace,
      name,
      uid: name,
      annotations: member,
      finalizers: ["operators.coreos.com/csv-cleanup"],
    },
    spec: {
      displayName: name,
      install: { strategy: "deployment", spec: { deployments: [] } },
      installModes: [{ type: "OwnNamespace", supported: true }],
      ...(replaces === undefined ? {} : { replaces }),
    },
    status: { phase, reason, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
  } as ClusterServiceVersion;
}

export const failForward: OperatorGroup = {
  ...group,
  spec: { ...group.spec, upgradeStrategy: "TechPreviewUnsafeFailForward" },
};

export function worldOf(csv: ClusterServiceVersion, change: Partial<CsvWorld> = {}): CsvWorld {
  return {
    compat: improved,
    csv,
    siblings: [csv],
    crds: new Map(),
    apiServices: new Map(),
    servedApis: new Set(),
    serviceAccounts: new Map(),
    rbac: { roles: [], roleBindings: [], clusterRoles: [], clusterRoleBindings: [] },
    kubeVersion: "v1.36.3",
    groups: [group],
    allGroups: [group],
    predecessorCondition: undefined,
    unadoptableApiServices: [],
    reservedApis: [],
    strategy: {
      csv,
      deployments: [],
      subscriptions: [],
      operatorGroups: [group],
      siblings: [csv],
      apiServices: new Map(),
      services: new Map(),
      secrets: new Map(),
      certificates: new Map(),
      unreadableAuthorities: new Map(),
      roles: new Map(),
      roleBindings: new Map(),
      olderServing: [],
      authDelegators: new Map(),
      proxy: undefined,
      authReaders: new Map(),
      serviceAccounts: new Map(),
      validatingWebhooks: [],
      mutatingWebhooks: [],
      crds: new Map(),
    },
    ...change,
  };
}
