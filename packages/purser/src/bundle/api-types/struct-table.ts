import { invariant } from "@purser/kubernetes/invariant";
import { crdFields } from "./crd-fields.ts";
import { csvFields } from "./csv-fields.ts";
import { kindFields } from "./kind-fields.ts";
import { podFields } from "./pod-fields.ts";

/** A value's type as the Go API declares it; what Go does on reading and writing it follows from this alone. */
export type ApiType =
  | { readonly kind: "scalar"; readonly scalar: Scalar }
  /** Nil unless given. */
  | { readonly kind: "pointer"; readonly to: ApiType }
  | { readonly kind: "list"; readonly of: ApiType }
  | { readonly kind: "map"; readonly of: ApiType }
  | { readonly kind: "struct"; readonly name: string };

const scalars = [
  "string",
  "bool",
  "int32",
  "int64",
  "float64",
  /** Base64 text. */
  "bytes",
  "quantity",
  "intOrString",
  "time",
  "microTime",
  /** Any JSON. */
  "json",
  "schemaOrArray",
  "schemaOrBool",
  "schemaOrStrings",
  "version",
  "release",
] as const;
export type Scalar = (typeof scalars)[number];

export interface StructField {
  readonly name: string;
  readonly type: ApiType;
  /** `omitempty`: left out when false, 0, empty or nil; a struct never is. */
  readonly omitEmpty: boolean;
  /** `omitzero`. */
  readonly omitZero: boolean;
}

/**
 * One line per struct: its name, then `field:type` in declared order, embedded structs spelled out.
 * Types: a scalar, a struct's name, `*T` pointer, `[]T` list, `{}T` map by text. A trailing `?` is `omitempty`, `0` is `omitzero`.
 */
const lines = new Map(
  [kindFields, podFields, crdFields, csvFields]
    .flatMap((text) => text.trim().split("\n"))
    .map((line) => {
      const [name = "", ...fields] = line.split(" ");
      return [name, fields] as const;
    }),
);

const parsed = new Map<string, readonly StructField[]>();

/** Fields of a struct of the API, in the order in which Go writes them. */
export function fieldsOf(struct: string): readonly StructField[] {
  const known = parsed.get(struct);
  if (known !== undefined) return known;
  const line = lines.get(struct);
  invariant(line !== undefined, `the API has a struct ${struct}`);
  const fields = line.map(parseField);
  parsed.set(struct, fields);
  return fields;
}

function parseField(text: string): StructField {
  const omitZero = text.endsWith("0");
  const shown = omitZero ? text.slice(0, -1) : text;
  const omitEmpty = shown.endsWith("?");
  const colon = text.indexOf(":");
  const type = parseType(shown.slice(colon + 1, omitEmpty ? -1 : undefined));
  return { name: text.slice(0, colon), type, omitEmpty, omitZero };
}

/** @param text a type in the notation of the table, such as `[]Container` */
export function parseType(text: string): ApiType {
  if (text.startsWith("*")) return { kind: "pointer", to: parseType(text.slice(1)) };
  if (text.startsWith("[]")) return { kind: "list", of: parseType(text.slice(2)) };
  if (text.startsWith("{}")) return { kind: "map", of: parseType(text.slice(2)) };
  const scalar = scalars.find((name) => name === text);
  if (scalar !== undefined) return { kind: "scalar", scalar };
  invariant(lines.has(text), `the API has a type ${text}`);
  return { kind: "struct", name: text };
}
