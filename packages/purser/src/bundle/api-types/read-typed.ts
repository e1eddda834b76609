import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { escapePointer, setMember } from "@purser/kubernetes/text/documents";
import { canonicalQuantity } from "./canonical-quantity.ts";
import { type DecoderField, firstOfDecoder, misfitOfDecoder } from "./decoder-words.ts";
import { type ApiType, fieldsOf, parseType, type Scalar, type StructField } from "./struct-table.ts";
import { formatVersion, parseTolerantVersion } from "@purser/kubernetes/version";

/** Whether keys match in any case: Kubernetes' decoders match exactly, Go's own (OLM v0) reads `MinKubeVersion` as well. */
export type KeyMatching = "exact" | "folded";

/** A value that its API type cannot hold. */
export interface TypeMismatch {
  /** JSON pointer below the value that was read. */
  readonly pointer: string;
  /** In upstream's words. */
  readonly message: string;
}

/** How upstream reads a value into its type. */
export interface ReadingWay {
  readonly keys: KeyMatching;
  /** Whose refusals are given: those of Kubernetes' converter of objects, or of Go's decoder of JSON, which names the field. */
  readonly words: "converter" | "decoder";
  /** Names of the fields that lead to the value, for the decoder's words. */
  readonly under?: readonly string[];
}

/** As Kubernetes' converter reads an object. */
export const asConverter: ReadingWay = { keys: "exact", words: "converter" };

/** As Go's own decoder reads a text: keys match in any case. */
export const asDecoder: ReadingWay = { keys: "folded", words: "decoder" };

/**
 * A JSON value after Go has read it into a type and written it again: unknown members are dropped, members
 * are in declared order, quantities and times are canonical, empty members appear or vanish as the type declares.
 * @param struct a name in the struct table, such as `csv.ClusterServiceVersion`
 */
export function readTyped(
  struct: string,
  value: JsonValue,
  way: ReadingWay = asConverter,
): Result<JsonObject, TypeMismatch> {
  const reading = new Reading(way);
  const read = reading.value(parseType(struct), value, "");
  const problem = way.words === "decoder" ? firstOfDecoder(reading.problems) : reading.problems[0];
  if (problem !== undefined) return failed({ pointer: problem.pointer, message: problem.message });
  return isJsonObject(read)
    ? done(read)
    : failed({ pointer: "", message: `cannot restore struct from: ${goKind(value)}` });
}

function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return "slice";
  if (isJsonObject(value)) return "map";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "invalid";
}

type ListType = Extract<ApiType, { readonly kind: "list" }>;
type MapType = Extract<ApiType, { readonly kind: "map" }>;

class Reading {
  readonly problems: (TypeMismatch & { readonly isMisfit: boolean })[] = [];
  readonly #way: ReadingWay;
  /** The struct that is being read, with the names of the fields that lead to the value. */
  #field: DecoderField | undefined;

  constructor(way: ReadingWay) {
    this.#way = way;
  }

  /** @returns undefined for a nil pointer */
  value(type: ApiType, value: JsonValue | undefined, pointer: string): JsonValue | undefined {
    switch (type.kind) {
      case "pointer":
        return value === undefined || value === null ? undefined : this.value(type.to, value, pointer);
      case "list":
        return this.#list(type, value, pointer);
      case "map":
        return this.#map(type, value, pointer);
      case "struct":
        return this.#struct(type.name, value, pointer);
      case "scalar":
        return this.#scalar(type.scalar, value, pointer);
    }
  }

  #refuse(pointer: string, message: string): undefined {
    this.problems.push({ pointer, message, isMisfit: false });
  }

  #unfit(type: ApiType, value: JsonValue, pointer: string, message: string): undefined {
    const text = this.#way.words === "decoder" ? misfitOfDecoder(type, value, this.#field) : message;
    this.problems.push({ pointer, message: text, isMisfit: true });
  }

  #list(type: ListType, value: JsonValue | undefined, pointer: string): JsonValue {
    if (value === undefined || value === null) return null;
    if (!Array.isArray(value)) {
      this.#unfit(type, value, pointer, `cannot restore slice from ${goKind(value)}`);
      return null;
    }
    return value.map((item: JsonValue, i) => this.value(type.of, item, `${pointer}/${i}`) ?? null);
  }

  #map(type: MapType, value: JsonValue | undefined, pointer: string): JsonValue {
    if (value === undefined || value === null) return null;
    if (!isJsonObject(value)) {
      this.#unfit(type, value, pointer, `cannot restore map from ${goKind(value)}`);
      return null;
    }
    const read: Record<string, JsonValue> = {};
    for (const key of Object.keys(value).toSorted()) {
      setMember(read, key, this.value(type.of, member(value, key), `${pointer}/${escapePointer(key)}`) ?? null);
    }
    return read;
  }

  #struct(name: string, value: JsonValue | undefined, pointer: string): JsonObject {
    const given = value ?? {};
    const read: Record<string, JsonValue> = {};
    if (!isJsonObject(given)) {
      this.#unfit({ kind: "struct", name }, given, pointer, `cannot restore struct from: ${goKind(given)}`);
      return read;
    }
    const before = this.#field;
    const path = before?.path ?? this.#way.under ?? [];
    const memberOf = this.#way.keys === "exact" ? (key: string) => member(given, key) : foldedMembers(name, given);
    for (const field of fieldsOf(name)) {
      const fieldValue = memberOf(field.name);
      // A schema of a CRD has 2 or 3 of 40 members.
      if (fieldValue === undefined && isOmittedWhenAbsent(field)) continue;
      this.#field = { struct: name, path: [...path, field.name] };
      const held = this.value(field.type, fieldValue, `${pointer}/${escapePointer(field.name)}`);
      if (!isOmitted(field, held)) read[field.name] = held ?? null;
    }
    this.#field = before;
    return read;
  }

  #scalar(scalar: Scalar, value: JsonValue | undefined, pointer: string): JsonValue | undefined {
    const given = value ?? undefined;
    switch (scalar) {
      case "string":
      case "bytes":
        return given === undefined || typeof given === "string"
          ? (given ?? "")
          : this.#misfit(given, "string", pointer);
      case "bool":
        return given === undefined || typeof given === "boolean"
          ? (given ?? false)
          : this.#misfit(given, "bool", pointer);
      case "int32":
      case "int64":
      case "float64":
        return this.#number(scalar, given, pointer);
      case "intOrString":
        return given === undefined || typeof given === "string" || Number.isInteger(given)
          ? (given ?? 0)
          : this.#misfit(given, "int32", pointer);
      case "quantity":
        return this.#quantity(given, pointer);
      case "time":
      case "microTime":
        return this.#time(given, pointer);
      case "version":
        return this.#version(given, pointer);
      case "release":
        return given === undefined || typeof given === "string"
          ? (given ?? "")
          : this.#misfit(given, "string", pointer);
      case "json":
        return value;
      case "schemaOrArray":
        return Array.isArray(given)
          ? given.map((item: JsonValue, i) => this.#struct("ext.JSONSchemaProps", item, `${pointer}/${i}`))
          : this.#schema(given, pointer);
      case "schemaOrBool":
        return typeof given === "boolean" ? given : this.#schema(given, pointer);
      case "schemaOrStrings":
        return Array.isArray(given) ? given : this.#schema(given, pointer);
    }
  }

  /** Go can convert whole numbers to strings, and numbers to one another, but Kubernetes' converter refuses the first and rounding. */
  #misfit(value: JsonValue, wanted: "string" | "bool" | "int32" | "int64" | "float64", pointer: string): undefined {
    const kind = goKind(value);
    const isConvertible = wanted === "string" ? kind === "int64" : kind === "float64" && wanted.startsWith("int");
    return this.#unfit(
      { kind: "scalar", scalar: wanted },
      value,
      pointer,
      isConvertible ? `cannot convert ${kind} to ${wanted}` : `unrecognized type: ${wanted}`,
    );
  }

  #number(scalar: "int32" | "int64" | "float64", value: JsonValue | undefined, pointer: string): JsonValue | undefined {
    if (value === undefined) return 0;
    const isFit = typeof value === "number" && (scalar === "float64" || this.#isInteger(scalar, value));
    return isFit ? value : this.#misfit(value, scalar, pointer);
  }

  /** The converter cuts what is too large, the decoder refuses it. */
  #isInteger(scalar: "int32" | "int64", value: number): boolean {
    if (!Number.isInteger(value)) return false;
    const limit = scalar === "int32" ? 2 ** 31 : 2 ** 63;
    return this.#way.words !== "decoder" || (value < limit && value >= -limit);
  }

  #quantity(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
    if (value === undefined) return "0";
    const text = typeof value === "number" ? String(value) : value;
    const canonical = typeof text === "string" ? canonicalQuantity(text) : undefined;
    if (canonical !== undefined) return canonical;
    return this.#refuse(
      pointer,
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }

  #time(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
    if (value === undefined || value === "") return null;
    const text = typeof value === "string" ? value : "";
    const epoch = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)
      ? Date.parse(text)
      : Number.NaN;
    if (!Number.isNaN(epoch)) return `${new Date(epoch).toISOString().slice(0, 19)}Z`;
    return this.#refuse(
      pointer,
      `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} as "2006"`,
    );
  }

  #version(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
    if (value === undefined) return "0.0.0";
    if (typeof value !== "string") return this.#misfit(value, "string", pointer);
    const read = parseTolerantVersion(value);
    return read.ok ? formatVersion(read.value) : this.#refuse(pointer, read.problem.message);
  }

  #schema(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
    return value === undefined ? undefined : this.#struct("ext.JSONSchemaProps", value, pointer);
  }
}

/** Whether Go leaves the field out when it writes a struct that holds this. */
function isOmitted(field: StructField, held: JsonValue | undefined): boolean {
  const nil = held === undefined || held === null;
  if (field.omitEmpty && (nil || (field.type.kind !== "pointer" && isEmpty(field.type, held)))) return true;
  return field.omitZero && (nil || held === "");
}

const omittedWhenAbsent = new WeakMap<StructField, boolean>();

function isOmittedWhenAbsent(field: StructField): boolean {
  let isOmittedThen = omittedWhenAbsent.get(field);
  if (isOmittedThen === undefined) {
    isOmittedThen = isOmitted(field, new Reading(asConverter).value(field.type, undefined, ""));
    omittedWhenAbsent.set(field, isOmittedThen);
  }
  return isOmittedThen;
}

/** Members by field, whatever their case; of several the last in sorted order wins, as in a text with sorted keys. */
function foldedMembers(struct: string, given: JsonObject): (key: string) => JsonValue | undefined {
  const fields = fieldsOf(struct).map(({ name }) => name);
  const byField = new Map<string, JsonValue | undefined>();
  for (const key of Object.keys(given).toSorted()) {
    const field = fields.includes(key) ? key : fields.find((name) => name.toLowerCase() === key.toLowerCase());
    if (field !== undefined) byField.set(field, member(given, key));
  }
  return (key) => byField.get(key);
}

function isEmpty(type: ApiType, value: JsonValue): boolean {
  switch (type.kind) {
    case "pointer":
    case "struct":
      return false;
    case "list":
      return Array.isArray(value) && value.length === 0;
    case "map":
      return isJsonObject(value) && Object.keys(value).length === 0;
    case "scalar":
      return isZero(type.scalar, value);
  }
}

/** Go's types of these are structs, which `omitempty` never leaves out. */
function isZero(scalar: Scalar, value: JsonValue): boolean {
  switch (scalar) {
    case "string":
    case "bytes":
      return value === "";
    case "bool":
      return value === false;
    case "int32":
    case "int64":
    case "float64":
      return value === 0;
    case "quantity":
    case "intOrString":
    case "time":
    case "microTime":
    case "version":
    case "release":
    case "json":
    case "schemaOrArray":
    case "schemaOrBool":
    case "schemaOrStrings":
      return false;
  }
}
