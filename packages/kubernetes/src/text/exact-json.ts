import type { JsonObject, JsonValue } from "../json.ts";
import { goJsonIndented } from "./go-json.ts";
import { parseJson } from "./json-document.ts";

/** A JSON text on one line that `parseJson` reads as the same value: integers keep their digits, zero its sign. */
export function exactJson(value: JsonValue): string {
  // Go's writer shows the sign of zero, V8's does not.
  return holds(value, isMinusZero) ? goJsonIndented(value, "", false).replaceAll("\n", "") : JSON.stringify(value);
}

/** The same value with strings of its own: a string that V8 cut from a text keeps all of that text in memory. */
export function exactCopy(value: JsonValue): JsonValue {
  // V8's own parser takes a fraction of the time of ours, but it rounds integers that no double holds.
  if (holds(value, isRounded)) return parseJson(exactJson(value));
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function isMinusZero(value: JsonValue): boolean {
  return Object.is(value, -0);
}

/** An integer kept by its digits is the one kind of object that has no prototype. */
function isRounded(value: JsonValue): boolean {
  return typeof value === "object" ? Object.getPrototypeOf(value) === null : isMinusZero(value);
}

/** True when one of the values inside `value`, itself included, is such a one. Strings and null are not asked for. */
function holds(value: JsonValue | undefined, isSuch: (value: JsonValue) => boolean): boolean {
  if (typeof value === "string" || value === null || value === undefined) return false;
  if (isSuch(value)) return true;
  if (typeof value !== "object") return false;
  if (isList(value)) return value.some((item) => holds(item, isSuch));
  // A parsed object has own members only; a list of them would be the dearest part of the walk.
  for (const key in value) if (holds(value[key], isSuch)) return true;
  return false;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
