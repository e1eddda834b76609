import type { JsonObject, JsonValue } from "../../json.ts";
import { knownKeys } from "../../known-keys.ts";
import type { Steps, Strides } from "../../steps.ts";

/** `object` with one member set, or removed when `value` is undefined. Safe for any key, even `__proto__`. */
export function withMember(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  const copy: Record<string, JsonValue | undefined> = { ...object };
  if (value === undefined) delete copy[key];
  else setMember(copy, key, value);
  return copy;
}

/** An object that is copied once for many changes, which would otherwise take quadratic time. */
export class ObjectDraft {
  readonly #before: JsonObject;
  #copy: Record<string, JsonValue | undefined> | undefined;

  constructor(before: JsonObject) {
    this.#before = before;
  }

  /** The current object; the original one as long as nothing has changed. */
  get value(): JsonObject {
    return this.#copy ?? this.#before;
  }

  /** Sets a member, or removes it when `value` is undefined. */
  set(key: string, value: JsonValue | undefined): void {
    this.#copy ??= { ...this.#before };
    if (value === undefined) delete this.#copy[key];
    else setMember(this.#copy, key, value);
  }
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

/** An object with so many members is copied at once. */
const copiedAtOnce = 1024;

/** A copy whose members may be set and deleted, made with pauses. */
export function* copyInSteps(object: JsonObject, strides: Strides): Steps<Record<string, JsonValue | undefined>> {
  const keys = knownKeys(object);
  if (keys.length <= copiedAtOnce) return { ...object };
  const copy: Record<string, JsonValue | undefined> = {};
  for (const key of keys) {
    const value = object[key];
    if (value !== undefined) setMember(copy, key, value);
    if (strides.isDue()) yield;
  }
  return copy;
}
