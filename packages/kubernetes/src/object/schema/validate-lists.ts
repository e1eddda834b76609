import { goJson } from "../../text/go-json.ts";
import { isJsonObject, type JsonValue, member } from "../../json.ts";
import { duplicate, type FieldError, invalid } from "../field-error.ts";
import { objectOf } from "../patches/json-edit.ts";
import type { StructuralSchema } from "./schema-node.ts";

/** Duplicate items of `set` lists and duplicate keys of `map` lists, at any depth; each reported once. */
export function validateUniqueLists(value: JsonValue, schema: StructuralSchema, path = ""): readonly FieldError[] {
  if (!schema.hasUniqueLists) return [];
  const errors: FieldError[] = [];
  visit(value, schema, path, errors);
  return errors;
}

function visit(value: JsonValue, schema: StructuralSchema, path: string, errors: FieldError[]): void {
  if (!schema.hasUniqueLists) return;
  if (Array.isArray(value)) {
    if (schema.listType === "set") checkSet(value, path, errors);
    if (schema.listType === "map") checkMap(value, schema.listMapKeys, path, errors);
    if (schema.items === undefined) return;
    for (const [index, item] of value.entries()) visit(item, schema.items, `${path}[${index}]`, errors);
  } else if (isJsonObject(value)) {
    for (const [key, held] of Object.entries(value)) {
      const property = schema.properties.get(key);
      if (held === undefined) continue;
      if (property !== undefined) visit(held, property, path === "" ? key : `${path}.${key}`, errors);
      else if (typeof schema.additional === "object") visit(held, schema.additional, `${path}[${key}]`, errors);
    }
  }
}

function checkSet(list: readonly JsonValue[], path: string, errors: FieldError[]): void {
  for (const index of repeated(list)) errors.push(duplicate(`${path}[${index}]`, list[index]));
}

function checkMap(list: readonly JsonValue[], keyNames: readonly string[], path: string, errors: FieldError[]): void {
  const strange = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (strange >= 0) {
    errors.push(invalid(`${path}[${strange}]`, list[strange], "must be an object for an array of list-type map"));
    return;
  }
  const keys = list.map((item) => keyOf(item, keyNames));
  for (const index of repeated(keys)) errors.push(duplicate(`${path}[${index}]`, keys[index]));
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
function repeated(items: readonly JsonValue[]): readonly number[] {
  const seen = new Map<string, number>();
  const found: number[] = [];
  if (items.length < 2) return found;
  for (const [index, item] of items.entries()) {
    const key = goJson(item);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 2) found.push(index);
  }
  return found;
}
