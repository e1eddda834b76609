import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";

export type Place = readonly (string | number)[];

/** All places below the root of a value, outer ones first. */
export function placesOf(value: JsonValue, at: Place = []): readonly Place[] {
  const below = Array.isArray(value)
    ? (value as readonly JsonValue[]).map((item, index) => [index, item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return below.flatMap(([key, held]) => (held === undefined ? [] : [[...at, key], ...placesOf(held, [...at, key])]));
}

/** The value with `change` applied at a place; undefined removes the value there. */
export function changedAt(
  value: JsonValue,
  place: Place,
  change: (held: JsonValue | undefined) => JsonValue | undefined,
): JsonValue | undefined {
  const [key, ...rest] = place;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return items.flatMap((item, index) => {
      if (index !== key) return [item];
      const next = changedAt(item, rest, change);
      return next === undefined ? [] : [next];
    });
  }
  if (!isJsonObject(value)) return value;
  const { [String(key)]: held, ...others } = value;
  const next = rest.length === 0 ? change(held) : changedAt(held ?? null, rest, change);
  // Object.fromEntries defines `__proto__` as an ordinary member.
  return Object.fromEntries([...Object.entries(others), ...(next === undefined ? [] : [[String(key), next] as const])]);
}

/** Merges objects recursively; members of `over` take precedence. */
export function merged(under: JsonObject, over: JsonObject): JsonObject {
  const entries = new Map(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const held = entries.get(key);
    entries.set(key, isJsonObject(held) && isJsonObject(value) ? merged(held, value) : value);
  }
  return Object.fromEntries(entries);
}

export function pointerOf(place: Place): string {
  return place.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
