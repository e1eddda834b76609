import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { type Strides, type Steps } from "../../steps.ts";
import { knownKeys } from "../../known-keys.ts";
import { keyElement, valueElement } from "./field-set.ts";
import { type ListMerge } from "./merge-schema.ts";

/** A value, or none. */
export type Maybe = JsonValue | undefined;

/** The path element of an item of a `set` or `map` list, or why it has none. */
export function itemElement(
  list: ListMerge,
  item: JsonValue,
): { readonly element: string } | { readonly fault: string } {
  if (list.mode === "set") {
    if (Array.isArray(item)) return { fault: "not supported: associative list with lists as elements" };
    if (isJsonObject(item)) return { fault: "associative list without keys has an element that's a map type" };
    if (item === null) return { fault: "associative list without keys has an element that's an explicit null" };
    return { element: valueElement(item) };
  }
  if (item === null) return { fault: "associative list with keys may not have a null element" };
  if (!isJsonObject(item)) return { fault: "associative list with keys may not have non-map elements" };
  const items = list.items();
  const keys: (readonly [string, JsonValue])[] = [];
  for (const key of list.keys) {
    const value = member(item, key) ?? (items.kind === "map" ? items.fields.get(key)?.default : undefined);
    if (value !== undefined) keys.push([key, value]);
  }
  if (keys.length > 0) return { element: keyElement(keys) };
  const names = list.keys.map((key) => JSON.stringify(key)).join(" ");
  return {
    fault: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

export function elementOf(list: ListMerge, item: JsonValue): string | undefined {
  const found = itemElement(list, item);
  return "element" in found ? found.element : undefined;
}

export function membersOf(value: Maybe): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function isEmptyMap(value: Maybe): boolean {
  return !isJsonObject(value) || knownKeys(value).length === 0;
}

export function isEmptyList(value: Maybe): boolean {
  return !Array.isArray(value) || value.length === 0;
}

export function* grouped(
  list: ListMerge,
  value: Maybe,
  strides: Strides,
): Steps<ReadonlyMap<string, readonly JsonValue[]>> {
  const groups = new Map<string, JsonValue[]>();
  if (!Array.isArray(value)) return groups;
  for (const item of value as readonly JsonValue[]) {
    if (strides.isDue(4)) yield;
    const element = elementOf(list, item);
    if (element === undefined) continue;
    const held = groups.get(element);
    if (held === undefined) groups.set(element, [item]);
    else held.push(item);
  }
  return groups;
}
