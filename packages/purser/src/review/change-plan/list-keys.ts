import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { MergeSchema } from "@purser/kubernetes/object/apply/merge-schema";

/** The key fields of an item with their values. */
export type ItemKey = Readonly<Record<string, string | number>>;

export interface KeyedItem {
  readonly key: ItemKey;
  /** Equal for equal keys. */
  readonly text: string;
  readonly item: JsonObject;
}

/**
 * The fields by which the items of a list are told apart: those of the kind's own schema, else `name` where every item has one.
 * Undefined where a list is one value.
 */
export function keyFieldsOf(
  schema: MergeSchema,
  lists: readonly (readonly JsonValue[])[],
): ReadonlyMap<string, string | number | undefined> | undefined {
  if (schema.kind === "list" && schema.mode === "map") {
    const items = schema.items();
    const fallback = (key: string) => {
      const value = items.kind === "map" ? items.fields.get(key)?.default : undefined;
      return typeof value === "string" || typeof value === "number" ? value : undefined;
    };
    return new Map(schema.keys.map((key) => [key, fallback(key)]));
  }
  const named = lists.every((list) =>
    list.every((item) => isJsonObject(item) && typeof member(item, "name") === "string"),
  );
  return named ? new Map([["name", undefined]]) : undefined;
}

/** The items by key, in order; undefined when an item has no key or two have the same. */
export function itemsByKey(
  list: readonly JsonValue[],
  fields: ReadonlyMap<string, string | number | undefined>,
): ReadonlyMap<string, KeyedItem> | undefined {
  const found = new Map<string, KeyedItem>();
  for (const item of list) {
    if (!isJsonObject(item)) return undefined;
    const key: Record<string, string | number> = {};
    for (const [field, fallback] of fields) {
      const value = member(item, field) ?? fallback;
      if (typeof value !== "string" && typeof value !== "number") return undefined;
      key[field] = value;
    }
    const text = JSON.stringify(key);
    if (found.has(text)) return undefined;
    found.set(text, { key, text, item });
  }
  return found;
}
