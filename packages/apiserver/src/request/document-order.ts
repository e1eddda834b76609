import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { roomForPaths } from "@purser/kubernetes/text/problem";

/**
 * The first of these paths (`spec.containers[0].image`) in document order; undefined when the document has none of
 * them, or when too much precedes it.
 */
export function firstInDocument(document: JsonObject, paths: ReadonlySet<string>): string | undefined {
  let room = roomForPaths;
  const isWanted = (path: string): boolean => {
    room -= path.length;
    return room >= 0 && paths.has(path);
  };
  const find = (value: JsonValue, path: string): string | undefined => {
    if (Array.isArray(value)) {
      for (const [index, item] of (value as readonly JsonValue[]).entries()) {
        const below = `${path}[${index}]`;
        const found = isWanted(below) ? below : find(item, below);
        if (found !== undefined) return found;
      }
    } else if (isJsonObject(value)) {
      for (const [key, held] of Object.entries(value)) {
        const below = path === "" ? key : `${path}.${key}`;
        const found = isWanted(below) ? below : find(held ?? null, below);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  return find(document, "");
}
