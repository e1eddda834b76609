import type { Condition } from "@purser/kubernetes/apis/condition";
import type { ObjectReference } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";

export interface OperatorGroupSpec {
  readonly selector?: LabelSelector;
  /** Wins over `selector`. */
  readonly targetNamespaces?: readonly string[];
  /** Account in the group's namespace whose rights bound every install. */
  readonly serviceAccountName?: string;
  readonly staticProvidedAPIs?: boolean;
  readonly upgradeStrategy?: "Default" | "TechPreviewUnsafeFailForward";
}

export interface OperatorGroupStatus {
  /** `[""]` means every namespace. */
  readonly namespaces?: readonly string[];
  readonly serviceAccountRef?: ObjectReference;
  readonly lastUpdated: string;
  readonly conditions?: readonly Condition[];
}

export interface OperatorGroup extends KubeObject {
  readonly spec?: OperatorGroupSpec;
  readonly status?: OperatorGroupStatus;
}
