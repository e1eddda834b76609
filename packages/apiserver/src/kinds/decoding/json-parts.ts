import { isJsonObject, member, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { emptiedIn, noteEmptied } from "../emptied.ts";

const nothing: JsonObject = Object.freeze({});

/** The member when it is an object; otherwise an empty object. */
export function objectIn(object: JsonObject, key: string): JsonObject {
  const value = member(object, key);
  return isJsonObject(value) ? value : nothing;
}

/** The object at a path of members; an empty one when any part of the path is absent. */
export function objectAt(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return keys.reduce(objectIn, object);
}

/** The objects of a list member; empty when the member is not a list. */
export function objectsIn(object: JsonObject, key: string): readonly JsonObject[] {
  const value = member(object, key);
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

export function textIn(object: JsonObject, key: string): string {
  const value = member(object, key);
  return typeof value === "string" ? value : "";
}

export function numberIn(object: JsonObject, key: string): number | undefined {
  const value = member(object, key);
  return typeof value === "number" ? value : undefined;
}

/** The strings of a list member; empty when the member is not a list. */
export function textsIn(object: JsonObject, key: string): readonly string[] {
  const value = member(object, key);
  return Array.isArray(value)
    ? (value as readonly JsonValue[]).filter((item): item is string => typeof item === "string")
    : [];
}

export function hasMember(object: JsonObject, key: string): boolean {
  const value = member(object, key);
  return value !== undefined && value !== null;
}

/** Adds the members that `object` lacks (or holds as null). */
export function withDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  let out: Record<string, JsonValue | undefined> | undefined;
  for (const [key, value] of Object.entries(defaults)) {
    if (hasMember(object, key)) continue;
    out ??= { ...object };
    out[key] = value;
  }
  return out ?? object;
}

/**
 * Replaces a member that is an object by the result of `change`; returns the object unchanged when there is no such
 * member.
 */
export function mapMember(object: JsonObject, key: string, change: (value: JsonObject) => JsonObject): JsonObject {
  const value = member(object, key);
  if (!isJsonObject(value)) return object;
  const changed = change(value);
  return changed === value ? object : { ...object, [key]: changed };
}

/** Replaces every object of a list member by the result of `change`. */
export function mapList(object: JsonObject, key: string, change: (value: JsonObject) => JsonObject): JsonObject {
  const value = member(object, key);
  if (!Array.isArray(value)) return object;
  let different = false;
  const items = (value as readonly JsonValue[]).map((item) => {
    if (!isJsonObject(item)) return item;
    const changed = change(item);
    different ||= changed !== item;
    return changed;
  });
  return different ? { ...object, [key]: items } : object;
}

export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object;
  const rest: JsonObject = Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
  noteEmptied(
    rest,
    emptiedIn(object).filter((key) => !keys.includes(key)),
  );
  return rest;
}

/** An object with only the named members that are present. */
export function pickMembers(object: JsonObject, ...keys: readonly string[]): JsonObject {
  const picked = Object.fromEntries(keys.filter((key) => Object.hasOwn(object, key)).map((key) => [key, object[key]]));
  noteEmptied(
    picked,
    emptiedIn(object).filter((key) => keys.includes(key)),
  );
  return picked;
}
