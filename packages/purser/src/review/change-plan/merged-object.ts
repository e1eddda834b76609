import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { MergeSchema } from "@purser/kubernetes/object/apply/merge-schema";
import { innerSchema, itemSchema, schemaOfObject } from "./field-changes.ts";
import { type ItemKey, itemsByKey, keyFieldsOf } from "./list-keys.ts";

/**
 * The live object after `next` is applied where `previous` was applied before, as server-side apply does: fields of `next` are
 * set, fields that only `previous` had are removed, and all others stay.
 * @param previous undefined: nothing is removed
 */
export function mergedObject(live: JsonObject, previous: JsonObject | undefined, next: JsonObject): JsonObject {
  const merged = mergedValue(live, previous, next, schemaOfObject(next));
  return isJsonObject(merged) ? merged : next;
}

function mergedValue(
  live: JsonValue | undefined,
  previous: JsonValue | undefined,
  next: JsonValue,
  schema: MergeSchema,
): JsonValue {
  // The same value: a comparison with the live object then ends here and reads no member.
  if (live !== undefined && deepEqual(live, next)) return live;
  if (isJsonObject(live) && isJsonObject(next) && !(schema.kind === "map" && schema.atomic))
    return mergedMembers(live, isJsonObject(previous) ? previous : {}, next, schema);
  // Custom resources and lists without declared keys are atomic on the server, whatever keys their items seem to have.
  if (Array.isArray(live) && Array.isArray(next) && schema.kind === "list" && schema.mode === "map")
    return mergedItems(live, Array.isArray(previous) ? previous : [], next, schema);
  return next;
}

function mergedMembers(live: JsonObject, previous: JsonObject, next: JsonObject, schema: MergeSchema): JsonObject {
  const merged: Record<string, JsonValue | undefined> = {};
  for (const [name, value] of Object.entries(live)) {
    const wanted = member(next, name);
    if (wanted !== undefined)
      merged[name] = mergedValue(value, member(previous, name), wanted, innerSchema(schema, next, name));
    else {
      const kept = withoutPrevious(value ?? null, member(previous, name), innerSchema(schema, live, name));
      if (kept !== undefined) merged[name] = kept;
    }
  }
  for (const [name, value] of Object.entries(next)) if (member(live, name) === undefined) merged[name] = value;
  return merged;
}

/** What stays of a value that `next` does not name: everything that `previous` did not set. */
function withoutPrevious(live: JsonValue, previous: JsonValue | undefined, schema: MergeSchema): JsonValue | undefined {
  if (previous === undefined) return live;
  if (!isJsonObject(live) || !isJsonObject(previous) || (schema.kind === "map" && schema.atomic)) return undefined;
  const kept = Object.entries(live).flatMap(([name, value]) => {
    const stays = withoutPrevious(value ?? null, member(previous, name), innerSchema(schema, live, name));
    return stays === undefined ? [] : [[name, stays] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function mergedItems(
  live: readonly JsonValue[],
  previous: readonly JsonValue[],
  next: readonly JsonValue[],
  schema: MergeSchema,
): JsonValue {
  const fields = keyFieldsOf(schema, [live, next]) ?? new Map<string, undefined>();
  const [held, before, wanted] = [itemsByKey(live, fields), itemsByKey(previous, fields), itemsByKey(next, fields)];
  if (held === undefined || wanted === undefined) return next;
  const inner = itemSchema(schema);
  const keyed = (key: ItemKey) => JSON.stringify(key);
  const kept = [...held.values()].flatMap(({ key, item }): readonly JsonValue[] => {
    const after = wanted.get(keyed(key));
    const applied = before?.get(keyed(key));
    if (after !== undefined) return [mergedValue(item, applied?.item, after.item, inner)];
    return applied === undefined ? [item] : [];
  });
  const added = [...wanted.values()].filter(({ text }) => !held.has(text)).map(({ item }) => item);
  const all = itemsByKey([...kept, ...added], fields);
  if (all === undefined) return next;
  // The server keeps the order of the applied items.
  const ordered = [...wanted.keys()].flatMap((text) => all.get(text) ?? []);
  const others = [...all.values()].filter(({ text }) => !wanted.has(text));
  return [...ordered, ...others].map(({ item }) => item);
}
