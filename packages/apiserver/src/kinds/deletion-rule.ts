import type { KubeObject } from "@purser/kubernetes/apis/object";

/** What is particular about deleting objects of a kind. Times are Unix epoch milliseconds. */
export interface DeletionRule {
  /** Said to whoever names no propagation. */
  readonly warning?: string;
  /** Seconds that an object gets to stop, of which the request asks for `asked`; none where absent. */
  graceSeconds?(object: KubeObject, asked: number | undefined): number;
  /** Finalizers that a deletion leaves, whatever its propagation; undefined, and where absent: propagation decides. */
  finalizers?(object: KubeObject): readonly string[] | undefined;
  /** Whether more than `metadata.finalizers` holds the object. */
  isHeld?(object: KubeObject): boolean;
  /** While it waits nothing is said of a time to stop, and none has to be over. */
  readonly isTimeless?: true;
  /** The object as it begins to wait. */
  marked?(object: KubeObject, now: number): KubeObject;
  /** The object as it is told again while it waits. */
  repeated?(object: KubeObject): KubeObject;
  /** What is shown of an object that goes at once. */
  last?(object: KubeObject, now: number): KubeObject;
  /** Preconditions are refused as the kind's own store words it. */
  readonly hasOwnPreconditions?: true;
}
