import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { goJson, htmlSafeJson, nativeOrder, nativeText, setMember } from "@purser/kubernetes/text/documents";
import type { Steps } from "@purser/kubernetes/steps";
import { type ApiType, fieldsOf, parseType } from "./struct-table.ts";

/**
 * The text that Go's encoding/json writes for a value read with `readTyped`: members of structs in declared order, keys
 * of maps sorted, compact, with `<`, `>` and `&` escaped; no final newline.
 * @param type in the notation of the struct table, such as `[]PolicyRule`
 */
export function writeTyped(type: string, value: JsonValue): string {
  const parsed = parseType(type);
  // V8's encoder is several times as fast as one call for each member.
  const form = inOrder(parsed, value);
  const text = form === undefined ? undefined : nativeText(form, "");
  return text === undefined ? write(parsed, value) : htmlSafeJson(text);
}

/** So many items of a list are written between two pauses: some milliseconds for rules and the like. */
const itemsPerStep = 1024;

/** {@link writeTyped} of a list of such values, with pauses. */
export function* writeListInSteps(of: string, items: readonly JsonValue[]): Steps<string> {
  const pieces: string[] = [];
  for (let from = 0; from < items.length; from += itemsPerStep) {
    if (from > 0) yield;
    pieces.push(writeTyped(`[]${of}`, items.slice(from, from + itemsPerStep)).slice(1, -1));
  }
  return `[${pieces.join(",")}]`;
}

/** The value with its members in the order in which Go writes them; undefined when an object cannot have that order. */
function inOrder(type: ApiType, value: JsonValue): JsonValue | undefined {
  if (typeof value === "string") return value;
  switch (type.kind) {
    case "pointer":
      return inOrder(type.to, value);
    case "list":
      return Array.isArray(value) ? listInOrder(type.of, value) : nativeOrder(value);
    case "map":
      return isJsonObject(value) ? mapInOrder(type.of, value) : nativeOrder(value);
    case "struct":
      return isJsonObject(value) ? structInOrder(type.name, value) : nativeOrder(value);
    case "scalar":
      return isSchema(type.scalar, value) ? structInOrder("ext.JSONSchemaProps", value) : nativeOrder(value);
  }
}

function listInOrder(of: ApiType, items: readonly JsonValue[]): JsonValue | undefined {
  const copy: JsonValue[] = [];
  for (const item of items) {
    const form = inOrder(of, item);
    if (form === undefined) return undefined;
    copy.push(form);
  }
  return copy;
}

function mapInOrder(of: ApiType, value: JsonObject): JsonValue | undefined {
  const keys = Object.keys(value).toSorted();
  const copy = membersInOrder(value, keys, () => of);
  // Integer-like keys always come first in JavaScript objects.
  return copy !== undefined && Object.keys(copy).every((key, index) => key === keys[index]) ? copy : undefined;
}

function structInOrder(name: string, value: JsonObject): JsonObject | undefined {
  const fields = fieldTable(name);
  const keys = Object.keys(value).filter((key) => fields.has(key) && value[key] !== undefined);
  keys.sort((one, other) => (fields.get(one)?.at ?? 0) - (fields.get(other)?.at ?? 0));
  return membersInOrder(value, keys, (key) => fields.get(key)?.type);
}

function membersInOrder(
  value: JsonObject,
  keys: readonly string[],
  typeOf: (key: string) => ApiType | undefined,
): JsonObject | undefined {
  const copy: Record<string, JsonValue> = {};
  for (const key of keys) {
    const type = typeOf(key);
    const form = type === undefined ? undefined : inOrder(type, value[key] ?? null);
    if (form === undefined) return undefined;
    setMember(copy, key, form);
  }
  return copy;
}

const tables = new Map<string, ReadonlyMap<string, { readonly at: number; readonly type: ApiType }>>();

/** Fields of a struct by name, with their places in the declared order. */
function fieldTable(struct: string): ReadonlyMap<string, { readonly at: number; readonly type: ApiType }> {
  const known = tables.get(struct);
  if (known !== undefined) return known;
  const table = new Map(fieldsOf(struct).map(({ name, type }, at) => [name, { at, type }]));
  tables.set(struct, table);
  return table;
}

function isSchema(scalar: string, value: JsonValue): value is JsonObject {
  return scalar.startsWith("schemaOr") && isJsonObject(value);
}

function write(type: ApiType, value: JsonValue): string {
  switch (type.kind) {
    case "pointer":
      return write(type.to, value);
    case "list":
      return Array.isArray(value)
        ? `[${value.map((item: JsonValue) => write(type.of, item)).join(",")}]`
        : goJson(value);
    case "map":
      return isJsonObject(value) ? writeMembers(value, Object.keys(value).toSorted(), () => type.of) : goJson(value);
    case "struct":
      return isJsonObject(value) ? writeStruct(type.name, value) : goJson(value);
    case "scalar":
      return isSchema(type.scalar, value) ? writeStruct("ext.JSONSchemaProps", value) : goJson(value);
  }
}

function writeStruct(name: string, value: JsonObject): string {
  const fields = fieldTable(name);
  const present = [...fields.keys()].filter((key) => member(value, key) !== undefined);
  return writeMembers(value, present, (key) => fields.get(key)?.type);
}

function writeMembers(
  value: JsonObject,
  keys: readonly string[],
  typeOf: (key: string) => ApiType | undefined,
): string {
  const members = keys.map((key) => {
    const held = member(value, key) ?? null;
    const type = typeOf(key);
    return `${goJson(key)}:${type === undefined ? goJson(held) : write(type, held)}`;
  });
  return `{${members.join(",")}}`;
}
