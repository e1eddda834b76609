import type { CollisionProtection, ObjectSetPhase, ProgressionProbe } from "../../apis/v1/cluster-object-set.ts";
import type { KubeObject } from "../../apis/object.ts";
import { InvariantError } from "../../invariant.ts";
import type { JsonObject } from "../../json.ts";
import type { Result } from "../../result.ts";

/** What a revision is made from. */
export interface RevisionRequest {
  readonly extension: {
    readonly name: string;
    readonly uid: string;
    readonly progressDeadlineMinutes?: number;
  };
  readonly bundle: {
    readonly name: string;
    readonly packageName: string;
    readonly version: string;
    readonly release?: string;
    /** Image reference; digest where known. */
    readonly image: string;
    /** CSV annotation `olm.properties`. */
    readonly properties?: string;
  };
  readonly objects: readonly JsonObject[];
}

/** A ClusterObjectSet to be: its number is given when it is packed. */
export interface DesiredRevision {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ownerReferences: NonNullable<KubeObject["metadata"]["ownerReferences"]>;
  readonly collisionProtection: CollisionProtection;
  readonly progressDeadlineMinutes?: number;
  readonly progressionProbes: readonly ProgressionProbe[];
  /** Objects inline, sanitised and sorted. */
  readonly phases: readonly ObjectSetPhase[];
}

/** Sorts rendered objects into phases and marks them as the extension's (3.10 of the v1 spec). */
export function desiredRevision(request: RevisionRequest): Result<DesiredRevision, string> {
  throw new InvariantError(`not written yet: ${request.extension.name}`);
}
