import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";
import type { JsonObject } from "@purser/kubernetes/json";

export type CollisionProtection = "Prevent" | "IfNoController" | "None";

/** One object of a phase: inline or in a Secret; exactly one of the two is set. */
export interface PhaseObject {
  readonly object?: JsonObject;
  readonly ref?: { readonly name: string; readonly namespace?: string; readonly key: string };
  readonly collisionProtection?: CollisionProtection;
}

export interface ObjectSetPhase {
  readonly name: string;
  readonly objects: readonly PhaseObject[];
  readonly collisionProtection?: CollisionProtection;
}

export type ProbeSelector =
  | { readonly type: "GroupKind"; readonly groupKind: { readonly group: string; readonly kind: string } }
  | { readonly type: "Label"; readonly label: LabelSelector };

export type ProbeAssertion =
  | { readonly type: "ConditionEqual"; readonly conditionEqual: { readonly type: string; readonly status: string } }
  | { readonly type: "FieldsEqual"; readonly fieldsEqual: { readonly fieldA: string; readonly fieldB: string } }
  | { readonly type: "FieldValue"; readonly fieldValue: { readonly fieldPath: string; readonly value: string } };

export interface ProgressionProbe {
  readonly selector: ProbeSelector;
  readonly assertions: readonly ProbeAssertion[];
}

export interface ClusterObjectSetSpec {
  readonly lifecycleState: "Active" | "Archived";
  readonly revision: number;
  readonly collisionProtection: CollisionProtection;
  readonly phases?: readonly ObjectSetPhase[];
  readonly progressDeadlineMinutes?: number;
  readonly progressionProbes?: readonly ProgressionProbe[];
}

export interface ClusterObjectSetStatus {
  readonly conditions?: readonly Condition[];
  readonly observedPhases?: readonly { readonly name: string; readonly digest: string }[];
}

/** One revision of what an extension installs (experimental set). */
export interface ClusterObjectSet extends KubeObject {
  /** Not required, as in ClusterExtension. */
  readonly spec?: ClusterObjectSetSpec;
  readonly status?: ClusterObjectSetStatus;
}
