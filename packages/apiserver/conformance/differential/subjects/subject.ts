import type { JsonObject } from "@purser/kubernetes/json";
import type { Draw } from "../draw.ts";

/** A random part of a body; parts of one body are merged. */
export type Fragment = (draw: Draw) => JsonObject;

/** A kind that random sequences write. */
export interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  /** `{ns}` is replaced with the run's namespace. */
  readonly collection: string;
  readonly weight: number;
  /** Part of every body. */
  readonly base: JsonObject;
  /** Part of every body, even of one that lacks required fields. */
  readonly always?: JsonObject;
  readonly fragments: readonly Fragment[];
  /** Bodies for the status endpoint; empty when there is none. */
  readonly status: readonly Fragment[];
  readonly scale?: boolean;
  /** Names instead of `x`, `y` and `z`; for cluster-scoped kinds they differ per run (`{ns}`). */
  readonly names?: readonly [string, ...string[]];
  /** The response to a deletion depends on controllers and timing. */
  readonly undeletable?: boolean;
  /** Further versions through which objects are written. */
  readonly versions?: readonly string[];
  readonly custom?: boolean;
  /** Every write is a dry run. */
  readonly dryRunOnly?: boolean;
  /** The kind supports only create. */
  readonly createOnly?: boolean;
  /** Subresources with bodies of other kinds; requests are dry runs. */
  readonly posts?: readonly (readonly [subresource: string, body: Fragment])[];
  /** Controllers write its objects too: wait for them. */
  readonly controlled?: boolean;
  /** Lists with a strategic merge key, as paths of member names. */
  readonly mergeLists?: readonly (readonly [path: readonly string[], key: string])[];
}
