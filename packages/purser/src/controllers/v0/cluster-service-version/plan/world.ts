import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { ServiceAccount } from "@purser/kubernetes/apis/core";
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { Compat } from "../../../../compat.ts";
import type { OperatorCondition } from "../../../../apis/v0/operator-condition.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import type { StrategyWorld } from "../../../../rollout/plan/strategy/strategy-world.ts";

/** The RBAC objects that requirements are judged against. */
export interface RbacWorld {
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
}

/** What requirement evaluation reads. */
export interface RequirementWorld {
  readonly csv: ClusterServiceVersion;
  /** CSVs of the namespace that are no copies, `csv` among them. */
  readonly siblings: readonly ClusterServiceVersion[];
  /** By name: those that `csv` owns or requires and that exist. */
  readonly crds: ReadonlyMap<string, CustomResourceDefinition>;
  /** By object name: those that `csv` requires and that exist. */
  readonly apiServices: ReadonlyMap<string, APIService>;
  /** `group/version/kind` of required and native APIs that discovery shows. */
  readonly servedApis: ReadonlySet<string>;
  readonly serviceAccounts: ReadonlyMap<string, ServiceAccount>;
  readonly rbac: RbacWorld;
  /** `gitVersion` of the API server; undefined when the server does not report it. */
  readonly kubeVersion: string | undefined;
}

/** The input of one pass over a CSV, read at one time. */
export interface CsvWorld extends RequirementWorld {
  /** Compatibility switches; a pass reads `denied-install`, `deployment-edits`, `lost-replacement` and `webhook-rules`. */
  readonly compat: Compat;
  /** Groups of the CSV's namespace. */
  readonly groups: readonly OperatorGroup[];
  /** Groups of the whole cluster. */
  readonly allGroups: readonly OperatorGroup[];
  /** Of the CSV that this one replaces, if it exists. */
  readonly predecessorCondition: OperatorCondition | undefined;
  /** Its InstallPlan is creating its objects: what it requires may come any moment. */
  readonly isBeingCreated?: boolean;
  /** Owned APIServices whose existing objects have another owner. */
  readonly unadoptableApiServices: readonly string[];
  /** APIs of the lifecycle manager itself that the CSV owns or converts, which is refused. */
  readonly reservedApis: readonly string[];
  readonly strategy: StrategyWorld;
}
