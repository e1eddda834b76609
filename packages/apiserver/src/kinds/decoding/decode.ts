import { isJsonObject, member, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { keepAddedKeys, knownKeys } from "@purser/kubernetes/known-keys";
import { allSteps, sortedInSteps, type Steps, Strides } from "@purser/kubernetes/steps";
import { compareBytes, setMember } from "@purser/kubernetes/text/members";
import { roomForPaths } from "@purser/kubernetes/text/problem";
import type { Decoded, DecodedFrom } from "../built-in-kind.ts";
import { readScalar } from "./decode-scalar.ts";
import { Misfit, misfit, problemOf, type Walk } from "./decode-walk.ts";
import { noteEmptied } from "../emptied.ts";
import { embeddingOf } from "../fields/embedded-structs.ts";
import { type Field, fieldsOf, type FieldType, isSchemaName, type SchemaName } from "../fields/field-table.ts";
import { namedGoType } from "../fields/go-types.ts";
import { isZero, zeroOf } from "./zero-values.ts";

const noNumbers: ReadonlyMap<string, string> = new Map();

/**
 * Decodes a body as Go's typed decoder does: unknown members are dropped and reported, nulls and empty optional values
 * dropped, required ones written with their zero value, times and quantities in canonical form, fields in declaration
 * order. `struct` is a name of the field table. `numbers`: source text of numbers by path, where it matters.
 */
export function decodeAs(
  struct: string,
  object: JsonObject,
  source: DecodedFrom = "json",
  numbers: ReadonlyMap<string, string> = noNumbers,
): Decoded {
  return allSteps(decodeInSteps(struct, object, source, numbers));
}

/** As {@link decodeAs}, with pauses. */
export function* decodeInSteps(
  struct: string,
  object: JsonObject,
  source: DecodedFrom = "json",
  numbers: ReadonlyMap<string, string> = noNumbers,
): Steps<Decoded> {
  const walk: Walk = {
    strides: new Strides(),
    unknown: [],
    room: roomForPaths,
    source,
    misfits: [],
    refusals: [],
    at: "",
    owner: struct,
    names: [],
    goName: undefined,
    numbers,
  };
  try {
    const value = yield* readStruct(struct, object, "", walk);
    return {
      value,
      unknown: walk.unknown,
      ...problemOf(walk, object),
    };
  } catch (error) {
    if (error instanceof Misfit) return { value: object, unknown: walk.unknown, problem: error.message };
    throw error;
  }
}

function* readStruct(name: string, object: JsonObject, path: string, walk: Walk): Steps<JsonObject> {
  const out: Record<string, JsonValue> = {};
  let emptied: string[] | undefined;
  let matched = 0;
  const outer = walk.owner;
  for (const reading of readingsFor(name, object)) {
    const { field } = reading;
    const given = member(object, field.name);
    if (given === undefined) {
      if (reading.zero !== undefined) out[field.name] = reading.zero;
      continue;
    }
    matched++;
    walk.owner = name;
    const depth = walk.names.length;
    walk.names.push(...reading.names);
    walk.goName = reading.goName;
    const place = path === "" ? field.name : `${path}.${field.name}`;
    const value = isSingle(field.type)
      ? readField(field, given, place, walk)
      : yield* readLarge(field, given, place, walk);
    walk.names.length = depth;
    if (value !== undefined) out[field.name] = value;
    else if (walk.source !== "storage" && isEmptyList(field.type, given)) (emptied ??= []).push(field.name);
  }
  if (emptied !== undefined) noteEmptied(out, emptied);
  walk.owner = outer;
  if (matched < countMembers(object)) yield* reportUnknown(fieldsOf(name), object, path, walk);
  if (walk.strides.isDue(matched)) yield;
  return out;
}

/** What reading a field needs to know of it: a schema has forty fields, of which most nodes give two or three. */
interface Reading {
  readonly field: Field;
  /** Its place in the order of declaration. */
  readonly order: number;
  /** What stands in the place of an absent one; undefined where nothing does. */
  readonly zero: JsonValue | undefined;
  /** Embedded structs on the way to it, and its own name. */
  readonly names: readonly string[];
  readonly goName: string | undefined;
}

interface Readings {
  readonly all: readonly Reading[];
  readonly byName: ReadonlyMap<string, Reading>;
  /** Some fields are written although they are absent. */
  readonly hasZeros: boolean;
}

const readings = new Map<string, Readings>();

function readingsOf(name: string): Readings {
  const known = readings.get(name);
  if (known !== undefined) return known;
  const all = fieldsOf(name).map((field, order) => ({
    field,
    order,
    zero: field.always ? zeroOf(field.type) : undefined,
    names: [...embeddingOf(name, field.name), field.name],
    goName: namedGoType(name, field.name),
  }));
  const made = {
    all,
    byName: new Map(all.map((reading) => [reading.field.name, reading])),
    hasZeros: all.some(({ zero }) => zero !== undefined),
  };
  readings.set(name, made);
  return made;
}

/** What is read of an object, in the order of declaration: of few members only those are looked for. */
function readingsFor(name: string, object: JsonObject): readonly Reading[] {
  const { all, byName, hasZeros } = readingsOf(name);
  const keys = knownKeys(object);
  if (hasZeros || keys.length * 2 > all.length) return all;
  const found: Reading[] = [];
  for (const key of keys) {
    const reading = byName.get(key);
    if (reading !== undefined) found.push(reading);
  }
  return found.sort((a, b) => a.order - b.order);
}

function isEmptyList({ kind }: FieldType, given: JsonValue | undefined): boolean {
  if (kind === "list") return Array.isArray(given);
  return kind === "map" && isJsonObject(given);
}

function countMembers(object: JsonObject): number {
  let count = 0;
  for (const key of Object.keys(object)) if (object[key] !== undefined) count++;
  return count;
}

function* reportUnknown(fields: readonly Field[], object: JsonObject, path: string, walk: Walk): Steps<void> {
  const known = new Set(fields.map((field) => field.name));
  for (const key of Object.keys(object)) {
    if (known.has(key) || object[key] === undefined || walk.room < 0) continue;
    const found = path === "" ? key : `${path}.${key}`;
    walk.room -= found.length;
    walk.unknown.push(found);
    if (walk.strides.isDue()) yield;
  }
}

/** A field whose type has no parts. */
function readField({ type, always }: Field, given: JsonValue, path: string, walk: Walk): JsonValue | undefined {
  if (given === null) return always ? zeroOf(type) : undefined;
  const value = readSingle(type, given, path, walk);
  if (!isZero(type, value)) return value;
  return always ? zeroOf(type) : undefined;
}

/** A field whose value may have any number of parts. */
function* readLarge(field: Field, given: JsonValue, path: string, walk: Walk): Steps<JsonValue | undefined> {
  const { type, always } = field;
  if (given === null) return always ? zeroOf(type) : undefined;
  const isWholeSchema = field.name === "openAPIV3Schema";
  const value = yield* (isWholeSchema ? readWholeSchema : readValue)(type, given, path, walk);
  // To count the keys of a large map costs as much as to read it.
  const isSetMap = type.kind === "map" && isJsonObject(value) && value !== emptyMap;
  if (isSetMap || !isZero(type, value)) return value;
  // Until it is stored, an empty list differs from an absent one; fields without omitempty keep it.
  const isKept = walk.source !== "storage" && (type.kind === "list" || type.kind === "map");
  // An empty managedFields list is kept: it clears all field ownership.
  if (isKept && (always || field.name === "managedFields")) return value;
  return always ? zeroOf(type) : undefined;
}

/** Whether values of the type have no parts that are read one by one. */
function isSingle(type: FieldType): boolean {
  if (type.kind === "pointer") return isSingle(type.of);
  return type.kind === "scalar" && !isSchemaName(type.name);
}

function readSingle(type: FieldType, given: JsonValue, path: string, walk: Walk): JsonValue {
  walk.at = path;
  if (type.kind === "pointer") return readSingle(type.of, given, path, walk);
  return type.kind === "scalar" && !isSchemaName(type.name) ? readScalar(type.name, given, path, walk) : given;
}

function* readValue(type: FieldType, given: JsonValue, path: string, walk: Walk): Steps<JsonValue> {
  walk.at = path;
  switch (type.kind) {
    case "pointer":
      return yield* readValue(type.of, given, path, walk);
    case "struct":
      if (!isJsonObject(given)) return misfit(walk, given, type);
      return yield* readStruct(type.name, given, path, walk);
    case "list": {
      if (!Array.isArray(given)) return misfit(walk, given, type);
      const items = given as readonly JsonValue[];
      const elementName = elementGoName(walk.goName);
      const isOfSingles = isSingle(type.of);
      const out: JsonValue[] = [];
      for (const [index, item] of items.entries()) {
        walk.goName = elementName;
        const place = `${path}[${index}]`;
        if (item === null) out.push(zeroOf(type.of));
        else
          out.push(isOfSingles ? readSingle(type.of, item, place, walk) : yield* readValue(type.of, item, place, walk));
        if (walk.strides.isDue()) yield;
      }
      return out;
    }
    case "map":
      return yield* readMap(type.of, given, path, walk);
    case "scalar":
      return isSchemaName(type.name)
        ? yield* readSchemaForm(type.name, given, path, walk)
        : readScalar(type.name, given, path, walk);
  }
}

/** What any map without entries is read as. */
const emptyMap: JsonObject = Object.freeze({});

function* readMap(of: FieldType, given: JsonValue, path: string, walk: Walk): Steps<JsonValue> {
  if (!isJsonObject(given)) return misfit(walk, given, { kind: "map", of });
  const out: Record<string, JsonValue> = {};
  const isOfSingles = isSingle(of);
  const keys: string[] = [];
  const elementName = elementGoName(walk.goName);
  // Go's encoder sorts map keys.
  for (const key of yield* sortedInSteps(knownKeys(given), compareBytes)) {
    const item = given[key];
    if (item === undefined) continue;
    keys.push(key);
    walk.goName = elementName;
    const place = `${path}.${key}`;
    if (item === null) setMember(out, key, of.kind === "scalar" && of.name === "bytes" ? "" : zeroOf(of));
    else setMember(out, key, isOfSingles ? readSingle(of, item, place, walk) : yield* readValue(of, item, place, walk));
    if (walk.strides.isDue()) yield;
  }
  if (keys.length === 0) return emptyMap;
  keepAddedKeys(out, keys);
  return out;
}

/** The element type of `[]v1.IPFamily` or `map[string]v1.ExtraValue`; undefined for named types. */
function elementGoName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : /^(?:\[\]|map\[[^\]]*\])(.+)$/.exec(name)?.[1];
}

/** A JSON schema, or the list or boolean that some keywords allow instead. */
function* readSchemaForm(name: SchemaName, given: JsonValue, path: string, walk: Walk): Steps<JsonValue> {
  if (name === "schemaOrBool") return typeof given === "boolean" ? given : yield* readSchema(given, path, walk);
  if (!Array.isArray(given)) return yield* readSchema(given, path, walk);
  const out: JsonValue[] = [];
  for (const [index, item] of (given as readonly JsonValue[]).entries())
    out.push(typeof item === "string" ? item : yield* readSchema(item, `${path}[${index}]`, walk));
  return out;
}

/** Schemas of definitions as they were decoded: decoding one again would give the same, and most writes change no schema. */
const decodedSchemas = new WeakSet<object>();

/** The schema of one version of a definition; itself when it was decoded before. */
function* readWholeSchema(type: FieldType, given: JsonValue, path: string, walk: Walk): Steps<JsonValue> {
  if (walk.source === "storage" || !isJsonObject(given)) return yield* readValue(type, given, path, walk);
  if (decodedSchemas.has(given)) return given;
  const problems = walk.misfits.length + walk.refusals.length;
  const read = yield* readValue(type, given, path, walk);
  if (isJsonObject(read) && walk.misfits.length + walk.refusals.length === problems) decodedSchemas.add(read);
  return read;
}

/** These types have their own UnmarshalJSON, which does not report unknown members. */
function* readSchema(given: JsonValue, path: string, walk: Walk): Steps<JsonValue> {
  if (!isJsonObject(given)) return misfit(walk, given, { kind: "struct", name: "JSONSchemaProps" });
  return yield* readStruct("JSONSchemaProps", given, path, { ...walk, unknown: [] });
}
