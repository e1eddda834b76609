import type { JsonObject, JsonValue } from "../../json.ts";
import { isJsonObject, member } from "../../json.ts";

/**
 * The document as the library of JSON patches writes it: what the operations led through comes back with its keys
 * sorted, all else as it stood.
 */
export function sortedAlong(document: JsonObject, patch: JsonValue): JsonObject {
  const operations = Array.isArray(patch) ? (patch as readonly JsonValue[]).filter(isJsonObject) : [];
  const opened = new Set<string>([""]);
  const tested = new Set<string>();
  for (const operation of operations) {
    if (member(operation, "op") === "test") tested.add(textOf(operation, "path"));
    for (const key of ["path", "from"]) {
      const parts = textOf(operation, key).split("/");
      for (let length = 2; length < parts.length; length++) opened.add(parts.slice(0, length).join("/"));
    }
    const [from, path] = [textOf(operation, "from"), textOf(operation, "path")];
    // What was led through before is taken along as it is then written.
    if (!["copy", "move"].includes(textOf(operation, "op"))) continue;
    const along = [...opened].filter((pointer) => pointer === from || pointer.startsWith(`${from}/`));
    for (const pointer of along) opened.add(path + pointer.slice(from.length));
  }
  const walk = (value: JsonValue, pointer: string, isTested: boolean): JsonValue => {
    const isWhole = isTested || tested.has(pointer);
    if (!isWhole && !opened.has(pointer)) return value;
    const below = (key: string | number, held: JsonValue): JsonValue =>
      walk(held, `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`, isWhole);
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item, index) => below(index, item));
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, held]) => [key, held === undefined ? held : below(key, held)]));
  };
  const result = walk(document, "", false);
  return isJsonObject(result) ? result : document;
}

function textOf(operation: JsonObject, key: string): string {
  const held = member(operation, key);
  return typeof held === "string" ? held : "";
}
