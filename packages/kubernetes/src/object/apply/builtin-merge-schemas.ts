import { apiVersionOf, type GroupVersionKind } from "../../apis/resource-type.ts";
import { invariant } from "../../invariant.ts";
import type { JsonValue } from "../../json.ts";
import { builtinKinds, builtinTypes } from "./builtin-types.gen.ts";
import { type MapMerge, type MergeField, type MergeSchema, type ScalarMerge, untyped } from "./merge-schema.ts";

/** One field of a built-in type, as its line in the table describes it. */
export interface BuiltinField {
  readonly name: string;
  /** `string`, `int32`, `[Container]map(name)`, ...: see the table. */
  readonly type: string;
  readonly required: boolean;
  readonly always: boolean;
  readonly default?: JsonValue;
  readonly patchMerge: boolean;
  readonly patchKey: string;
  readonly patchReplace: boolean;
}

export interface BuiltinType {
  readonly name: string;
  readonly atomic: boolean;
  readonly fields: readonly BuiltinField[];
}

const typeLines = new Map(
  builtinTypes
    .trim()
    .split("\n")
    .map((line) => {
      const [head = "", ...rest] = line.split(" ");
      return [head.replace("!", ""), { atomic: head.endsWith("!"), text: rest.join(" ") }] as const;
    }),
);

const typeOfKind = new Map(
  builtinKinds
    .trim()
    .split("\n")
    .map((line) => {
      const [apiVersion = "", kind = "", type = kind] = line.split(" ");
      return [`${apiVersion} ${kind}`, type] as const;
    }),
);

const parsed = new Map<string, BuiltinType>();
const schemas = new Map<string, MergeSchema>();

/** The merge schema of a built-in kind; undefined for kinds this server has no model of. Made once per type. */
export function mergeSchemaOf(kind: GroupVersionKind): MergeSchema | undefined {
  const type = builtinTypeOf(kind);
  return type === undefined ? undefined : namedSchema(type.name);
}

/** The declared fields of a built-in kind. */
function builtinTypeOf(kind: GroupVersionKind): BuiltinType | undefined {
  const name = typeOfKind.get(`${apiVersionOf(kind)} ${kind.kind}`);
  return name === undefined ? undefined : builtinType(name);
}

/** A type of the table by its name; undefined for scalars and collections. */
export function builtinType(name: string): BuiltinType | undefined {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const line = typeLines.get(name);
  if (line === undefined) return undefined;
  const type = { name, atomic: line.atomic, fields: line.text.split(", ").map(parseField) };
  parsed.set(name, type);
  return type;
}

/** The merge schema of `metadata` of every kind, custom resources included. */
export function objectMetaSchema(): MergeSchema {
  return namedSchema("ObjectMeta");
}

function parseField(text: string): BuiltinField {
  const parts = /^([^:]+):([\w.]+|\{[^}]*\}!?|\[[^\]]*\](?:set|map\([^)]*\))?)(~\w*)?(\^)?([+*])?(?:=(.*))?$/.exec(
    text,
  );
  invariant(parts !== null, `the field "${text}" of the type table is well-formed`);
  const [, name = "", type = "", patch, replace, mark, fallback] = parts;
  return {
    name,
    type,
    required: mark === "*",
    always: mark === "+",
    ...(fallback === undefined ? {} : { default: JSON.parse(fallback) as JsonValue }),
    patchMerge: patch !== undefined,
    patchKey: patch?.slice(1) ?? "",
    patchReplace: replace !== undefined,
  };
}

function namedSchema(name: string): MergeSchema {
  const known = schemas.get(name);
  if (known !== undefined) return known;
  const type = builtinType(name);
  const schema = type === undefined ? scalarOf(name) : structOf(type);
  schemas.set(name, schema);
  return schema;
}

function structOf(type: BuiltinType): MapMerge {
  const fields = new Map<string, MergeField>();
  for (const field of type.fields) {
    const merge: MergeField = {
      schema: () => schemaOf(field.type),
      // A required list without a value is null in the server's model, not absent.
      ...(field.always || (field.required && field.type.startsWith("[")) ? { always: true } : {}),
      ...(field.default === undefined ? {} : { default: field.default }),
      ...(field.patchMerge || field.patchReplace
        ? {
            patch: {
              merge: field.patchMerge,
              ...(field.patchReplace ? { replace: true } : {}),
              ...(field.patchKey === "" ? {} : { key: field.patchKey }),
            },
          }
        : {}),
    };
    fields.set(field.name, merge);
  }
  return { kind: "map", name: type.name.slice(type.name.lastIndexOf(".") + 1), atomic: type.atomic, fields };
}

const scalars: Readonly<Record<string, ScalarMerge["type"]>> = {
  string: "string",
  bytes: "string",
  int32: "numeric",
  int64: "numeric",
  double: "numeric",
  bool: "boolean",
  quantity: "any",
  time: "any",
  microTime: "any",
};

function scalarOf(name: string): MergeSchema {
  // The published schema of a number or a name has no type: the value is checked when it is decoded.
  if (name === "any" || name === "intOrString") return untyped;
  const type = Object.hasOwn(scalars, name) ? scalars[name] : undefined;
  invariant(type !== undefined, `the type "${name}" is in the table`);
  return { kind: "scalar", type };
}

function schemaOf(text: string): MergeSchema {
  if (!text.startsWith("{") && !text.startsWith("[")) return namedSchema(text);
  const known = schemas.get(text);
  if (known !== undefined) return known;
  const schema = collectionOf(text);
  schemas.set(text, schema);
  return schema;
}

function collectionOf(text: string): MergeSchema {
  if (text.startsWith("{")) {
    const values = text.slice(1, text.lastIndexOf("}"));
    return { kind: "map", atomic: text.endsWith("!"), fields: new Map(), values: () => schemaOf(values) };
  }
  const end = text.lastIndexOf("]");
  const items = text.slice(1, end);
  const mark = text.slice(end + 1);
  const mode = mark === "set" ? "set" : mark === "" ? "atomic" : "map";
  const keys = mode === "map" ? mark.slice("map(".length, -1).split(" ") : [];
  return { kind: "list", mode, keys, items: () => schemaOf(items) };
}
