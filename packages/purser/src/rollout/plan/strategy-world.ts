import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@purser/kubernetes/apis/admissionregistration";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import type { Secret, Service } from "@purser/kubernetes/apis/core";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";

/** All that the deployment install strategy of one CSV looks at, read at one time. Live objects, deeply readonly. */
export interface StrategyWorld {
  readonly csv: ClusterServiceVersion;
  /** Deployments that the CSV owns by its labels, in its namespace. */
  readonly deployments: readonly Deployment[];
  /** Subscriptions of the CSV's namespace. */
  readonly subscriptions: readonly Subscription[];
  /** OperatorGroups of the CSV's namespace. */
  readonly operatorGroups: readonly OperatorGroup[];
  /** CSVs of the namespace that are no copies, for the adoption of APIServices. */
  readonly siblings: readonly ClusterServiceVersion[];
  /** Owned by a description of the CSV, by object name. */
  readonly apiServices: ReadonlyMap<string, APIService>;
  /** Services, Secrets and RBAC of the certificates, by object name in the CSV's namespace. */
  readonly services: ReadonlyMap<string, Service>;
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly roleBindings: ReadonlyMap<string, RoleBinding>;
  /** With the CSV's owner labels. */
  readonly validatingWebhooks: readonly ValidatingWebhookConfiguration[];
  readonly mutatingWebhooks: readonly MutatingWebhookConfiguration[];
  /** Named by conversion webhooks, by name. */
  readonly crds: ReadonlyMap<string, CustomResourceDefinition>;
}
