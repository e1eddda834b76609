// The kinds of OLM v0 and v1, and of update policies. Kinds that only bundles bring are found through discovery.
import { clusterWide, namespaced } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterUpdatePolicy } from "./policy/cluster-update-policy.ts";
import type { UpdatePolicy } from "./policy/update-policy.ts";
import type { CatalogSource } from "./v0/catalog-source.ts";
import type { ClusterServiceVersion } from "./v0/cluster-service-version.ts";
import type { InstallPlan } from "./v0/install-plan.ts";
import type { OLMConfig } from "./v0/olm-config.ts";
import type { OperatorCondition } from "./v0/operator-condition.ts";
import type { OperatorGroup } from "./v0/operator-group.ts";
import type { Operator } from "./v0/operator.ts";
import type { Subscription } from "./v0/subscription.ts";
import type { ClusterCatalog } from "./v1/cluster-catalog.ts";
import type { ClusterExtension } from "./v1/cluster-extension.ts";
import type { ClusterObjectSet } from "./v1/cluster-object-set.ts";

const operatorsGroup = "operators.coreos.com";
export const catalogSources = namespaced<CatalogSource>(operatorsGroup, "v1alpha1", "CatalogSource", "catalogsources");
export const subscriptions = namespaced<Subscription>(operatorsGroup, "v1alpha1", "Subscription", "subscriptions");
export const installPlans = namespaced<InstallPlan>(operatorsGroup, "v1alpha1", "InstallPlan", "installplans");
export const clusterServiceVersions = namespaced<ClusterServiceVersion>(
  operatorsGroup,
  "v1alpha1",
  "ClusterServiceVersion",
  "clusterserviceversions",
);
export const operatorGroups = namespaced<OperatorGroup>(operatorsGroup, "v1", "OperatorGroup", "operatorgroups");
export const operatorConditions = namespaced<OperatorCondition>(
  operatorsGroup,
  "v2",
  "OperatorCondition",
  "operatorconditions",
);
export const olmConfigs = clusterWide<OLMConfig>(operatorsGroup, "v1", "OLMConfig", "olmconfigs");
export const operators = clusterWide<Operator>(operatorsGroup, "v1", "Operator", "operators");

const extensionsGroup = "olm.operatorframework.io";
export const clusterCatalogs = clusterWide<ClusterCatalog>(extensionsGroup, "v1", "ClusterCatalog", "clustercatalogs");
export const clusterExtensions = clusterWide<ClusterExtension>(
  extensionsGroup,
  "v1",
  "ClusterExtension",
  "clusterextensions",
);
export const clusterObjectSets = clusterWide<ClusterObjectSet>(
  extensionsGroup,
  "v1",
  "ClusterObjectSet",
  "clusterobjectsets",
);

const purserGroup = "purser.dev";
export const updatePolicies = namespaced<UpdatePolicy>(purserGroup, "v1alpha1", "UpdatePolicy", "updatepolicies");
export const clusterUpdatePolicies = clusterWide<ClusterUpdatePolicy>(
  purserGroup,
  "v1alpha1",
  "ClusterUpdatePolicy",
  "clusterupdatepolicies",
);

/** The thirteen kinds that `crds/` defines. */
export const ownTypes: readonly ResourceType[] = [
  catalogSources,
  subscriptions,
  installPlans,
  clusterServiceVersions,
  operatorGroups,
  operatorConditions,
  olmConfigs,
  operators,
  clusterCatalogs,
  clusterExtensions,
  clusterObjectSets,
  updatePolicies,
  clusterUpdatePolicies,
];
