import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { setMember } from "../patches/json-edit.ts";
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
export function prune(
  value: JsonValue,
  schema: StructuralSchema,
  options: { readonly isResourceRoot?: boolean } = {},
): Pruned {
  const pruned: Dropped = { paths: [], room: roomForPaths };
  const root = options.isResourceRoot === true && !schema.embedded ? { ...schema, embedded: true } : schema;
  const kept = pruneNode(value, root, "", pruned);
  return { value: kept, pruned: pruned.paths.toSorted() };
}

interface Dropped {
  readonly paths: string[];
  /** Remaining characters for paths. */
  room: number;
}

type Node = StructuralSchema | undefined;

function pruneNode(value: JsonValue, schema: Node, path: string, pruned: Dropped): JsonValue {
  const open = schema?.preserveUnknown === true;
  if (Array.isArray(value)) return pruneList(value, schema, open, path, pruned);
  if (!isJsonObject(value)) return value;
  let copy: Record<string, JsonValue | undefined> | undefined;
  for (const key of Object.keys(value)) {
    const held = member(value, key);
    if (held === undefined || (schema?.embedded === true && envelope.has(key))) continue;
    const place = path === "" ? key : `${path}.${key}`;
    const rule = fieldOf(schema, key);
    if (rule === "unknown") {
      if (open) continue;
      if (!envelope.has(key) || path !== "") note(pruned, place);
      copy ??= { ...value };
      delete copy[key];
      continue;
    }
    const next = pruneNode(held, rule, place, pruned);
    if (next === held) continue;
    copy ??= { ...value };
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

function pruneList(list: readonly JsonValue[], schema: Node, open: boolean, path: string, pruned: Dropped): JsonValue {
  const items = schema?.items;
  if (open && items === undefined) return list;
  let copy: JsonValue[] | undefined;
  for (const [index, item] of list.entries()) {
    const next = pruneNode(
      item,
      open && items !== undefined ? { ...items, preserveUnknown: true } : items,
      `${path}[${index}]`,
      pruned,
    );
    if (next !== item) (copy ??= [...list])[index] = next;
  }
  return copy ?? list;
}
