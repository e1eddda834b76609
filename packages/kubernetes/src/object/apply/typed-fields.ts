import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { Strides, type Steps } from "../../steps.ts";
import { knownKeys } from "../../known-keys.ts";
import { fieldElement, type FieldSet, FieldSetBuilder } from "./field-set.ts";
import { elementOf, isEmptyMap } from "./list-elements.ts";
import { type ListMerge, memberSchema, type MergeSchema, shapeFor, untyped } from "./merge-schema.ts";

/** The paths a value sets: what an applier owns by applying it. */
export function* fieldsInSteps(value: JsonValue, schema: MergeSchema): Steps<FieldSet> {
  const builder = new FieldSetBuilder();
  yield* collect(value, schema, [], builder, new Strides());
  return builder.build();
}

function* collect(
  value: JsonValue,
  schema: MergeSchema,
  path: string[],
  into: FieldSetBuilder,
  strides: Strides,
): Steps<void> {
  const shape = shapeFor(schema, value);
  if (shape.kind === "scalar" || (shape.kind === "list" ? shape.mode === "atomic" : shape.atomic)) {
    into.add(path);
  } else if (shape.kind === "map") {
    if (!isJsonObject(value)) return;
    for (const key of knownKeys(value)) {
      const held = value[key];
      if (held === undefined) continue;
      path.push(fieldElement(key));
      const below = memberSchema(shape, key) ?? untyped;
      if (below.kind === "scalar") into.add(path);
      else yield* collect(held, below, path, into, strides);
      if (strides.isDue()) yield;
      if (held === null || (isJsonObject(held) && isEmptyMap(held)) || !shape.fields.has(key)) into.add(path);
      path.pop();
    }
  } else if (Array.isArray(value)) yield* collectItems(value, shape, path, into, strides);
}

function* collectItems(
  list: readonly JsonValue[],
  shape: ListMerge,
  path: string[],
  into: FieldSetBuilder,
  strides: Strides,
): Steps<void> {
  const counts = new Map<string, number>();
  for (const item of list) {
    const element = elementOf(shape, item);
    if (element !== undefined) counts.set(element, (counts.get(element) ?? 0) + 1);
    if (strides.isDue(2)) yield;
  }
  for (const item of list) {
    const element = elementOf(shape, item);
    if (element === undefined) continue;
    path.push(element);
    into.add(path);
    // Items with the same key are owned together: their fields cannot be attributed to one of them.
    if (counts.get(element) === 1) yield* collect(item, shape.items(), path, into, strides);
    path.pop();
    if (strides.isDue(4)) yield;
  }
}

/** Adds to a set the declared fields through which its paths lead: only so can a prune take whole structs. */
export function* withNamedFields(set: FieldSet, schema: MergeSchema, strides = new Strides()): Steps<FieldSet> {
  if (set.children.size === 0) return set;
  const children = new Map<string, FieldSet>();
  const shape = schema.kind === "untyped" ? undefined : schema;
  for (const [element, child] of set.children) {
    const name = element.startsWith("f:") ? element.slice(2) : undefined;
    const declared = name !== undefined && shape?.kind === "map" && shape.fields.has(name);
    const below =
      name !== undefined && shape?.kind === "map"
        ? memberSchema(shape, name)
        : shape?.kind === "list"
          ? shape.items()
          : undefined;
    const full = child.children.size === 0 ? child : yield* withNamedFields(child, below ?? untyped, strides);
    if (strides.isDue()) yield;
    const through = declared && child.children.size > 0 && !full.member;
    children.set(element, through ? { member: true, children: full.children } : full);
  }
  return { member: set.member, children };
}

/** What an empty object of a built-in kind already holds: fields that the server's model never leaves out. */
export function skeletonOf(schema: MergeSchema): JsonObject {
  const object: Record<string, JsonValue | undefined> = {};
  if (schema.kind !== "map") return object;
  for (const [name, field] of schema.fields) {
    if (field.always !== true) continue;
    const below = field.schema();
    object[name] = below.kind === "map" && !below.atomic ? skeletonOf(below) : null;
  }
  return object;
}
