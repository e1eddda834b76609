import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";

/** A condition copied from a component, whatever its kind. */
export interface ComponentCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface ComponentReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly conditions?: readonly ComponentCondition[];
}

/** Everything that belongs to one installed operator, found by a label. */
export interface Operator extends KubeObject {
  readonly spec?: Readonly<Record<string, never>>;
  readonly status?: {
    readonly components?: {
      readonly labelSelector: LabelSelector;
      /** Sorted by kind, apiVersion, namespace, name. */
      readonly refs?: readonly ComponentReference[];
    };
  };
}
