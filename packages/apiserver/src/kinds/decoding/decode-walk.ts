import type { Strides } from "@purser/kubernetes/steps";
import { digitsOf, isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { firstInDocument } from "../../request/document-order.ts";
import type { DecodedFrom } from "../built-in-kind.ts";
import type { FieldType } from "../fields/field-table.ts";
import { zeroOf } from "./zero-values.ts";

/** Go's converter of unstructured objects stops at the first value that does not fit; `decodeAs` catches this. */
export class Misfit extends Error {
  override readonly name = "Misfit";
}

/** State of decoding one body: the current position and the problems found so far. */
export interface Walk {
  /** When to pause. */
  readonly strides: Strides;
  readonly unknown: string[];
  /** Characters left for paths of unknown members. */
  room: number;
  readonly source: DecodedFrom;
  /** Values of the wrong JSON type, by path: Go's JSON decoder reads on and reports the first one at the end. */
  readonly misfits: (readonly [path: string, text: string])[];
  /** Values refused by a type's own UnmarshalJSON: decoding ends there and misfits are not reported. */
  readonly refusals: (readonly [path: string, text: string])[];
  /** Path of the value being decoded, as errors name it. */
  at: string;
  /** Struct whose field is being decoded, and the path of field names to it, for Go's error texts. */
  owner: string;
  readonly names: string[];
  /** Go's name of the type being decoded, where the field table does not have it. */
  goName: string | undefined;
  /** Source text of numbers by path, where it differs from plain integer notation. */
  readonly numbers: ReadonlyMap<string, string>;
}

/** The one error that Go's decoder would report. */
export function problemOf({ refusals, misfits }: Walk, object: JsonObject): { readonly problem?: string } {
  const errors = refusals.length > 0 ? refusals : misfits;
  return errors.length === 0 ? {} : { problem: firstOf(errors, object) };
}

/** Records (or throws) the error of a type's own UnmarshalJSON. */
export function refuse(walk: Walk, text: string): null {
  if (walk.source === "unstructured") throw new Misfit(text);
  walk.refusals.push([walk.at, text]);
  return null;
}

/** The struct's name in Go; the field table prefixes some with their package to keep them apart. */
function ownerName({ owner }: Walk): string {
  return owner.slice(owner.lastIndexOf(".") + 1);
}

/** Records (or throws) a type mismatch and returns the zero value that decoding continues with. */
export function misfit(walk: Walk, found: JsonValue, type: FieldType, wanted = walk.goName ?? goType(type)): JsonValue {
  if (walk.source === "unstructured") throw new Misfit(conversionFault(found, type, wanted));
  walk.misfits.push([walk.at, cannotUnmarshal(walk, jsonType(found), wanted)]);
  return zeroOf(type);
}

/** Go's error text for a JSON value of another type than its field. */
export function cannotUnmarshal(walk: Walk, found: string, wanted: string): string {
  return `json: cannot unmarshal ${found} into Go struct field ${ownerName(walk)}.${walk.names.join(".")} of type ${wanted}`;
}

/** The error whose value comes first in the document. */
function firstOf(misfits: readonly (readonly [path: string, text: string])[], object: JsonObject): string {
  const first = misfits.length > 1 ? firstInDocument(object, new Set(misfits.map(([path]) => path))) : undefined;
  return (misfits.find(([path]) => path === first) ?? misfits[0])?.[1] ?? "";
}

/** The name of a value's JSON type in Go's error texts. */
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
