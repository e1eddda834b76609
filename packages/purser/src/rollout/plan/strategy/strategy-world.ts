import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@purser/kubernetes/apis/admissionregistration";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ClusterRoleBinding, Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import type { Secret, Service, ServiceAccount } from "@purser/kubernetes/apis/core";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { Proxy } from "../../../apis/openshift.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";

/** The certificates in a Secret, as far as a plan needs them: PEM is read when the world is observed. */
export interface StoredCertificate {
  /** Why `tls.crt` is no certificate, in Go's words; absent when it is one. */
  readonly unreadable?: string;
  /** When the pair is valid, in epoch milliseconds; absent when it must be replaced at any time. */
  readonly valid?: { readonly from: number; readonly rotateAt: number };
}

/** One of the objects with which a Deployment serves. */
export interface ServingObject {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly uid: string;
}

/** All that the deployment install strategy of one CSV looks at, read at one time. Live objects, deeply readonly. */
export interface StrategyWorld {
  readonly csv: ClusterServiceVersion;
  /** Deployments that the CSV owns by its labels, in its namespace. */
  readonly deployments: readonly Deployment[];
  /** Subscriptions of the CSV's namespace. */
  readonly subscriptions: readonly Subscription[];
  /** Proxy `cluster` of OpenShift; undefined when it does not exist, and where the kind is not served. */
  readonly proxy: Proxy | undefined;
  /** OperatorGroups of the CSV's namespace. */
  readonly operatorGroups: readonly OperatorGroup[];
  /** CSVs of the namespace that are no copies, for the adoption of APIServices. */
  readonly siblings: readonly ClusterServiceVersion[];
  /** Owned by a description of the CSV, by object name. */
  readonly apiServices: ReadonlyMap<string, APIService>;
  /** Services, Secrets and RBAC of the certificates, by object name in the CSV's namespace. */
  readonly services: ReadonlyMap<string, Service>;
  readonly secrets: ReadonlyMap<string, Secret>;
  /** What the Secrets hold, by Deployment that serves; absent where the Secret is. */
  readonly certificates: ReadonlyMap<string, StoredCertificate>;
  /** Why the `caBundle` of an owned APIService is no certificate, in Go's words, by object name. */
  readonly unreadableAuthorities: ReadonlyMap<string, string>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly roleBindings: ReadonlyMap<string, RoleBinding>;
  /** What Deployments with an owned APIService need outside of their certificates, by object name. */
  readonly authDelegators: ReadonlyMap<string, ClusterRoleBinding>;
  /** In `kube-system`. */
  readonly authReaders: ReadonlyMap<string, RoleBinding>;
  /** What serves an owned APIService under the names of older releases of OLM, the Service last; it is deleted after the install. */
  readonly olderServing: readonly ServingObject[];
  /** Accounts of the pods. */
  readonly serviceAccounts: ReadonlyMap<string, ServiceAccount>;
  /** With the CSV's owner labels. */
  readonly validatingWebhooks: readonly ValidatingWebhookConfiguration[];
  readonly mutatingWebhooks: readonly MutatingWebhookConfiguration[];
  /** Named by conversion webhooks, by name. */
  readonly crds: ReadonlyMap<string, CustomResourceDefinition>;
}
