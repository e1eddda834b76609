import type {
  Affinity,
  EnvFromSource,
  EnvVar,
  ObjectReference,
  ResourceRequirements,
  Toleration,
  Volume,
  VolumeMount,
} from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";

/** Changes that the owner of a Subscription makes to the Deployments of its CSV. */
export interface SubscriptionConfig {
  /** Accepted and ignored. */
  readonly selector?: LabelSelector;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly resources?: ResourceRequirements;
  readonly envFrom?: readonly EnvFromSource[];
  readonly env?: readonly EnvVar[];
  readonly volumes?: readonly Volume[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly affinity?: Affinity;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface SubscriptionSpec {
  /** Package name. */
  readonly name: string;
  /** Name and namespace of the catalog; both empty means any catalog in scope. */
  readonly source: string;
  readonly sourceNamespace: string;
  readonly channel?: string;
  readonly startingCSV?: string;
  /** `Automatic` or `Manual`; anything but `Manual` acts as `Automatic`. */
  readonly installPlanApproval?: string;
  readonly config?: SubscriptionConfig;
}

export type SubscriptionState = "" | "UpgradePending" | "UpgradeAvailable" | "UpgradeFailed" | "AtLatestKnown";

export type SubscriptionConditionType =
  | "CatalogSourcesUnhealthy"
  | "InstallPlanMissing"
  | "InstallPlanPending"
  | "InstallPlanFailed"
  | "ResolutionFailed"
  | "BundleUnpacking"
  | "BundleUnpackFailed"
  | "UpdateHeld"
  | "RolledBack"
  | "Stalled"
  | "Reconciling"
  | "BundleDeprecated"
  | "PackageDeprecated"
  | "ChannelDeprecated"
  | "Deprecated";

/** True means abnormal. */
export interface SubscriptionCondition {
  readonly type: SubscriptionConditionType;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}

export interface CatalogHealth {
  readonly catalogSourceRef: ObjectReference;
  readonly healthy: boolean;
  readonly lastUpdated: string;
}

export interface SubscriptionStatus {
  /** CSV that the Subscription is moving to. */
  readonly currentCSV?: string;
  /** CSV last seen existing. */
  readonly installedCSV?: string;
  readonly state?: SubscriptionState;
  readonly reason?: string;
  /** Older mirror of `installPlanRef`. */
  readonly installplan?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uuid: string;
  };
  readonly installPlanRef?: ObjectReference;
  readonly installPlanGeneration?: number;
  readonly catalogHealth?: readonly CatalogHealth[];
  readonly conditions?: readonly SubscriptionCondition[];
  readonly lastUpdated: string;
}

export interface Subscription extends KubeObject {
  readonly spec: SubscriptionSpec;
  readonly status?: SubscriptionStatus;
}
