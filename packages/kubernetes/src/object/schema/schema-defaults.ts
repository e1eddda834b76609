import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { knownKeys } from "../../known-keys.ts";
import { allSteps, type Steps, Strides } from "../../steps.ts";
import { copyInSteps, setMember } from "../patches/json-edit.ts";
import type { StructuralSchema } from "./schema-node.ts";

/**
 * Sets defaults for missing members, and for nulls where null is not allowed. Defaults inside an absent object do not
 * apply. Returns `value` itself when nothing changes; default values are shared, not copied.
 */
export function applyDefaults(value: JsonValue, schema: StructuralSchema): JsonValue {
  return allSteps(applyDefaultsInSteps(value, schema));
}

/** As {@link applyDefaults}, with pauses. */
export function* applyDefaultsInSteps(
  value: JsonValue,
  schema: StructuralSchema,
  strides = new Strides(),
): Steps<JsonValue> {
  if (!schema.hasDefaults) return value;
  if (Array.isArray(value)) return yield* defaultList(value, schema.items, strides);
  return isJsonObject(value) ? yield* defaultObject(value, schema, strides) : value;
}

function* defaultObject(value: JsonObject, schema: StructuralSchema, strides: Strides): Steps<JsonObject> {
  let copy: Record<string, JsonValue | undefined> | undefined;
  const additional = typeof schema.additional === "object" ? schema.additional : undefined;
  for (const [key, property] of schema.properties) {
    if (!property.hasDefaults) continue;
    const held = member(value, key);
    const filled = held === undefined || isForbiddenNull(held, property) ? property.default : held;
    if (filled === undefined) continue;
    const next = yield* applyDefaultsInSteps(filled, property, strides);
    if (next === held) continue;
    copy ??= yield* copyInSteps(value, strides);
    setMember(copy, key, next);
  }
  if (additional?.hasDefaults === true) {
    for (const key of knownKeys(value)) {
      if (strides.isDue()) yield;
      const held = member(value, key);
      if (held === undefined || schema.properties.has(key)) continue;
      const filled = isForbiddenNull(held, additional) ? (additional.default ?? null) : held;
      const next = yield* applyDefaultsInSteps(filled, additional, strides);
      if (next === held) continue;
      copy ??= yield* copyInSteps(value, strides);
      setMember(copy, key, next);
    }
  }
  return copy ?? value;
}

function* defaultList(
  list: readonly JsonValue[],
  items: StructuralSchema | undefined,
  strides: Strides,
): Steps<JsonValue> {
  if (items?.hasDefaults !== true) return list;
  let copy: JsonValue[] | undefined;
  for (const [index, item] of list.entries()) {
    if (strides.isDue()) yield;
    const filled = isForbiddenNull(item, items) ? (items.default ?? null) : item;
    const next = yield* applyDefaultsInSteps(filled, items, strides);
    if (next !== item) (copy ??= [...list])[index] = next;
  }
  return copy ?? list;
}

function isForbiddenNull(value: JsonValue, schema: StructuralSchema): boolean {
  return value === null && !schema.nullable;
}

/** Drops null members that are neither nullable nor defaulted; done first for incoming resources. With pauses. */
export function* dropNulls(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  strides = new Strides(),
): Steps<JsonValue> {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    let copy: JsonValue[] | undefined;
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      if (strides.isDue()) yield;
      if (typeof item !== "object") continue;
      const next = yield* dropNulls(item, schema.items, strides);
      if (next !== item) (copy ??= [...value])[index] = next;
    }
    return copy ?? value;
  }
  if (!isJsonObject(value)) return value;
  let copy: Record<string, JsonValue | undefined> | undefined;
  for (const key of knownKeys(value)) {
    if (strides.isDue()) yield;
    const held = member(value, key);
    if (typeof held !== "object") continue;
    const property =
      schema.properties.get(key) ?? (typeof schema.additional === "object" ? schema.additional : undefined);
    if (property === undefined) continue;
    if (isForbiddenNull(held, property) && property.default === undefined) {
      copy ??= yield* copyInSteps(value, strides);
      delete copy[key];
      continue;
    }
    const next = yield* dropNulls(held, property, strides);
    if (next === held) continue;
    copy ??= yield* copyInSteps(value, strides);
    setMember(copy, key, next);
  }
  return copy ?? value;
}
