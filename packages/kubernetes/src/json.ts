/** A parsed JSON document. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** Deeply readonly, because stored objects are passed without a copy. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

// Missing in TypeScript's library.
const { isRawJSON } = JSON as unknown as { readonly isRawJSON: (value: unknown) => boolean };

/** False for an integer kept as digits (`JSON.rawJSON`), which is an object in JavaScript but a JSON number. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/**
 * The digits of an integer that a double cannot represent (see `exactInteger` in text/go-number.ts); undefined for
 * other values.
 */
export function digitsOf(value: JsonValue | undefined): string | undefined {
  return isRawJSON(value) ? JSON.stringify(value) : undefined;
}

/** Reads own members only, so that keys such as `constructor` or `__proto__` do not reach the prototype. */
export function member(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A typed object as JSON (interfaces lack an index signature). */
export function plainJson(value: object | null): JsonValue {
  return value as unknown as JsonValue;
}
