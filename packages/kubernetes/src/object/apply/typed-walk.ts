import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { Strides, type Steps } from "../../steps.ts";
import { knownKeys } from "../../known-keys.ts";
import { deepEqual, deepEqualInSteps } from "../semantic-equal.ts";
import {
  emptySet,
  fieldElement,
  type FieldSet,
  FieldSetBuilder,
  isEmptySet,
  keyElement,
  valueElement,
} from "./field-set.ts";
import { setMember } from "../patches/json-edit.ts";
import { type ListMerge, type MapMerge, memberSchema, type MergeSchema, shapeFor, untyped } from "./merge-schema.ts";

type Maybe = JsonValue | undefined;

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

function elementOf(list: ListMerge, item: JsonValue): string | undefined {
  const found = itemElement(list, item);
  return "element" in found ? found.element : undefined;
}

function membersOf(value: Maybe): JsonObject {
  return isJsonObject(value) ? value : {};
}

function* keysOf(a: JsonObject, b: JsonObject, strides: Strides): Steps<readonly string[]> {
  const keys: string[] = [];
  for (const key of knownKeys(a)) {
    if (member(a, key) !== undefined) keys.push(key);
    if (strides.isDue()) yield;
  }
  for (const key of knownKeys(b)) {
    if (member(a, key) === undefined && member(b, key) !== undefined) keys.push(key);
    if (strides.isDue()) yield;
  }
  return keys;
}

function isEmptyMap(value: Maybe): boolean {
  return !isJsonObject(value) || knownKeys(value).length === 0;
}

function isEmptyList(value: Maybe): boolean {
  return !Array.isArray(value) || value.length === 0;
}

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

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

interface Changes {
  readonly strides: Strides;
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
}

/** What changes from `before` to `after`; new and vanished containers are listed with their contents. */
export function* compareTyped(before: Maybe, after: Maybe, schema: MergeSchema): Steps<Comparison> {
  const changes: Changes = {
    strides: new Strides(),
    added: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
    removed: new FieldSetBuilder(),
  };
  if (before !== after) yield* compareValues(before, after, schema, [], changes);
  yield;
  return { added: changes.added.build(), modified: changes.modified.build(), removed: changes.removed.build() };
}

function* compareValues(
  before: Maybe,
  after: Maybe,
  schema: MergeSchema,
  path: string[],
  changes: Changes,
): Steps<void> {
  if (before === after || (before === undefined && after === undefined)) return;
  const rightShape = after === undefined ? undefined : shapeFor(schema, after);
  const leftShape = before === undefined ? undefined : shapeFor(schema, before);
  const shapes =
    leftShape === undefined || rightShape === undefined || leftShape.kind === rightShape.kind
      ? [rightShape ?? leftShape]
      : [leftShape, rightShape];
  let isLeaf = false;
  for (const shape of shapes) {
    if (shape !== undefined && (yield* compareAs(shape, before, after, path, changes))) isLeaf = true;
  }
  if (isLeaf) return;
  if (before === undefined) changes.added.add(path);
  else if (after === undefined) changes.removed.add(path);
}

/** Whether the value was compared as one leaf. */
function* compareAs(
  shape: MapMerge | ListMerge | { readonly kind: "scalar" },
  before: Maybe,
  after: Maybe,
  path: string[],
  changes: Changes,
): Steps<boolean> {
  const whole =
    shape.kind === "scalar" ||
    (shape.kind === "map"
      ? shape.atomic || (isEmptyMap(before) && isEmptyMap(after))
      : shape.mode === "atomic" || (isEmptyList(before) && isEmptyList(after)));
  if (whole) {
    yield* compareLeaf(before, after, path, changes);
    return true;
  }
  if (shape.kind === "map") {
    const left = membersOf(before);
    const right = membersOf(after);
    for (const key of yield* keysOf(left, right, changes.strides)) {
      const [from, to] = [member(left, key), member(right, key)];
      if (changes.strides.isDue()) yield;
      if (from === to) continue;
      path.push(fieldElement(key));
      const below = memberSchema(shape, key) ?? untyped;
      if (below.kind === "scalar") yield* compareLeaf(from, to, path, changes);
      else yield* compareValues(from, to, below, path, changes);
      path.pop();
    }
  } else if (shape.kind === "list") yield* compareItems(shape, before, after, path, changes);
  return false;
}

function* compareLeaf(before: Maybe, after: Maybe, path: readonly string[], changes: Changes): Steps<void> {
  if (before === undefined) changes.added.add(path);
  else if (after === undefined) changes.removed.add(path);
  else if (!(yield* deepEqualInSteps(before, after, changes.strides))) changes.modified.add(path);
}

function* grouped(list: ListMerge, value: Maybe, strides: Strides): Steps<ReadonlyMap<string, readonly JsonValue[]>> {
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

function* keysOfBoth<Value>(left: ReadonlyMap<string, Value>, right: ReadonlyMap<string, Value>): Iterable<string> {
  yield* left.keys();
  for (const key of right.keys()) if (!left.has(key)) yield key;
}

function* compareItems(list: ListMerge, before: Maybe, after: Maybe, path: string[], changes: Changes): Steps<void> {
  const left = yield* grouped(list, before, changes.strides);
  const right = yield* grouped(list, after, changes.strides);
  for (const element of keysOfBoth(left, right)) {
    const [leftItem, ...moreLeft] = left.get(element) ?? [];
    const [rightItem, ...moreRight] = right.get(element) ?? [];
    path.push(element);
    if (moreLeft.length > 0 && moreRight.length > 0) {
      if (!deepEqual([leftItem ?? null, ...moreLeft], [rightItem ?? null, ...moreRight])) changes.modified.add(path);
    } else if (moreLeft.length > 0) {
      if (rightItem !== undefined) yield* compareValues(undefined, rightItem, list.items(), path, changes);
      changes.removed.add(path);
    } else if (moreRight.length > 0) {
      if (leftItem !== undefined) yield* compareValues(leftItem, undefined, list.items(), path, changes);
      changes.added.add(path);
    } else yield* compareValues(leftItem, rightItem, list.items(), path, changes);
    path.pop();
    if (changes.strides.isDue(4)) yield;
  }
}

/** `live` with `config` merged in: config wins, lists keep live-only items. */
export function* mergeTyped(live: Maybe, config: Maybe, schema: MergeSchema, strides = new Strides()): Steps<Maybe> {
  if (config === undefined || live === config) return live ?? config;
  if (live === undefined) return config;
  const shape = shapeFor(schema, config);
  if (shape.kind === "map" && !shape.atomic) {
    if (isEmptyMap(live) && isEmptyMap(config)) return config;
    return yield* mergeMaps(membersOf(live), membersOf(config), shape, strides);
  }
  if (shape.kind === "list" && shape.mode !== "atomic") {
    if (isEmptyList(live) && isEmptyList(config)) return config;
    return yield* mergeLists(Array.isArray(live) ? live : [], Array.isArray(config) ? config : [], shape, strides);
  }
  return (yield* deepEqualInSteps(live, config, strides)) ? live : config;
}

function* mergeMaps(live: JsonObject, config: JsonObject, shape: MapMerge, strides: Strides): Steps<JsonObject> {
  let copy: Record<string, JsonValue | undefined> | undefined;
  for (const key of knownKeys(config)) {
    const wanted = config[key];
    if (strides.isDue()) yield;
    if (wanted === undefined) continue;
    const held = member(live, key);
    const merged =
      held === undefined ? wanted : yield* mergeTyped(held, wanted, memberSchema(shape, key) ?? untyped, strides);
    if (merged === held || merged === undefined) continue;
    setMember((copy ??= { ...live }), key, merged);
  }
  return copy ?? live;
}

/** Shared items follow the config's order; live-only items come before config-only items of the same gap. */
function* mergeLists(
  live: readonly JsonValue[],
  config: readonly JsonValue[],
  shape: ListMerge,
  strides: Strides,
): Steps<JsonValue> {
  const leftElements = yield* elementsOf(shape, live, strides);
  const rightElements = yield* elementsOf(shape, config, strides);
  const counts = new Map<string, number>();
  for (const element of leftElements) counts.set(element, (counts.get(element) ?? 0) + 1);
  const left = new Map(live.map((item, i) => [leftElements[i] ?? "", item] as const));
  const right = new Map(config.map((item, i) => [rightElements[i] ?? "", item] as const));
  const shared = rightElements.filter((element) => left.has(element));
  let nextShared = 0;
  const taken = new Set<string>();
  const out: JsonValue[] = [];
  const emit = function* (element: string, wanted: JsonValue): Steps<void> {
    taken.add(element);
    // A repeated live item has no single twin to merge with.
    const twin = counts.get(element) === 1 ? left.get(element) : undefined;
    const merged = yield* mergeTyped(twin, wanted, shape.items(), strides);
    if (merged !== undefined) out.push(merged);
    if (shared[nextShared] === element) nextShared++;
  };
  let l = 0;
  let r = 0;
  while (l < live.length || r < config.length) {
    if (strides.isDue(4)) yield;
    const leftElement = leftElements[l];
    const rightElement = rightElements[r];
    if (leftElement !== undefined && rightElement !== undefined) {
      if (leftElement === rightElement) {
        yield* emit(rightElement, config[r] ?? null);
        l++;
        r++;
        continue;
      }
      if (right.has(leftElement) && shared[nextShared] !== undefined && shared[nextShared] !== leftElement) {
        l++;
        continue;
      }
    }
    if (leftElement !== undefined) {
      if (!right.has(leftElement)) {
        out.push(live[l] ?? null);
        l++;
        continue;
      }
      if (taken.has(leftElement)) l++;
    }
    if (rightElement !== undefined) {
      yield* emit(rightElement, config[r] ?? null);
      r++;
    }
  }
  return out.length === live.length && out.every((item, i) => item === live[i]) ? live : out;
}

function* elementsOf(list: ListMerge, items: readonly JsonValue[], strides: Strides): Steps<readonly string[]> {
  const elements: string[] = [];
  for (const item of items) {
    elements.push(elementOf(list, item) ?? "");
    if (strides.isDue(2)) yield;
  }
  return elements;
}

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
