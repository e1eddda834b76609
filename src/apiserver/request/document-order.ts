import type { JsonObject, JsonValue } from "../../json.ts";
import { isJsonObject } from "../../json.ts";

/** Position of every member in its document by path (`spec.containers[0].image`), as a decoder comes to it. */
export function documentOrder(document: JsonObject): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  rankPaths(document, "", ranks);
  return ranks;
}

function rankPaths(value: JsonValue, path: string, ranks: Map<string, number>): void {
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      ranks.set(`${path}[${index}]`, ranks.size);
      rankPaths(item, `${path}[${index}]`, ranks);
    }
  } else if (isJsonObject(value)) {
    for (const [key, held] of Object.entries(value)) {
      const below = path === "" ? key : `${path}.${key}`;
      ranks.set(below, ranks.size);
      if (held !== undefined) rankPaths(held, below, ranks);
    }
  }
}
