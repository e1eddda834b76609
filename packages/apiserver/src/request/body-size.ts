import { type JsonValue } from "@purser/kubernetes/json";

/** What brackets, quotes, a colon and a comma add to a member or an item. */
const aroundValue = 4;

/**
 * Approximate length of a value's JSON text, for bodies of in-process requests; counting stops at `limit`, which is
 * then the result.
 */
export function textSize(value: JsonValue | undefined, limit: number): number {
  return Math.min(limit, counted(value, 0, limit));
}

function counted(value: JsonValue | undefined, before: number, limit: number): number {
  if (typeof value === "string") return before + value.length + aroundValue;
  if (typeof value !== "object" || value === null) return before + aroundValue;
  let size = before + aroundValue;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      if (size >= limit) return size;
      size = counted(item, size, limit);
    }
    return size;
  }
  for (const [key, held] of Object.entries(value)) {
    if (size >= limit) return size;
    size = counted(held as JsonValue | undefined, size + key.length, limit);
  }
  return size;
}
