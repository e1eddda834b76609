import type { RuleWithOperations } from "@purser/kubernetes/apis/admissionregistration";
import type { DeploymentSpec } from "@purser/kubernetes/apis/apps";
import type { IntOrString } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";
import type { Icon } from "./catalog-source.ts";
import type { JsonValue } from "@purser/kubernetes/json";

type TextMap = Readonly<Record<string, string>>;

export interface StrategyDeployment {
  readonly name: string;
  readonly spec: DeploymentSpec;
  /** Extra labels of the Deployment object, not of its pods. */
  readonly label?: TextMap;
}

/** Rules for one service account; an account may occur in several entries. */
export interface StrategyPermission {
  readonly serviceAccountName: string;
  readonly rules: readonly PolicyRule[];
}

export interface InstallStrategy {
  /** Only `deployment` is understood. */
  readonly strategy: string;
  readonly spec?: {
    readonly deployments: readonly StrategyDeployment[];
    readonly permissions?: readonly StrategyPermission[];
    readonly clusterPermissions?: readonly StrategyPermission[];
  };
}

export interface Descriptor {
  readonly path: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly "x-descriptors"?: readonly string[];
  readonly value?: JsonValue;
}

interface ApiDescription {
  readonly version: string;
  readonly kind: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly version: string }[];
  readonly specDescriptors?: readonly Descriptor[];
  readonly statusDescriptors?: readonly Descriptor[];
  readonly actionDescriptors?: readonly Descriptor[];
}

export interface CRDDescription extends ApiDescription {
  /** `<plural>.<group>`. */
  readonly name: string;
}

export interface APIServiceDescription extends ApiDescription {
  /** Plural of the resource. */
  readonly name: string;
  readonly group: string;
  readonly deploymentName?: string;
  /** 443 when 0 or absent. */
  readonly containerPort?: number;
}

export type WebhookType = "ValidatingAdmissionWebhook" | "MutatingAdmissionWebhook" | "ConversionWebhook";

export interface WebhookDescription {
  readonly generateName: string;
  readonly type: WebhookType;
  readonly deploymentName?: string;
  readonly containerPort?: number;
  readonly targetPort?: IntOrString;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: string;
  readonly webhookPath?: string;
  readonly conversionCRDs?: readonly string[];
}

export type InstallModeType = "OwnNamespace" | "SingleNamespace" | "MultiNamespace" | "AllNamespaces";

export interface InstallMode {
  /** One of {@link InstallModeType}; the API server takes any text. */
  readonly type: string;
  readonly supported: boolean;
}

export interface ClusterServiceVersionSpec {
  readonly displayName: string;
  readonly install: InstallStrategy;
  readonly version?: string;
  readonly release?: string;
  readonly description?: string;
  readonly maturity?: string;
  readonly keywords?: readonly string[];
  readonly maintainers?: readonly { readonly name?: string; readonly email?: string }[];
  readonly provider?: { readonly name?: string; readonly url?: string };
  readonly links?: readonly { readonly name?: string; readonly url?: string }[];
  readonly icon?: readonly Icon[];
  readonly customresourcedefinitions?: {
    readonly owned?: readonly CRDDescription[];
    readonly required?: readonly CRDDescription[];
  };
  readonly apiservicedefinitions?: {
    readonly owned?: readonly APIServiceDescription[];
    readonly required?: readonly APIServiceDescription[];
  };
  readonly webhookdefinitions?: readonly WebhookDescription[];
  readonly nativeAPIs?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
  readonly minKubeVersion?: string;
  readonly installModes?: readonly InstallMode[];
  /** Name of the CSV in the same namespace that this one supersedes. */
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly relatedImages?: readonly { readonly name: string; readonly image: string }[];
  readonly cleanup?: { readonly enabled: boolean };
  readonly labels?: TextMap;
  readonly annotations?: TextMap;
  readonly selector?: LabelSelector;
}

export type ClusterServiceVersionPhase =
  | ""
  | "Pending"
  | "InstallReady"
  | "Installing"
  | "Succeeded"
  | "Failed"
  | "Unknown"
  | "Replacing"
  | "Deleting";

/** One entry of the history: a snapshot of the fields above it. */
export interface ClusterServiceVersionCondition {
  readonly phase?: ClusterServiceVersionPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface DependentStatus {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly status: string;
  readonly uuid?: string;
  readonly message?: string;
}

export interface RequirementStatus {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly uuid?: string;
  readonly dependents?: readonly DependentStatus[];
}

export interface ClusterServiceVersionStatus {
  readonly phase?: ClusterServiceVersionPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  /** Last change of `phase`. */
  readonly lastTransitionTime?: string;
  /** Oldest first, 20 at most. */
  readonly conditions?: readonly ClusterServiceVersionCondition[];
  readonly requirementStatus?: readonly RequirementStatus[];
  readonly certsLastUpdated?: string;
  readonly certsRotateAt?: string;
  readonly cleanup?: {
    readonly pendingDeletion?: readonly {
      readonly group: string;
      readonly kind: string;
      readonly instances: readonly { readonly name: string; readonly namespace?: string }[];
    }[];
  };
}

export interface ClusterServiceVersion extends KubeObject {
  readonly spec: ClusterServiceVersionSpec;
  readonly status?: ClusterServiceVersionStatus;
}
