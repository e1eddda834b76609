import type { JsonValue } from "../json.ts";

// TypeScript's library does not know it yet.
const raw = JSON as unknown as { rawJSON(text: string): JsonValue };

/**
 * An integer that a double cannot hold, kept as its digits (`JSON.rawJSON`): `JSON.stringify` and our writers print
 * them unchanged. Everything else that reads it sees a frozen object that is no JSON object.
 */
export function exactInteger(digits: string): JsonValue {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : raw.rawJSON(digits);
}

/** A finite double as Go's encoding/json prints it (the same as ECMAScript but for minus zero). */
export function goJsonNumber(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
