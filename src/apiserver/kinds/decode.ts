import { formatMicroTime, formatTime } from "../../clock.ts";
import { digitsOf, isJsonObject, member, type JsonObject, type JsonValue } from "../../json.ts";
import { sortedKeys } from "../../text/members.ts";
import type { Decoded, DecodedFrom } from "./built-in-kind.ts";
import { firstInDocument } from "../request/document-order.ts";
import { noteEmptied } from "./emptied.ts";
import { embeddingOf } from "./fields/embedded-structs.ts";
import { fieldsOf, type Field, type FieldType, type ScalarName } from "./fields/field-table.ts";
import { namedGoType } from "./fields/go-types.ts";
import { canonicalQuantity } from "./quantity-text.ts";

/** Go's decoder gives up at the first value that does not fit; thrown and caught within this file. */
class Misfit extends Error {
  override readonly name = "Misfit";
}

interface Walk {
  readonly unknown: string[];
  readonly source: DecodedFrom;
  /** Values of another type, with their paths: Go's JSON decoder reads on and tells of the first in the end. */
  readonly misfits: (readonly [path: string, text: string])[];
  /** Values that their type reads itself and refuses: reading ends there, whatever else does not fit. */
  readonly refusals: (readonly [path: string, text: string])[];
  /** Path of the value being read, as findings name it. */
  at: string;
  /** Name of the struct whose field is being read, and the path of field names to it: what Go's errors cite. */
  owner: string;
  readonly names: string[];
  /** Go's name of the type being read, where the table of fields does not tell. */
  goName: string | undefined;
  /** Numbers by path that are written otherwise than integers are. */
  readonly numbers: ReadonlyMap<string, string>;
}

const noNumbers: ReadonlyMap<string, string> = new Map();

/**
 * Reads a body as the typed server does: unknown members dropped and reported, nulls and empty optional values
 * dropped, required ones written with their zero value, times and quantities in canonical form, fields in
 * declaration order. `struct` is a name of the field table. `numbers`: how numbers are written, by path, where it matters.
 */
export function decodeAs(
  struct: string,
  object: JsonObject,
  source: DecodedFrom = "json",
  numbers: ReadonlyMap<string, string> = noNumbers,
): Decoded {
  const walk: Walk = {
    unknown: [],
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
    const value = readStruct(struct, object, "", walk);
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

function problemOf({ refusals, misfits }: Walk, object: JsonObject): { readonly problem?: string } {
  const told = refusals.length > 0 ? refusals : misfits;
  return told.length === 0 ? {} : { problem: firstOf(told, object) };
}

function refuse(walk: Walk, text: string): null {
  if (walk.source === "unstructured") throw new Misfit(text);
  walk.refusals.push([walk.at, text]);
  return null;
}

/** The struct as Go names it; the table tells some of one name apart by their package. */
function ownerName({ owner }: Walk): string {
  return owner.slice(owner.lastIndexOf(".") + 1);
}

/** Says what does not fit. A reader of JSON text goes on, with nothing in the value's place. */
function misfit(walk: Walk, found: JsonValue, type: FieldType, wanted = walk.goName ?? goType(type)): JsonValue {
  if (walk.source === "unstructured") throw new Misfit(conversionFault(found, type, wanted));
  walk.misfits.push([walk.at, cannotUnmarshal(walk, jsonType(found), wanted)]);
  return zeroOf(type);
}

function cannotUnmarshal(walk: Walk, found: string, wanted: string): string {
  return `json: cannot unmarshal ${found} into Go struct field ${ownerName(walk)}.${walk.names.join(".")} of type ${wanted}`;
}

/** The one that stands first in the document. */
function firstOf(misfits: readonly (readonly [path: string, text: string])[], object: JsonObject): string {
  const first = misfits.length > 1 ? firstInDocument(object, new Set(misfits.map(([path]) => path))) : undefined;
  return (misfits.find(([path]) => path === first) ?? misfits[0])?.[1] ?? "";
}

function jsonType(value: JsonValue): string {
  if (digitsOf(value) !== undefined) return "number";
  return Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
}

function conversionFault(found: JsonValue, type: FieldType, wanted: string): string {
  const kind = Array.isArray(found) ? "slice" : isJsonObject(found) ? "map" : scalarType(found);
  switch (type.kind) {
    case "struct":
      return `cannot restore struct from: ${kind}`;
    case "list":
      return `cannot restore slice from ${kind}`;
    case "map":
      return `cannot restore map from ${kind}`;
    case "pointer":
    case "scalar": {
      if (wanted.startsWith("[]"))
        return kind === "slice" ? "unrecognized type: uint8" : `cannot restore slice from ${kind}`;
      const held = goType(type);
      const isConvertible =
        typeof found === "number" && (held === "string" ? Number.isInteger(found) : wanted.startsWith("int"));
      return isConvertible ? `cannot convert ${kind} to ${wanted}` : `unrecognized type: ${held}`;
    }
  }
}

function scalarType(value: JsonValue): string {
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}

function readStruct(name: string, object: JsonObject, path: string, walk: Walk): JsonObject {
  const out: Record<string, JsonValue> = {};
  const fields = fieldsOf(name);
  const emptied: string[] = [];
  let matched = 0;
  const outer = walk.owner;
  for (const field of fields) {
    const given = member(object, field.name);
    if (given !== undefined) matched++;
    walk.owner = name;
    const depth = walk.names.length;
    walk.names.push(...embeddingOf(name, field.name), field.name);
    walk.goName = namedGoType(name, field.name);
    const value = readField(field, given, path === "" ? field.name : `${path}.${field.name}`, walk);
    walk.names.length = depth;
    if (value !== undefined) out[field.name] = value;
    else if (walk.source !== "storage" && isEmptyList(field.type, given)) emptied.push(field.name);
  }
  noteEmptied(out, emptied);
  walk.owner = outer;
  if (matched < countMembers(object)) reportUnknown(fields, object, path, walk);
  return out;
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

function reportUnknown(fields: readonly Field[], object: JsonObject, path: string, walk: Walk): void {
  const known = new Set(fields.map((field) => field.name));
  for (const key of Object.keys(object)) {
    if (!known.has(key) && object[key] !== undefined) walk.unknown.push(path === "" ? key : `${path}.${key}`);
  }
}

function readField(field: Field, given: JsonValue | undefined, path: string, walk: Walk): JsonValue | undefined {
  const { type, always } = field;
  if (given === undefined || given === null) return always ? zeroOf(type) : undefined;
  const value = readValue(type, given, path, walk);
  if (!isZero(type, value)) return value;
  // Go tells an empty list from none as long as it is not stored, and writes both where a field is always written.
  const isKept = walk.source !== "storage" && (type.kind === "list" || type.kind === "map");
  // An empty list of managers says something: to forget who owned what.
  if (isKept && (always || field.name === "managedFields")) return value;
  return always ? zeroOf(type) : undefined;
}

/** Whether Go's omitempty leaves it out: pointers never are once set, structs never, time by its own zero. */
function isZero(type: FieldType, value: JsonValue): boolean {
  switch (type.kind) {
    case "pointer":
      // A schema or a list of them is none when the list is empty.
      return type.of.kind === "scalar" && type.of.name === "schemaOrList" && Array.isArray(value) && value.length === 0;
    case "struct":
      return false;
    case "list":
      return Array.isArray(value) && value.length === 0;
    case "map":
      // An empty one of these has to be refused still.
      if (type.of.kind === "scalar" && type.of.name === "schemaOrStrings") return false;
      return isJsonObject(value) && Object.keys(value).length === 0;
    case "scalar":
      return (
        type.name !== "json" &&
        type.name !== "intorstring" &&
        (value === "" || value === 0 || value === false || value === null)
      );
  }
}

/** What Go writes for an unset field without omitempty. */
export function zeroOf(type: FieldType): JsonValue {
  switch (type.kind) {
    case "pointer":
    case "list":
    case "map":
      return null;
    case "struct":
      return zeroStruct(type.name);
    case "scalar":
      return zeroScalar(type.name);
  }
}

const zeroStructs = new Map<string, JsonObject>();

function zeroStruct(name: string): JsonObject {
  const known = zeroStructs.get(name);
  if (known !== undefined) return known;
  const out: Record<string, JsonValue> = {};
  for (const field of fieldsOf(name)) if (field.always) out[field.name] = zeroOf(field.type);
  zeroStructs.set(name, Object.freeze(out));
  return out;
}

function zeroScalar(name: ScalarName): JsonValue {
  switch (name) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float":
    case "intorstring":
      return 0;
    case "quantity":
      return "0";
    case "bytes":
    case "time":
    case "microtime":
    case "json":
    case "schemaOrList":
    case "schemaOrBool":
    case "schemaOrStrings":
      return null;
  }
}

function readValue(type: FieldType, given: JsonValue, path: string, walk: Walk): JsonValue {
  walk.at = path;
  switch (type.kind) {
    case "pointer":
      return readValue(type.of, given, path, walk);
    case "struct":
      if (!isJsonObject(given)) return misfit(walk, given, type);
      return readStruct(type.name, given, path, walk);
    case "list": {
      if (!Array.isArray(given)) return misfit(walk, given, type);
      const items = given as readonly JsonValue[];
      const elementName = elementGoName(walk.goName);
      return items.map((item, index) => {
        walk.goName = elementName;
        return item === null ? zeroOf(type.of) : readValue(type.of, item, `${path}[${index}]`, walk);
      });
    }
    case "map":
      return readMap(type.of, given, path, walk);
    case "scalar":
      return readScalar(type.name, given, path, walk);
  }
}

function readMap(of: FieldType, given: JsonValue, path: string, walk: Walk): JsonValue {
  if (!isJsonObject(given)) return misfit(walk, given, { kind: "map", of });
  const entries: [string, JsonValue][] = [];
  const elementName = elementGoName(walk.goName);
  // Go writes the keys of its maps sorted.
  for (const key of sortedKeys(given)) {
    const item = given[key];
    if (item === undefined) continue;
    const empty = of.kind === "scalar" && of.name === "bytes" ? "" : zeroOf(of);
    walk.goName = elementName;
    entries.push([key, item === null ? empty : readValue(of, item, `${path}.${key}`, walk)]);
  }
  return Object.fromEntries(entries);
}

/** Of `[]v1.IPFamily` or `map[string]v1.ExtraValue`; types with a name of their own do not tell. */
function elementGoName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : /^(?:\[\]|map\[[^\]]*\])(.+)$/.exec(name)?.[1];
}

function goType(type: FieldType): string {
  switch (type.kind) {
    case "pointer":
      return goType(type.of);
    case "list":
      return `[]${goType(type.of)}`;
    case "map":
      return type.of.kind === "scalar" && type.of.name === "schemaOrStrings"
        ? "v1.JSONSchemaDependencies"
        : `map[string]${goType(type.of)}`;
    case "struct":
      return `v1.${type.name.slice(type.name.lastIndexOf(".") + 1)}`;
    case "scalar":
      return type.name === "float" ? "float64" : type.name === "bytes" ? "[]uint8" : type.name;
  }
}

const integerBits = { int32: 32, int64: 64 } as const;

function readScalar(name: ScalarName, given: JsonValue, path: string, walk: Walk): JsonValue {
  switch (name) {
    case "string":
      return typeof given === "string" ? given : misfit(walk, given, { kind: "scalar", name });
    case "bool":
      if (typeof given !== "boolean") return misfit(walk, given, { kind: "scalar", name });
      return given;
    case "int32":
    case "int64":
      return readInteger(name, given, path, walk);
    case "float":
      if (typeof given !== "number") return misfit(walk, given, { kind: "scalar", name });
      return given;
    case "bytes":
      if (Array.isArray(given) && (walk.source === "json" || given.every((item) => item === null)))
        return readByteList(given, walk);
      if (typeof given !== "string") return misfit(walk, given, { kind: "scalar", name }, "[]uint8");
      return readBytes(given, path, walk);
    case "time":
      return readTime(walk, given, rfc3339, "2006-01-02T15:04:05Z07:00", formatTime);
    case "microtime":
      return readTime(walk, given, rfc3339Micro, "2006-01-02T15:04:05.000000Z07:00", formatMicroTime);
    case "quantity":
      return readQuantity(given, walk);
    case "intorstring":
      return readIntOrString(given, path, walk);
    case "json":
      return given;
    case "schemaOrBool":
      return typeof given === "boolean" ? given : readSchema(given, path, walk);
    case "schemaOrList":
    case "schemaOrStrings":
      if (!Array.isArray(given)) return readSchema(given, path, walk);
      return (given as readonly JsonValue[]).map((item, index) =>
        typeof item === "string" ? item : readSchema(item, `${path}[${index}]`, walk),
      );
  }
}

/** Go reads digits alone as an integer, whatever number a text with a point or an exponent stands for. */
function readInteger(name: "int32" | "int64", given: JsonValue, path: string, walk: Walk): JsonValue {
  const digits = digitsOf(given);
  if (typeof given !== "number" && digits === undefined) return misfit(walk, given, { kind: "scalar", name });
  const literal = walk.numbers.get(path) ?? JSON.stringify(given);
  const value = /^-?[0-9]+$/.test(literal) ? BigInt(literal) : undefined;
  if (value !== undefined && BigInt.asIntN(integerBits[name], value) === value) return nearest(value);
  if (walk.source === "unstructured") {
    const whole = value ?? (Number.isInteger(given) ? BigInt(given as number) : undefined);
    return whole === undefined ? misfit(walk, given, { kind: "scalar", name }) : cutToSize(whole, integerBits[name]);
  }
  walk.misfits.push([path, cannotUnmarshal(walk, `number ${literal}`, walk.goName ?? name)]);
  return 0;
}

/** What becomes of a whole number that was an int64 or, beyond that, a double before it got the width of its field. */
function cutToSize(whole: bigint, bits: number): number {
  const held = BigInt.asIntN(64, whole) === whole ? whole : -(2n ** 63n);
  return nearest(BigInt.asIntN(bits, held));
}

/** The last double that Go still reads as an integer of 64 bits. */
const largestDouble = 2 ** 63 - 1024;

/** Rules compare numbers: beyond 2^53 they get the nearest double. */
function nearest(value: bigint): number {
  return Math.min(Number(value), largestDouble);
}

function readIntOrString(given: JsonValue, path: string, walk: Walk): JsonValue {
  if (typeof given === "string") return given;
  const digits = digitsOf(given);
  const isNumber = typeof given === "number" || digits !== undefined;
  const literal = isNumber ? (walk.numbers.get(path) ?? JSON.stringify(given)) : "";
  if (/^-?[0-9]+$/.test(literal) && BigInt.asIntN(32, BigInt(literal)) === BigInt(literal)) return Number(literal) || 0;
  const found = isNumber ? `number ${literal}` : jsonType(given);
  // Such a value reads its own JSON wherever it comes from.
  if (walk.source === "unstructured") throw new Misfit(`json: cannot unmarshal ${found} into Go value of type int32`);
  return refuse(walk, cannotUnmarshal(walk, found, "int32"));
}

/** Such values have a decoder of their own, which does not tell of unknown members. */
function readSchema(given: JsonValue, path: string, walk: Walk): JsonValue {
  if (!isJsonObject(given)) return misfit(walk, given, { kind: "struct", name: "JSONSchemaProps" });
  return readStruct("JSONSchemaProps", given, path, { ...walk, unknown: [] });
}

/** Go reads a list of numbers as bytes, too. */
function readByteList(given: readonly JsonValue[], walk: Walk): string {
  const bytes = given.map((item) => {
    if (item === null) return 0;
    if (typeof item === "number" && Number.isInteger(item) && item >= 0 && item < 256) return item;
    misfit(walk, item, { kind: "scalar", name: "bytes" }, "uint8");
    return 0;
  });
  return btoa(String.fromCharCode(...bytes));
}

function readBytes(given: string, path: string, walk: Walk): string {
  const read = readBase64(given);
  if ("text" in read) return read.text;
  if (walk.source === "unstructured") throw new Misfit(`error decoding from json: ${read.fault}`);
  walk.misfits.push([path, read.fault]);
  return "";
}

function readBase64(text: string): { readonly text: string } | { readonly fault: string } {
  const clean = text.replaceAll(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/]/.exec(clean);
  const body = clean.replace(/={1,2}$/, "");
  if (bad !== null && bad.index < body.length) return { fault: `illegal base64 data at input byte ${bad.index}` };
  if (clean.length % 4 !== 0)
    return { fault: `illegal base64 data at input byte ${clean.length - (clean.length % 4)}` };
  return { text: clean };
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** A micro time is read with its six digits only. */
const rfc3339Micro = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}(Z|[+-]\d{2}:\d{2})$/;

function readTime(
  walk: Walk,
  given: JsonValue,
  form: RegExp,
  layout: string,
  format: (epochMs: number) => string,
): JsonValue {
  if (typeof given !== "string")
    return refuse(
      walk,
      walk.source === "unstructured"
        ? `json: cannot unmarshal ${jsonType(given)} into Go value of type string`
        : cannotUnmarshal(walk, jsonType(given), "string"),
    );
  const epoch = form.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(epoch)) return microseconds(format(epoch), given);
  const text = JSON.stringify(given);
  // What is left when the seconds are read is all that differs between the two layouts.
  const rest = rfc3339.test(given) ? /(?<=:\d\d:\d\d)(\.\d+)?[^.]*$/.exec(given)?.[0] : undefined;
  if (rest !== undefined)
    return refuse(
      walk,
      `parsing time ${text} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ".000000"`,
    );
  return refuse(walk, `parsing time ${text} as ${JSON.stringify(layout)}: cannot parse ${text} as "2006"`);
}

/** Dates keep milliseconds only; the last three digits of a microsecond time come from the text. */
function microseconds(formatted: string, given: string): string {
  if (!formatted.endsWith("000Z")) return formatted;
  const digits = /\.(\d+)/.exec(given)?.[1];
  return digits === undefined ? formatted : `${formatted.slice(0, -4)}${digits.padEnd(6, "0").slice(3, 6)}Z`;
}

function readQuantity(given: JsonValue, walk: Walk): JsonValue {
  const literal = walk.numbers.get(walk.at) ?? digitsOf(given);
  const text = literal ?? (typeof given === "number" ? String(given) : given);
  const canonical = typeof text === "string" ? canonicalQuantity(text.trim()) : undefined;
  if (canonical !== undefined) return canonical;
  return refuse(walk, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}
