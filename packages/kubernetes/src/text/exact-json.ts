import type { JsonObject, JsonValue } from "../json.ts";
import { goJsonIndented } from "./go-json.ts";
import { parseJson } from "./json-document.ts";

/** One-line JSON that `parseJson` parses to the same value: integers keep their digits, zero its sign. */
export function exactJson(value: JsonValue): string {
  // Go's encoder prints minus zero, V8's does not.
  return holds(value, isMinusZero) ? goJsonIndented(value, "", false).replaceAll("\n", "") : JSON.stringify(value);
}

/** A copy with its own strings: a substring in V8 would keep the whole source text in memory. */
export function exactCopy(value: JsonValue): JsonValue {
  // V8's parser is much faster than ours, but it rounds integers that a double cannot represent.
  if (holds(value, isRounded)) return parseJson(exactJson(value));
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function isMinusZero(value: JsonValue): boolean {
  return Object.is(value, -0);
}

/** An exact integer is the only object without a prototype. */
function isRounded(value: JsonValue): boolean {
  return typeof value === "object" ? Object.getPrototypeOf(value) === null : isMinusZero(value);
}

/** Whether `isSuch` is true for a value inside `value` or for itself. Strings and null are skipped. */
function holds(value: JsonValue | undefined, isSuch: (value: JsonValue) => boolean): boolean {
  if (typeof value === "string" || value === null || value === undefined) return false;
  if (isSuch(value)) return true;
  if (typeof value !== "object") return false;
  if (isList(value)) return value.some((item) => holds(item, isSuch));
  // A parsed object has own members only; Object.keys would dominate the cost.
  for (const key in value) if (holds(value[key], isSuch)) return true;
  return false;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
