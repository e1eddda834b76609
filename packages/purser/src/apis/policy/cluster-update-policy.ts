import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { UpdatePolicySelector, UpdatePolicySpec, UpdatePolicyStatus } from "./update-policy.ts";

export interface ClusterUpdatePolicySelector extends UpdatePolicySelector {
  /** Of Subscriptions, and `spec.namespace` of ClusterExtensions. */
  readonly namespaces?: readonly string[];
}

export interface ClusterUpdatePolicySpec extends UpdatePolicySpec {
  readonly selector?: ClusterUpdatePolicySelector;
}

/** Which versions installations of the cluster may get. */
export interface ClusterUpdatePolicy extends KubeObject {
  readonly spec: ClusterUpdatePolicySpec;
  readonly status?: UpdatePolicyStatus;
}
