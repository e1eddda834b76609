import type { KubeObject } from "./object.ts";
import type { IntOrString, PodTemplateSpec, WorkloadCondition } from "./core.ts";
import type { LabelSelector } from "./selector.ts";

export interface DeploymentSpec {
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly strategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly maxUnavailable?: IntOrString; readonly maxSurge?: IntOrString };
  };
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly paused?: boolean;
  readonly progressDeadlineSeconds?: number;
}

export interface Deployment extends KubeObject {
  readonly spec?: DeploymentSpec;
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly unavailableReplicas?: number;
    readonly collisionCount?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

export interface ReplicaSet extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelector;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: {
    readonly replicas: number;
    readonly fullyLabeledReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly observedGeneration?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

/** `batch/v1`. */
export interface Job extends KubeObject {
  readonly spec?: {
    readonly parallelism?: number;
    readonly completions?: number;
    readonly backoffLimit?: number;
    readonly activeDeadlineSeconds?: number;
    readonly ttlSecondsAfterFinished?: number;
    readonly suspend?: boolean;
    readonly selector?: LabelSelector;
    readonly template: PodTemplateSpec;
  };
  readonly status?: {
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly active?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}
