import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { Lease } from "@purser/kubernetes/apis/coordination";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { CatalogSource } from "../../../apis/v0/catalog-source.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { ClusterCatalog } from "../../../apis/v1/cluster-catalog.ts";
import type { Right } from "../../../deploy/rights/right.ts";
import type { Installation } from "../../../installation/installation.ts";

/** All that the checks of `purser doctor` look at. */
export interface DoctorWorld {
  /** Epoch milliseconds, by the clock of this machine. */
  readonly now: number;
  readonly client: { readonly version: string };
  readonly cluster: {
    readonly version: string;
    /** Epoch milliseconds of the answer's `Date`; absent when the API server sends none. */
    readonly date?: number;
  };
  /** Deployments of Purser: none where the controllers run outside of the cluster. */
  readonly deployments: readonly Deployment[];
  readonly rights: ObservedRights;
  readonly definitions: readonly {
    readonly wanted: CustomResourceDefinition;
    readonly live?: CustomResourceDefinition;
  }[];
  readonly managers: readonly Deployment[];
  readonly leases: readonly Lease[];
  readonly certificates: readonly ObservedCertificate[];
  readonly catalogSources: readonly CatalogSource[];
  readonly clusterCatalogs: readonly ClusterCatalog[];
  readonly operatorGroups: readonly OperatorGroup[];
  /** `NAMESPACE/NAME` of the ServiceAccounts that OperatorGroups name and that exist. */
  readonly accounts: ReadonlySet<string>;
  readonly conversions: readonly ObservedConversion[];
  readonly webhooks: readonly ObservedWebhook[];
  readonly installations: readonly Installation[];
  readonly deletions: readonly ObservedDeletion[];
  /** What the user may not read, as `list deployments.apps`: the checks that need it are left out. */
  readonly unread: readonly string[];
}

/** An object that is being deleted. */
export interface ObservedDeletion {
  readonly kind: string;
  /** As kubectl writes it, e.g. `subscriptions.operators.coreos.com`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly finalizers: readonly string[];
  /** What a namespace still holds, or which API cannot be asked. */
  readonly why?: string;
}

/** Where a webhook is served. */
export interface ObservedAddress {
  /** Absent for one outside of the cluster. */
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly state: "missing" | "notReady" | "ready";
  };
  /** Of its `caBundle`. */
  readonly authority:
    | { readonly kind: "absent" }
    | { readonly kind: "unreadable" }
    /** Epoch milliseconds. */
    | { readonly kind: "present"; readonly notAfter: number };
}

/** A CustomResourceDefinition whose objects a webhook converts. */
export interface ObservedConversion extends ObservedAddress {
  /** `CustomResourceDefinition NAME`. */
  readonly object: string;
  /** The operator that owns it, as people name it. */
  readonly installation?: string;
  /** What the API server answers to a request that needs the webhook; absent when it could convert, or nothing is stored. */
  readonly failure?: string;
}

/** One webhook of a configuration. */
export interface ObservedWebhook extends ObservedAddress {
  /** `ValidatingWebhookConfiguration NAME`. */
  readonly object: string;
  readonly name: string;
  /** API groups that it is called for; `*`: all. */
  readonly groups: readonly string[];
  /** Whether requests pass when it cannot be called. */
  readonly failsOpen: boolean;
  /** Whether an installed operator brought it. */
  readonly isOperators: boolean;
  /** As people name it; absent where that is not recorded. */
  readonly installation?: string;
}

export interface ObservedRights {
  /** Whose rights: a ServiceAccount as `NAMESPACE/NAME`, or the user of the kubeconfig. */
  readonly subject: { readonly kind: "account"; readonly name: string } | { readonly kind: "self" };
  readonly asked: number;
  readonly denied: readonly DeniedRight[];
}

/** One question that was answered with no. */
export interface DeniedRight {
  readonly right: Right;
  readonly resource: string;
  readonly verb: string;
  readonly name?: string;
}

export interface ObservedCertificate {
  /** `Secret NAMESPACE/NAME`. */
  readonly object: string;
  /** Whether Purser renews it, a day before it ends. */
  readonly isRenewed: boolean;
  /** Epoch milliseconds; absent when it cannot be read. */
  readonly notAfter?: number;
}
