import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { goText } from "../go-text.ts";

/** The text of Go's `%T`. */
export function goTypeOf(value: JsonValue): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "boolean") return "bool";
  return isJsonObject(value) ? "map[string]interface {}" : typeof value === "string" ? "string" : "float64";
}

export function badType(expected: string, actual: JsonValue): string {
  return `expected a ${expected}, but received a ${goTypeOf(actual)}`;
}

export function noMergeKey(item: JsonObject, mergeKey: string): string {
  return `map: ${goText(item)} does not contain declared merge key: ${mergeKey}`;
}
