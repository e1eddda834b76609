// Resource types of Kubernetes' own kinds.
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "./admissionregistration.ts";
import type { CustomResourceDefinition } from "./apiextensions.ts";
import type { APIService } from "./apiregistration.ts";
import type { Deployment, Job, ReplicaSet } from "./apps.ts";
import type { Lease } from "./coordination.ts";
import type {
  ConfigMap,
  Endpoints,
  Event,
  EventV1,
  Namespace,
  NetworkPolicy,
  Node,
  Pod,
  Secret,
  Service,
  ServiceAccount,
} from "./core.ts";
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "./rbac.ts";
import type { KubeObject } from "./object.ts";
import type { ResourceType } from "./resource-type.ts";

/** A namespaced resource type. */
export function namespaced<Type extends KubeObject>(
  group: string,
  version: string,
  kind: string,
  plural: string,
): ResourceType<Type> {
  return { group, version, kind, plural, namespaced: true };
}

/** A cluster-scoped resource type. */
export function clusterWide<Type extends KubeObject>(
  group: string,
  version: string,
  kind: string,
  plural: string,
): ResourceType<Type> {
  return { group, version, kind, plural, namespaced: false };
}

export const pods = namespaced<Pod>("", "v1", "Pod", "pods");
export const services = namespaced<Service>("", "v1", "Service", "services");
export const serviceAccounts = namespaced<ServiceAccount>("", "v1", "ServiceAccount", "serviceaccounts");
export const secrets = namespaced<Secret>("", "v1", "Secret", "secrets");
export const configMaps = namespaced<ConfigMap>("", "v1", "ConfigMap", "configmaps");
export const events = namespaced<Event>("", "v1", "Event", "events");
export const endpoints = namespaced<Endpoints>("", "v1", "Endpoints", "endpoints");
export const namespaces = clusterWide<Namespace>("", "v1", "Namespace", "namespaces");
export const nodes = clusterWide<Node>("", "v1", "Node", "nodes");

export const deployments = namespaced<Deployment>("apps", "v1", "Deployment", "deployments");
export const replicaSets = namespaced<ReplicaSet>("apps", "v1", "ReplicaSet", "replicasets");
export const jobs = namespaced<Job>("batch", "v1", "Job", "jobs");
export const networkPolicies = namespaced<NetworkPolicy>("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies");
export const leases = namespaced<Lease>("coordination.k8s.io", "v1", "Lease", "leases");
export const eventsV1 = namespaced<EventV1>("events.k8s.io", "v1", "Event", "events");

const rbac = "rbac.authorization.k8s.io";
export const roles = namespaced<Role>(rbac, "v1", "Role", "roles");
export const roleBindings = namespaced<RoleBinding>(rbac, "v1", "RoleBinding", "rolebindings");
export const clusterRoles = clusterWide<ClusterRole>(rbac, "v1", "ClusterRole", "clusterroles");
export const clusterRoleBindings = clusterWide<ClusterRoleBinding>(
  rbac,
  "v1",
  "ClusterRoleBinding",
  "clusterrolebindings",
);

export const customResourceDefinitions = clusterWide<CustomResourceDefinition>(
  "apiextensions.k8s.io",
  "v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
);
export const apiServices = clusterWide<APIService>("apiregistration.k8s.io", "v1", "APIService", "apiservices");
export const validatingWebhookConfigurations = clusterWide<ValidatingWebhookConfiguration>(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
);
export const mutatingWebhookConfigurations = clusterWide<MutatingWebhookConfiguration>(
  "admissionregistration.k8s.io",
  "v1",
  "MutatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
);
