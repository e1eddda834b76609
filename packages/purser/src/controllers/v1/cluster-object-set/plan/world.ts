import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";

export interface ObjectSetWorld {
  readonly revision: ClusterObjectSet;
  /** All revisions of the same extension, including `revision`. */
  readonly family: readonly ClusterObjectSet[];
  /** When this process began to roll it out, in epoch milliseconds; absent once it has rolled out. */
  readonly firstLookAt?: number;
  /** The extension of an active revision asks to be left as it is. */
  readonly isPaused?: true;
  /** The extension that owns it does not exist any more: it is about to be garbage collected. */
  readonly isOutlived?: true;
  /** Conditions carry OLM's text alone, without the cause before it. */
  readonly hasPlainTexts?: true;
}

export interface ProgressEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export type ObjectSetAction =
  /** Applies the revision's objects, or removes them when it is archived; the outcome decides what follows. */
  | { readonly kind: "reconcile"; readonly revision: ClusterObjectSet; readonly siblings: readonly ClusterObjectSet[] }
  /** Writes a ClusterObjectSet, with an event about `revision` when the message of its progress changed. */
  | {
      readonly kind: "write";
      readonly write: ObjectWrite;
      readonly event?: ProgressEvent & { readonly about: ClusterObjectSet };
    };
