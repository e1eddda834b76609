import type { JsonObject } from "@purser/kubernetes/json";
import type { Draw } from "../draw.ts";

/** A part of a body, drawn; parts of one body are merged. */
export type Fragment = (draw: Draw) => JsonObject;

/** A kind that the sequences write. */
export interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  /** `{ns}` stands for the run's namespace. */
  readonly collection: string;
  readonly weight: number;
  /** What every body has. */
  readonly base: JsonObject;
  /** What a body has even when it says nothing else of what it needs. */
  readonly always?: JsonObject;
  readonly fragments: readonly Fragment[];
  /** Bodies of the status endpoint; none where there is no such endpoint. */
  readonly status: readonly Fragment[];
  readonly scale?: boolean;
  /** Instead of `x`, `y` and `z`: those of a whole cluster differ from run to run (`{ns}`). */
  readonly names?: readonly [string, ...string[]];
  /** What deleting one answers depends on controllers and their time. */
  readonly undeletable?: boolean;
  /** Other versions that the objects are written through. */
  readonly versions?: readonly string[];
  readonly custom?: boolean;
  /** Nothing of it is kept: every write is a rehearsal. */
  readonly dryRunOnly?: boolean;
  /** It can be created and nothing else. */
  readonly createOnly?: boolean;
  /** Subresources that take bodies of other kinds; each is a rehearsal. */
  readonly posts?: readonly (readonly [subresource: string, body: Fragment])[];
  /** Controllers write its objects too: wait until they have. */
  readonly controlled?: boolean;
  /** Lists with a strategic merge key, as paths of member names. */
  readonly mergeLists?: readonly (readonly [path: readonly string[], key: string])[];
}
