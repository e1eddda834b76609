import type { KubeObject } from "@purser/kubernetes/apis/object";

/** How deletion of one kind differs from the generic one. Times are Unix epoch milliseconds. */
export interface DeletionRule {
  /** Warning returned when the request sets no propagation policy. */
  readonly warning?: string;
  /** Grace period in seconds, given the one that the request asks for (`asked`). Absent: no graceful deletion. */
  graceSeconds?(object: KubeObject, asked: number | undefined): number;
  /**
   * Finalizers that a deletion leaves, whatever the propagation policy; the policy decides when it is undefined or
   * absent.
   */
  finalizers?(object: KubeObject): readonly string[] | undefined;
  /** Whether something beside `metadata.finalizers` blocks deletion. */
  isHeld?(object: KubeObject): boolean;
  /** Deletion sets no grace period and waits for none to expire. */
  readonly isTimeless?: true;
  /** The object as it is stored when its deletion begins. */
  marked?(object: KubeObject, now: number): KubeObject;
  /** The object as it is stored by a repeated DELETE while deletion is pending. */
  repeated?(object: KubeObject): KubeObject;
  /** The final state of an object that is removed immediately, as watchers see it. */
  last?(object: KubeObject, now: number): KubeObject;
  /** Failed preconditions are reported with the kind's own error text. */
  readonly hasOwnPreconditions?: true;
}
