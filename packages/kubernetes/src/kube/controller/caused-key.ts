import type { ObjectKey } from "../../apis/object.ts";
import type { SpanReference } from "../../tracing.ts";

/** A key with the span that it follows from. */
export interface CausedKey extends ObjectKey {
  readonly cause?: SpanReference;
}

/** The keys as following from a span; unchanged without one. */
export function causedBy(cause: SpanReference | undefined, keys: readonly ObjectKey[]): readonly CausedKey[] {
  return cause === undefined ? keys : keys.map((key) => ({ ...key, cause }));
}
