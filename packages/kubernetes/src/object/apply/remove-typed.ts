import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { Strides, type Steps } from "../../steps.ts";
import { knownKeys } from "../../known-keys.ts";
import { emptySet, type FieldSet, isEmptySet } from "./field-set.ts";
import { setMember } from "../patches/json-edit.ts";
import { elementOf, grouped, isEmptyMap, type Maybe } from "./list-elements.ts";
import { memberSchema, type MergeSchema, shapeFor, untyped } from "./merge-schema.ts";

/**
 * `value` without the paths of `remove`. A container that loses everything becomes null, as upstream's library leaves it:
 * it still counts as there when owners are settled. {@link dropEmptied} takes such nulls out.
 */
export function* removeFields(
  value: JsonValue,
  schema: MergeSchema,
  remove: FieldSet,
  strides = new Strides(),
): Steps<JsonValue> {
  if (isEmptySet(remove)) return value;
  const shape = shapeFor(schema, value);
  if (shape.kind === "scalar") return value;
  if (shape.kind === "map") {
    if (shape.atomic || !isJsonObject(value) || isEmptyMap(value)) return null;
    const rests = new Map<string, JsonValue | undefined>();
    for (const [element, below] of remove.children) {
      const key = element.startsWith("f:") ? element.slice(2) : undefined;
      const held = key === undefined ? undefined : member(value, key);
      if (strides.isDue()) yield;
      if (key === undefined || held === undefined) continue;
      const rest = below.member
        ? undefined
        : yield* removeFields(held, memberSchema(shape, key) ?? untyped, below, strides);
      if (rest !== held) rests.set(key, rest);
    }
    if (rests.size === 0) return value;
    const copy = yield* withRests(value, rests, strides);
    return Object.keys(copy).length === 0 ? null : copy;
  }
  if (shape.mode === "atomic" || !Array.isArray(value) || value.length === 0) return null;
  const kept: JsonValue[] = [];
  for (const item of value as readonly JsonValue[]) {
    const below = remove.children.get(elementOf(shape, item) ?? "") ?? emptySet;
    if (!below.member) kept.push(yield* removeFields(item, shape.items(), below, strides));
    if (strides.isDue(4)) yield;
  }
  if (kept.length === value.length && kept.every((item, i) => item === value[i])) return value;
  return kept.length === 0 ? null : kept;
}

/** The object with other values of some members, or without them. It is made anew: to delete many members takes longer. */
function* withRests(
  value: JsonObject,
  rests: ReadonlyMap<string, JsonValue | undefined>,
  strides: Strides,
): Steps<JsonObject> {
  const copy: Record<string, JsonValue | undefined> = {};
  for (const key of knownKeys(value)) {
    const held = rests.has(key) ? rests.get(key) : value[key];
    if (held !== undefined) setMember(copy, key, held);
    if (strides.isDue()) yield;
  }
  return copy;
}

/** `after` without the nulls that stand where `before` had something; items of lists are found by their keys. */
export function* dropEmptied(
  before: Maybe,
  after: JsonValue,
  schema: MergeSchema,
  strides = new Strides(),
): Steps<Maybe> {
  if (before === after || before === undefined) return after;
  if (after === null) return before === null ? null : undefined;
  const shape = shapeFor(schema, after);
  if (shape.kind === "map" && !shape.atomic && isJsonObject(after) && isJsonObject(before)) {
    let copy: Record<string, JsonValue | undefined> | undefined;
    for (const key of knownKeys(after)) {
      const held = after[key];
      if (strides.isDue()) yield;
      if (held === undefined || held === before[key]) continue;
      const rest = yield* dropEmptied(member(before, key), held, memberSchema(shape, key) ?? untyped, strides);
      if (rest === held) continue;
      copy ??= { ...after };
      if (rest === undefined) delete copy[key];
      else setMember(copy, key, rest);
    }
    return copy ?? after;
  }
  if (shape.kind !== "list" || shape.mode === "atomic" || !Array.isArray(after)) return after;
  const twins = yield* grouped(shape, before, strides);
  const kept: JsonValue[] = [];
  for (const item of after as readonly JsonValue[]) {
    if (strides.isDue(4)) yield;
    if (item === null) continue;
    const twin = twins.get(elementOf(shape, item) ?? "")?.[0];
    const rest = yield* dropEmptied(twin, item, shape.items(), strides);
    if (rest !== undefined) kept.push(rest);
  }
  return kept;
}
