import { type JsonObject, member } from "../../json.ts";
import { Strides, type Steps } from "../../steps.ts";
import { knownKeys } from "../../known-keys.ts";
import { deepEqual, deepEqualInSteps } from "../semantic-equal.ts";
import { fieldElement, type FieldSet, FieldSetBuilder } from "./field-set.ts";
import { grouped, isEmptyList, isEmptyMap, type Maybe, membersOf } from "./list-elements.ts";
import { type ListMerge, type MapMerge, memberSchema, type MergeSchema, shapeFor, untyped } from "./merge-schema.ts";

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
  yield* compareValues(before, after, schema, [], changes);
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
  if (before === after) return;
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
