/** A JSON document as it lies in memory. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** Deeply readonly on purpose: the stored object is handed over without a copy. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Own members only, so that a key such as `constructor` or `__proto__` never reads through the prototype. */
export function member(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A value of one of our object types seen as the JSON that it is (their interfaces lack an index signature). */
export function plainJson(value: object | null): JsonValue {
  return value as unknown as JsonValue;
}
