import { type JsonObject, type JsonValue, member } from "../../json.ts";
import { Strides, type Steps } from "../../steps.ts";
import { knownKeys } from "../../known-keys.ts";
import { deepEqualInSteps } from "../semantic-equal.ts";
import { setMember } from "../patches/json-edit.ts";
import { elementOf, isEmptyList, isEmptyMap, type Maybe, membersOf } from "./list-elements.ts";
import { type ListMerge, type MapMerge, memberSchema, type MergeSchema, shapeFor, untyped } from "./merge-schema.ts";

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
