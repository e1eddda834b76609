import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../../apis/admissionregistration.ts";
import type { CustomResourceDefinition } from "../../apis/apiextensions.ts";
import type { APIService } from "../../apis/apiregistration.ts";
import type { Deployment } from "../../apis/apps.ts";
import type { Role, RoleBinding } from "../../apis/rbac.ts";
import type { Secret, Service } from "../../apis/core.ts";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";

/** All that the deployment install strategy of one CSV looks at, read at one time. Live objects, deeply readonly. */
export interface StrategyWorld {
  readonly csv: ClusterServiceVersion;
  /** Deployments of the CSV's namespace. */
  readonly deployments: readonly Deployment[];
  /** Subscriptions of the CSV's namespace. */
  readonly subscriptions: readonly Subscription[];
  /** OperatorGroups of the CSV's namespace. */
  readonly operatorGroups: readonly OperatorGroup[];
  /** CSVs of the namespace, for the adoption of APIServices. */
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
