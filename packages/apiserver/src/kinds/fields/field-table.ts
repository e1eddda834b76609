import { invariant } from "@purser/kubernetes/invariant";
import { appsFields } from "./apps-fields.ts";
import { batchFields } from "./batch-fields.ts";
import { coreFields } from "./core-fields.ts";
import { extensionFields } from "./extension-fields.ts";
import { metaFields } from "./meta-fields.ts";
import { otherFields } from "./other-fields.ts";
import { podFields } from "./pod-fields.ts";
import { rbacFields } from "./rbac-fields.ts";

/**
 * The notation: one struct per line, `Name field:type field:type!`.
 * `[]T` list, `{}T` map with string keys, `*T` may be null and distinguishes null from zero; a capital letter
 * (or a dot) starts another struct. `!` marks a field that is always written, with its zero value when unset.
 */
export type FieldType =
  | { readonly kind: "list" | "map" | "pointer"; readonly of: FieldType }
  | { readonly kind: "struct"; readonly name: string }
  | { readonly kind: "scalar"; readonly name: ScalarName };

const scalarNames = [
  "string",
  "bool",
  "int32",
  "int64",
  "float",
  "bytes",
  "time",
  "microtime",
  "quantity",
  "intorstring",
  "json",
  "schemaOrList",
  "schemaOrBool",
  "schemaOrStrings",
] as const;

export type ScalarName = (typeof scalarNames)[number];

/** A JSON schema, or a value that may replace it. */
export type SchemaName = "schemaOrList" | "schemaOrBool" | "schemaOrStrings";

export function isSchemaName(name: ScalarName): name is SchemaName {
  return name === "schemaOrList" || name === "schemaOrBool" || name === "schemaOrStrings";
}

const scalars: ReadonlySet<string> = new Set(scalarNames);

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly always: boolean;
}

const lines = new Map<string, string>();

function load(): void {
  for (const text of [
    metaFields,
    podFields,
    coreFields,
    appsFields,
    batchFields,
    rbacFields,
    extensionFields,
    otherFields,
  ]) {
    for (const line of text.trim().split("\n")) {
      const space = line.indexOf(" ");
      if (space > 0) lines.set(line.slice(0, space), line.slice(space + 1));
      else lines.set(line, "");
    }
  }
}

/** Every struct of the table. */
export function structNames(): readonly string[] {
  if (lines.size === 0) load();
  return [...lines.keys()];
}

const parsed = new Map<string, readonly Field[]>();

/** The fields of a struct in declaration order; `name` is one of the table's. */
export function fieldsOf(name: string): readonly Field[] {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  if (lines.size === 0) load();
  const line = lines.get(name);
  invariant(line !== undefined, `no field table for ${name}`);
  const fields = line
    .split(" ")
    .filter((text) => text !== "")
    .map(parseField);
  parsed.set(name, fields);
  return fields;
}

function parseField(text: string): Field {
  const colon = text.indexOf(":");
  const always = text.endsWith("!");
  return {
    name: text.slice(0, colon),
    type: parseType(text.slice(colon + 1, always ? -1 : undefined)),
    always,
  };
}

/** Reads the notation of one type. */
export function parseType(text: string): FieldType {
  if (text.startsWith("[]")) return { kind: "list", of: parseType(text.slice(2)) };
  if (text.startsWith("{}")) return { kind: "map", of: parseType(text.slice(2)) };
  if (text.startsWith("*")) return { kind: "pointer", of: parseType(text.slice(1)) };
  if (isScalar(text)) return { kind: "scalar", name: text };
  return { kind: "struct", name: text };
}

function isScalar(text: string): text is ScalarName {
  return scalars.has(text);
}
