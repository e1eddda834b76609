import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";

/** A condition that an administrator sets: its transition time may be absent. */
export type ConditionOverride = Omit<Condition, "lastTransitionTime"> & { readonly lastTransitionTime?: string };

/** `v2`. In `v1` the operator reports in `status.conditions` and the spec has no conditions. */
export interface OperatorCondition extends KubeObject {
  readonly spec?: {
    /** Service accounts that may edit this object. */
    readonly serviceAccounts?: readonly string[];
    readonly deployments?: readonly string[];
    readonly overrides?: readonly ConditionOverride[];
    /** What the operator reports. */
    readonly conditions?: readonly Condition[];
  };
  /** What has been observed of the spec. */
  readonly status?: { readonly conditions?: readonly Condition[] };
}
