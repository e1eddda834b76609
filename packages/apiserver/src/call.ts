import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { Query } from "./request/query.ts";
import type { RequestWork } from "./turns.ts";

/**
 * Warnings are cut to this when all of them together are longer than `warningTotal` (in characters), and once that many
 * characters are written, the others are left out.
 */
export const warningCut = 256;
export const warningTotal = 4096;

/** One request on its way through the pipeline. */
export interface Call {
  readonly user: UserInfo;
  readonly query: Query;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Texts for `Warning` headers, in order. */
  readonly warnings: Set<string>;
  /** Lets others have their turns while a large object is handled. */
  readonly work: RequestWork;
}
