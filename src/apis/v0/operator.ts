import type { WorkloadCondition } from "../core.ts";
import type { KubeObject } from "../object.ts";
import type { LabelSelector } from "../selector.ts";

export interface ComponentReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly conditions?: readonly WorkloadCondition[];
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
