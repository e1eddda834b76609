import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { InvariantError } from "../invariant.ts";
import type { ObjectReader } from "../kube/object-reader.ts";
import type { ObjectWriter } from "../kube/object-writer.ts";
import type { JsonObject } from "../json.ts";
import type { Result } from "../result.ts";
import type { DesiredRevision } from "./plan/revision.ts";

export interface RevisionPorts {
  readonly reader: ObjectReader;
  readonly writer: ObjectWriter;
  /** Namespace of the Secrets that hold the objects; `olmv1-system` upstream. */
  readonly systemNamespace: string;
}

/**
 * Brings the desired revision to the cluster: updates the newest ClusterObjectSet in place when its phases did not
 * change, else makes the next one, its objects packed into immutable Secrets.
 * `preflight` runs before a new revision is made; its text refuses it.
 */
export function applyRevision(
  extension: string,
  desired: DesiredRevision,
  /** Revisions of the extension, any order. */
  existing: readonly ClusterObjectSet[],
  preflight: (objects: readonly JsonObject[], operation: "install" | "upgrade") => Promise<Result<undefined, string>>,
  ports: RevisionPorts,
  signal: AbortSignal,
): Promise<Result<{ readonly name: string; readonly created: boolean }, string>> {
  throw new InvariantError(
    `not written yet: ${extension} ${desired.phases.length} ${existing.length} ${typeof preflight} ${typeof ports} ${signal.aborted}`,
  );
}
