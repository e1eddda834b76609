import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { setMember } from "../patches/json-edit.ts";
import type { StructuralSchema } from "./schema-node.ts";

/**
 * Sets defaults for missing members, and for nulls where null is not allowed. Defaults inside an absent object do not
 * apply. Returns `value` itself when nothing changes; default values are shared, not copied.
 */
export function applyDefaults(value: JsonValue, schema: StructuralSchema): JsonValue {
  if (!schema.hasDefaults) return value;
  if (Array.isArray(value)) return defaultList(value, schema.items);
  return isJsonObject(value) ? defaultObject(value, schema) : value;
}

function defaultObject(value: JsonObject, schema: StructuralSchema): JsonObject {
  let copy: Record<string, JsonValue | undefined> | undefined;
  const additional = typeof schema.additional === "object" ? schema.additional : undefined;
  for (const [key, property] of schema.properties) {
    if (!property.hasDefaults) continue;
    const held = member(value, key);
    const filled = held === undefined || isForbiddenNull(held, property) ? property.default : held;
    if (filled === undefined) continue;
    const next = applyDefaults(filled, property);
    if (next !== held) setMember((copy ??= { ...value }), key, next);
  }
  if (additional?.hasDefaults === true) {
    for (const key of Object.keys(value)) {
      const held = member(value, key);
      if (held === undefined || schema.properties.has(key)) continue;
      const next = applyDefaults(isForbiddenNull(held, additional) ? (additional.default ?? null) : held, additional);
      if (next !== held) setMember((copy ??= { ...value }), key, next);
    }
  }
  return copy ?? value;
}

function defaultList(list: readonly JsonValue[], items: StructuralSchema | undefined): JsonValue {
  if (items?.hasDefaults !== true) return list;
  let copy: JsonValue[] | undefined;
  for (const [index, item] of list.entries()) {
    const next = applyDefaults(isForbiddenNull(item, items) ? (items.default ?? null) : item, items);
    if (next !== item) (copy ??= [...list])[index] = next;
  }
  return copy ?? list;
}

function isForbiddenNull(value: JsonValue, schema: StructuralSchema): boolean {
  return value === null && !schema.nullable;
}

/** Drops null members that are neither nullable nor defaulted; done first for incoming resources. */
export function dropNulls(value: JsonValue, schema: StructuralSchema | undefined): JsonValue {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    let copy: JsonValue[] | undefined;
    for (const [index, item] of value.entries()) {
      const next = dropNulls(item, schema.items);
      if (next !== item) (copy ??= [...value])[index] = next;
    }
    return copy ?? value;
  }
  if (!isJsonObject(value)) return value;
  let copy: Record<string, JsonValue | undefined> | undefined;
  for (const key of Object.keys(value)) {
    const held = member(value, key);
    const property =
      schema.properties.get(key) ?? (typeof schema.additional === "object" ? schema.additional : undefined);
    if (held === undefined || property === undefined) continue;
    if (isForbiddenNull(held, property) && property.default === undefined) {
      copy ??= { ...value };
      delete copy[key];
      continue;
    }
    const next = dropNulls(held, property);
    if (next !== held) setMember((copy ??= { ...value }), key, next);
  }
  return copy ?? value;
}
