import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";

/** Cluster-wide settings; only the object named `cluster` is read. */
export interface OLMConfig extends KubeObject {
  readonly spec?: {
    readonly features?: {
      readonly disableCopiedCSVs?: boolean;
      /** Go duration of the form `^([0-9]+(\.[0-9]+)?(s|m|h))+$`. */
      readonly packageServerSyncInterval?: string;
    };
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}
