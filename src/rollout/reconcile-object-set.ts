import type { Condition } from "../apis/condition.ts";
import type { ResourceType } from "../apis/resource-type.ts";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import type { Clock } from "../clock.ts";
import type { Entropy } from "../entropy.ts";
import type { Explanation } from "../explanation/explanation.ts";
import { InvariantError } from "../invariant.ts";
import type { ObjectReader } from "../kube/object-reader.ts";
import type { ObjectWriter } from "../kube/object-writer.ts";

export interface ObjectSetPorts {
  /** Live reads of any served kind. */
  readonly reader: ObjectReader;
  readonly writer: ObjectWriter;
  typeOf(kind: { group: string; version: string; kind: string }): Promise<ResourceType | undefined>;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** The new status of a revision and what is still to do; the caller writes it (one writer per status). */
export interface ObjectSetOutcome {
  readonly conditions: readonly Condition[];
  readonly observedPhases?: readonly { readonly name: string; readonly digest: string }[];
  /** Ask again after this many milliseconds, beside any change of an object. */
  readonly recheckAfterMs?: number;
  /** Retried with backoff; the same text stands in a condition. */
  readonly error?: string;
  /** Lower revisions to archive, now that this one is complete. */
  readonly archive: readonly string[];
  /** An archived or deleted revision that holds nothing any more: its finalizer may go. */
  readonly released: boolean;
  /** Kinds that the revision holds, to be watched. */
  readonly kinds: readonly ResourceType[];
  /** Why the revision does not go on, e.g. `ObjectOwnedElsewhere`. */
  readonly explanation?: Explanation;
}

/** One pass over a ClusterObjectSet: applies its phases in order, or tears them down in reverse when archived. */
export function reconcileObjectSet(
  revision: ClusterObjectSet,
  /** All ClusterObjectSets of the same owner, the revision itself among them. */
  family: readonly ClusterObjectSet[],
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<ObjectSetOutcome> {
  throw new InvariantError(
    `not written yet: ${revision.metadata.name} ${family.length} ${typeof ports} ${signal.aborted}`,
  );
}
