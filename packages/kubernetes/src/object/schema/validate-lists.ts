import { goJson } from "../../text/go-json.ts";
import { isJsonObject, type JsonValue, member } from "../../json.ts";
import { duplicate, type FieldError, invalid } from "../field-error.ts";
import { objectOf } from "../patches/json-edit.ts";
import { type Steps, Strides } from "../../steps.ts";
import type { StructuralSchema } from "./schema-node.ts";

/** Duplicate items of `set` lists and duplicate keys of `map` lists, at any depth; each reported once. */
export function* validateUniqueLists(
  value: JsonValue,
  schema: StructuralSchema,
  path = "",
): Steps<readonly FieldError[]> {
  if (!schema.hasUniqueLists) return [];
  const look: Look = { errors: [], strides: new Strides() };
  yield* visit(value, schema, path, look);
  return look.errors;
}

interface Look {
  readonly errors: FieldError[];
  readonly strides: Strides;
}

function* visit(value: JsonValue, schema: StructuralSchema, path: string, look: Look): Steps<void> {
  if (look.strides.isDue()) yield;
  if (!schema.hasUniqueLists) return;
  if (Array.isArray(value)) {
    if (schema.listType === "set") yield* checkSet(value, path, look);
    if (schema.listType === "map") yield* checkMap(value, schema.listMapKeys, path, look);
    if (schema.items?.hasUniqueLists !== true) return;
    for (const [index, item] of (value as readonly JsonValue[]).entries())
      yield* visit(item, schema.items, `${path}[${index}]`, look);
  } else if (isJsonObject(value)) {
    for (const [key, held] of Object.entries(value)) {
      const property = schema.properties.get(key);
      if (held === undefined) continue;
      if (property !== undefined) yield* visit(held, property, path === "" ? key : `${path}.${key}`, look);
      else if (typeof schema.additional === "object") yield* visit(held, schema.additional, `${path}[${key}]`, look);
    }
  }
}

function* checkSet(list: readonly JsonValue[], path: string, { errors, strides }: Look): Steps<void> {
  for (const index of yield* repeated(list, strides)) errors.push(duplicate(`${path}[${index}]`, list[index]));
}

function* checkMap(
  list: readonly JsonValue[],
  keyNames: readonly string[],
  path: string,
  { errors, strides }: Look,
): Steps<void> {
  const strange = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (strange >= 0) {
    errors.push(invalid(`${path}[${strange}]`, list[strange], "must be an object for an array of list-type map"));
    return;
  }
  const keys: JsonValue[] = [];
  for (const item of list) {
    keys.push(keyOf(item, keyNames));
    if (strides.isDue(4)) yield;
  }
  for (const index of yield* repeated(keys, strides)) errors.push(duplicate(`${path}[${index}]`, keys[index]));
}

function keyOf(item: JsonValue, keyNames: readonly string[]): JsonValue {
  if (!isJsonObject(item)) return {};
  return objectOf(
    keyNames.flatMap((name): (readonly [string, JsonValue])[] => {
      const value = member(item, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Indexes of first repetitions. */
function* repeated(items: readonly JsonValue[], strides: Strides): Steps<readonly number[]> {
  const seen = new Map<string, number>();
  const found: number[] = [];
  if (items.length < 2) return found;
  for (const [index, item] of items.entries()) {
    const key = goJson(item);
    if (strides.isDue(2)) yield;
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 2) found.push(index);
  }
  return found;
}
