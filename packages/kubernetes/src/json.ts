/** A JSON document as it lies in memory. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** Deeply readonly on purpose: the stored object is handed over without a copy. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

// TypeScript's library does not know it yet.
const { isRawJSON } = JSON as unknown as { readonly isRawJSON: (value: unknown) => boolean };

/** False for an integer kept by its digits (`JSON.rawJSON`): it is a scalar that only looks like an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** The digits of an integer that a double cannot hold (`exactInteger` of the text room makes them); undefined otherwise. */
export function digitsOf(value: JsonValue): string | undefined {
  return isRawJSON(value) ? JSON.stringify(value) : undefined;
}

/** Own members only, so that a key such as `constructor` or `__proto__` never reads through the prototype. */
export function member(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A value of one of our object types seen as the JSON that it is (their interfaces lack an index signature). */
export function plainJson(value: object | null): JsonValue {
  return value as unknown as JsonValue;
}
