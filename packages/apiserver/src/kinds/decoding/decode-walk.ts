import { digitsOf, isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { firstInDocument } from "../../request/document-order.ts";
import type { DecodedFrom } from "../built-in-kind.ts";
import type { FieldType } from "../fields/field-table.ts";
import { zeroOf } from "./zero-values.ts";

/** Go's decoder of decoded JSON gives up at the first value that does not fit; `decodeAs` catches it. */
export class Misfit extends Error {
  override readonly name = "Misfit";
}

/** One reading of a body: where it stands, and what it has found wrong so far. */
export interface Walk {
  readonly unknown: string[];
  /** Characters that paths of unknown members may still have. */
  room: number;
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

/** What a reading found wrong, in the words of the one finding that Go tells. */
export function problemOf({ refusals, misfits }: Walk, object: JsonObject): { readonly problem?: string } {
  const told = refusals.length > 0 ? refusals : misfits;
  return told.length === 0 ? {} : { problem: firstOf(told, object) };
}

/** Says what a type that reads itself refuses. */
export function refuse(walk: Walk, text: string): null {
  if (walk.source === "unstructured") throw new Misfit(text);
  walk.refusals.push([walk.at, text]);
  return null;
}

/** The struct as Go names it; the table tells some of one name apart by their package. */
function ownerName({ owner }: Walk): string {
  return owner.slice(owner.lastIndexOf(".") + 1);
}

/** Says what does not fit. A reader of JSON text goes on, with nothing in the value's place. */
export function misfit(walk: Walk, found: JsonValue, type: FieldType, wanted = walk.goName ?? goType(type)): JsonValue {
  if (walk.source === "unstructured") throw new Misfit(conversionFault(found, type, wanted));
  walk.misfits.push([walk.at, cannotUnmarshal(walk, jsonType(found), wanted)]);
  return zeroOf(type);
}

/** Go's sentence about a JSON value of another type than its field. */
export function cannotUnmarshal(walk: Walk, found: string, wanted: string): string {
  return `json: cannot unmarshal ${found} into Go struct field ${ownerName(walk)}.${walk.names.join(".")} of type ${wanted}`;
}

/** The one that stands first in the document. */
function firstOf(misfits: readonly (readonly [path: string, text: string])[], object: JsonObject): string {
  const first = misfits.length > 1 ? firstInDocument(object, new Set(misfits.map(([path]) => path))) : undefined;
  return (misfits.find(([path]) => path === first) ?? misfits[0])?.[1] ?? "";
}

/** What Go's decoder of JSON calls the value where it does not fit. */
export function jsonType(value: JsonValue): string {
  if (value === null) return "null";
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
