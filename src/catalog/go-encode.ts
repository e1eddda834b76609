import { isJsonObject, type JsonValue, member } from "../json.ts";
import { doubleJson, sortedKeys } from "../text/documents.ts";
import { fieldOf, type GoShape } from "./go-shape.ts";

/**
 * Compact JSON as Go writes a value after decoding it into `shape`: fields in the type's order, unknown ones dropped,
 * empty ones left out where the type says so. The value must fit the shape.
 */
export function encodeGo(value: JsonValue | undefined, shape: GoShape): string {
  const given = value ?? null;
  switch (shape.kind) {
    case "string":
      return doubleJson(typeof given === "string" ? given : "");
    case "bool":
      return given === true ? "true" : "false";
    case "int32":
      return typeof given === "number" ? String(given) : "0";
    case "raw":
      return doubleJson(given);
    case "bytes":
      return typeof given === "string" ? `"${sameBytes(given)}"` : "null";
    case "list":
      return Array.isArray(given) ? `[${given.map((item) => encodeGo(item, shape.item)).join(",")}]` : "null";
    case "map":
      if (!isJsonObject(given)) return "null";
      return braces(sortedKeys(given).map((key) => `${doubleJson(key)}:${encodeGo(member(given, key), shape.item)}`));
    case "struct":
      return braces(
        Object.entries(shape.fields).flatMap(([name, field]) => {
          const item = isJsonObject(given) ? fieldOf(given, name) : undefined;
          return shape.always.has(name) || !isEmpty(item, field) ? [`"${name}":${encodeGo(item, field)}`] : [];
        }),
      );
  }
}

function braces(members: readonly string[]): string {
  return `{${members.join(",")}}`;
}

/** What Go's omitempty leaves out: never a struct, but a nil pointer to one. */
function isEmpty(value: JsonValue | undefined, shape: GoShape): boolean {
  if (shape.kind === "struct") return shape.isPointer && (value === undefined || value === null);
  if (value === undefined) return true;
  // A raw null is four bytes to Go; every other null leaves the zero value.
  if (shape.kind === "raw") return false;
  if (value === null || value === "" || value === false || value === 0) return true;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

/** Base64 decoded and encoded again: line breaks and stray bits behind the last byte go away. */
function sameBytes(encoded: string): string {
  return btoa(atob(encoded.replaceAll(/[\r\n]/g, "")));
}
