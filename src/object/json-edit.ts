import type { JsonObject, JsonValue } from "../json.ts";

/** `object` with one member set, or left out when `value` is undefined. Safe for any key, `__proto__` too. */
export function withMember(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  const copy: Record<string, JsonValue | undefined> = { ...object };
  if (value === undefined) delete copy[key];
  else setMember(copy, key, value);
  return copy;
}

/** Sets an own member on an object under construction; assignment would run the setter of `__proto__`. */
export function setMember(target: Record<string, JsonValue | undefined>, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}

/** An object of the pairs, in their order. */
export function objectOf(pairs: Iterable<readonly [string, JsonValue]>): JsonObject {
  const object: Record<string, JsonValue | undefined> = {};
  for (const [key, value] of pairs) setMember(object, key, value);
  return object;
}
