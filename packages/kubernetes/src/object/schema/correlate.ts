import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { allSteps, type Steps, Strides } from "../../steps.ts";
import { goJson } from "../../text/go-json.ts";
import type { StructuralSchema } from "./schema-node.ts";

/** Items of a `map` list by the text of their keys, the first of each. */
type ItemsByKey = ReadonlyMap<string, JsonValue>;

const known = new WeakMap<object, ItemsByKey>();

/** The old item with the same keys; only items of `map` lists can be correlated. */
export function correlatedItem(list: StructuralSchema, old: JsonValue, item: JsonValue): JsonValue | undefined {
  if (list.listType !== "map" || !Array.isArray(old) || !isJsonObject(item)) return undefined;
  return allSteps(itemsByKey(list, old, new Strides())).get(keyOf(list, item));
}

/** Lists the keys of a long old list with pauses, before its items are looked up. It must not change any more. */
export function* prepareCorrelation(list: StructuralSchema, old: JsonValue, strides: Strides): Steps<void> {
  if (list.listType === "map" && Array.isArray(old)) yield* itemsByKey(list, old, strides);
}

function* itemsByKey(list: StructuralSchema, old: readonly JsonValue[], strides: Strides): Steps<ItemsByKey> {
  const held = known.get(old);
  if (held !== undefined) return held;
  const items = new Map<string, JsonValue>();
  for (const item of old) {
    if (strides.isDue(4)) yield;
    if (!isJsonObject(item)) continue;
    const key = keyOf(list, item);
    if (!items.has(key)) items.set(key, item);
  }
  known.set(old, items);
  return items;
}

function keyOf({ listMapKeys }: StructuralSchema, item: JsonObject): string {
  return listMapKeys
    .map((name) => {
      const value = member(item, name);
      return value === undefined ? "" : goJson(value);
    })
    .join("\n");
}
