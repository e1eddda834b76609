import type { JsonValue } from "../json.ts";
import { goJsonIndented } from "./go-json.ts";

/** A JSON text on one line that `parseJson` reads as the same value: integers keep their digits, zero its sign. */
export function exactJson(value: JsonValue): string {
  // Go's writer shows the sign of zero, V8's does not.
  return holdsMinusZero(value) ? goJsonIndented(value, "", false).replaceAll("\n", "") : JSON.stringify(value);
}

function holdsMinusZero(value: JsonValue | undefined): boolean {
  if (typeof value !== "object" || value === null) return Object.is(value, -0);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some(holdsMinusZero);
  return Object.values(value).some(holdsMinusZero);
}
