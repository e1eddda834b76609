import type { JsonValue } from "@purser/kubernetes/json";
import { compareBytes } from "@purser/kubernetes/text/documents";
import type { ApiType } from "./struct-table.ts";

/** The innermost struct that is being read, and the names of the fields that lead to the value from the outermost one. */
export interface DecoderField {
  readonly struct: string;
  readonly path: readonly string[];
}

/** How Go's decoder of JSON refuses a value that its type cannot hold. */
export function misfitOfDecoder(type: ApiType, value: JsonValue, field: DecoderField | undefined): string {
  const into =
    field === undefined ? "Go value" : `Go struct field ${withoutPackage(field.struct)}.${field.path.join(".")}`;
  const isNumber = type.kind === "scalar" && type.scalar !== "string" && type.scalar !== "bool";
  const kind = isNumber && typeof value === "number" ? `number ${value}` : decoderKind(value);
  return `json: cannot unmarshal ${kind} into ${into} of type ${goType(type)}`;
}

/**
 * The refusal that Go's decoder reports: what a type's own parser refuses ends the decoding; of values of the wrong kind it is the first
 * in the text, whose keys upstream has sorted.
 */
export function firstOfDecoder<Problem extends { readonly pointer: string; readonly isMisfit: boolean }>(
  problems: readonly Problem[],
): Problem | undefined {
  const [first] = problems.toSorted(
    (a, b) => Number(a.isMisfit) - Number(b.isMisfit) || comparePlaces(a.pointer, b.pointer),
  );
  return first;
}

function comparePlaces(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")];
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (part !== other) {
      const areItems = /^\d+$/.test(part) && /^\d+$/.test(other);
      return areItems ? Number(part) - Number(other) : compareBytes(part, other);
    }
  }
  return left.length - right.length;
}

/** What the decoder calls a value. */
export function decoderKind(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" || typeof value === "number" ? typeof value : "object";
}

function goType(type: ApiType): string {
  switch (type.kind) {
    case "scalar":
      return type.scalar;
    case "pointer":
      return goType(type.to);
    case "list":
      return `[]${goType(type.of)}`;
    case "map":
      return `map[string]${goType(type.of)}`;
    case "struct":
      return `${type.name.startsWith("csv.") ? "v1alpha1" : "v1"}.${withoutPackage(type.name)}`;
  }
}

const withoutPackage = (struct: string): string => struct.slice(struct.indexOf(".") + 1);
