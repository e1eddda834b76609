import type { JsonValue } from "../json.ts";

// Missing in TypeScript's library.
const raw = JSON as unknown as { rawJSON(text: string): JsonValue };

/**
 * An integer that a double cannot represent, kept as digits (`JSON.rawJSON`): `JSON.stringify` and our encoders print
 * it unchanged. Other code sees a frozen object that is not a JSON object.
 */
export function exactInteger(digits: string): JsonValue {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : raw.rawJSON(digits);
}

/** A finite double as Go's encoding/json prints it (equal to ECMAScript except for minus zero). */
export function goJsonNumber(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
