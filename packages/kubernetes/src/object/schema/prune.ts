import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { knownKeys } from "../../known-keys.ts";
import { allSteps, sortedInSteps, type Steps, Strides } from "../../steps.ts";
import { copyInSteps, setMember } from "../patches/json-edit.ts";
import { roomForPaths } from "../../text/problem.ts";
import type { StructuralSchema } from "./schema-node.ts";

export interface Pruned {
  /** `value` itself when nothing was dropped. */
  readonly value: JsonValue;
  /** Sorted paths, as in the warning `unknown field "spec.a[0].b"`. */
  readonly pruned: readonly string[];
}

const envelope = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Drops fields that the schema does not declare. At the root of a resource, and of embedded ones, `apiVersion`, `kind`
 * and `metadata` are kept: ObjectMeta is decoded separately.
 */
export function prune(value: JsonValue, schema: StructuralSchema, options: PruneOptions = {}): Pruned {
  return allSteps(pruneInSteps(value, schema, options));
}

interface PruneOptions {
  readonly isResourceRoot?: boolean;
}

/** As {@link prune}, with pauses. */
export function* pruneInSteps(value: JsonValue, schema: StructuralSchema, options: PruneOptions = {}): Steps<Pruned> {
  const pruned: Dropped = { paths: [], room: roomForPaths, strides: new Strides() };
  const root = options.isResourceRoot === true && !schema.embedded ? { ...schema, embedded: true } : schema;
  const kept = yield* pruneNode(value, root, "", pruned);
  return { value: kept, pruned: yield* sortedInSteps(pruned.paths, byCodeUnits) };
}

interface Dropped {
  readonly paths: string[];
  /** Remaining characters for paths. */
  room: number;
  readonly strides: Strides;
}

function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

type Node = StructuralSchema | undefined;

function* pruneNode(value: JsonValue, schema: Node, path: string, pruned: Dropped): Steps<JsonValue> {
  const open = schema?.preserveUnknown === true;
  if (Array.isArray(value)) return yield* pruneList(value, schema, open, path, pruned);
  if (!isJsonObject(value)) return value;
  let copy: Record<string, JsonValue | undefined> | undefined;
  for (const key of knownKeys(value)) {
    if (pruned.strides.isDue()) yield;
    const held = member(value, key);
    if (held === undefined || (schema?.embedded === true && envelope.has(key))) continue;
    const place = path === "" ? key : `${path}.${key}`;
    const rule = fieldOf(schema, key);
    if (rule === "unknown") {
      if (open) continue;
      if (!envelope.has(key) || path !== "") note(pruned, place);
      copy ??= yield* copyInSteps(value, pruned.strides);
      delete copy[key];
      continue;
    }
    if (typeof held !== "object") continue;
    const next = yield* pruneNode(held, rule, place, pruned);
    if (next === held) continue;
    copy ??= yield* copyInSteps(value, pruned.strides);
    setMember(copy, key, next);
  }
  return copy === undefined ? value : (copy satisfies JsonObject);
}

function note(pruned: Dropped, path: string): void {
  if (pruned.room < 0) return;
  pruned.room -= path.length;
  pruned.paths.push(path);
}

/** The schema for pruning a member; below `additionalProperties: true` nothing is declared. */
function fieldOf(schema: Node, key: string): Node | "unknown" {
  const property = schema?.properties.get(key);
  if (property !== undefined) return property;
  if (schema?.additional === undefined || schema.additional === false) return "unknown";
  return schema.additional === true ? undefined : schema.additional;
}

function* pruneList(
  list: readonly JsonValue[],
  schema: Node,
  open: boolean,
  path: string,
  pruned: Dropped,
): Steps<JsonValue> {
  const items = schema?.items;
  if (open && items === undefined) return list;
  let copy: JsonValue[] | undefined;
  for (const [index, item] of list.entries()) {
    if (pruned.strides.isDue()) yield;
    if (typeof item !== "object") continue;
    const next = yield* pruneNode(
      item,
      open && items !== undefined ? { ...items, preserveUnknown: true } : items,
      `${path}[${index}]`,
      pruned,
    );
    if (next !== item) (copy ??= [...list])[index] = next;
  }
  return copy ?? list;
}
