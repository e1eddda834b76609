import type { ContentKey, ContentState } from "../catalog/content-state.ts";
import type { Digest } from "@purser/kubernetes/digest";
import type { Readings } from "./parsed-bundles.ts";

export interface ContentStore {
  /** Says that `key` is wanted, starts getting it when absent, and tells where it stands. Never blocks. */
  need(key: ContentKey): ContentState;
  /** Keys whose state changed, until the signal aborts. */
  changes(signal: AbortSignal): AsyncIterable<ContentKey>;
  /** A present bundle as objects, read by another thread and kept for a while. */
  read<Reading extends keyof Readings>(reading: Reading, digest: Digest): Promise<Readings[Reading]>;
}
