import { invariant } from "@purser/kubernetes/invariant";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Field, FieldType, ScalarName } from "../kinds/fields/field-table.ts";
import { fieldsOf } from "../kinds/fields/field-table.ts";
import { fieldDescription, objectFieldDescription, structDescription } from "./descriptions.ts";
import { publishedStructs } from "./published-structs.gen.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
const untyped: JsonObject = {};

/** Schemas of types that are not structs. */
const components = {
  [`${meta}.Time`]: { type: "string", format: "date-time" },
  [`${meta}.MicroTime`]: { type: "string", format: "date-time" },
  [`${meta}.FieldsV1`]: { type: "object" },
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { oneOf: [{ type: "string" }, { type: "number" }] },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "object" },
  [`${extensions}.JSON`]: untyped,
  [`${extensions}.JSONSchemaPropsOrArray`]: untyped,
  [`${extensions}.JSONSchemaPropsOrBool`]: untyped,
  [`${extensions}.JSONSchemaPropsOrStringArray`]: untyped,
} satisfies Readonly<Record<string, JsonObject>>;

const scalars: Readonly<Record<ScalarName, JsonObject | keyof typeof components>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  time: `${meta}.Time`,
  microtime: `${meta}.MicroTime`,
  quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  intorstring: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  json: "io.k8s.apimachinery.pkg.runtime.RawExtension",
  schemaOrList: `${extensions}.JSONSchemaPropsOrArray`,
  schemaOrBool: `${extensions}.JSONSchemaPropsOrBool`,
  schemaOrStrings: `${extensions}.JSONSchemaPropsOrStringArray`,
};

interface Published {
  readonly package: string;
  /** Extensions of the struct's schema. */
  readonly extension: JsonObject;
  readonly required: readonly string[];
  /** Extensions of fields, by field name. */
  readonly fields: ReadonlyMap<string, JsonObject>;
}

const packages: ReadonlyMap<string, string> = new Map([
  ["meta.v1", meta],
  ["apiextensions.v1", extensions],
  ["apiregistration.v1", "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1"],
]);

const facts = /^([^!=@~^]*)(!?)(?:=([^@~^]*))?(?:@([a-z]+)(?::([^~^]*))?)?(?:~([a-z]+))?(?:\^([A-Za-z,]+)(?::(.*))?)?$/;

function extensionsOf([, , , values, list, keys, map, strategy, mergeKey]: RegExpExecArray): JsonObject {
  return {
    ...(values === undefined ? {} : { enum: values.split("|") }),
    ...(keys === undefined ? {} : { "x-kubernetes-list-map-keys": keys.split(",") }),
    ...(list === undefined ? {} : { "x-kubernetes-list-type": list }),
    ...(map === undefined ? {} : { "x-kubernetes-map-type": map }),
    ...(mergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": mergeKey }),
    ...(strategy === undefined ? {} : { "x-kubernetes-patch-strategy": strategy }),
  };
}

function parsePublished(line: string): readonly [string, Published] {
  const [name = "", home = "", ...rest] = line.split(" ");
  const required: string[] = [];
  const fields = new Map<string, JsonObject>();
  for (const text of rest) {
    const found = facts.exec(text);
    if (found === null) continue;
    if (found[2] === "!") required.push(found[1] ?? "");
    fields.set(found[1] ?? "", extensionsOf(found));
  }
  const extension = fields.get("") ?? {};
  return [name, { package: packages.get(home) ?? `io.k8s.api.${home}`, extension, required, fields }];
}

let table: ReadonlyMap<string, Published> | undefined;

function publishedAs(struct: string): Published {
  table ??= new Map(publishedStructs.trim().split("\n").map(parsePublished));
  const published = table.get(struct);
  invariant(published !== undefined, `no line in published-structs.gen.ts for ${struct}`);
  return published;
}

/** Component name of a struct. */
export function structComponent(struct: string): string {
  return `${publishedAs(struct).package}.${struct.slice(struct.lastIndexOf(".") + 1)}`;
}

export function referTo(component: string): JsonObject {
  return { allOf: [{ $ref: `#/components/schemas/${component}` }] };
}

type Schemas = Record<string, JsonObject>;

function componentReference(name: keyof typeof components, schemas: Schemas): JsonObject {
  schemas[name] = components[name];
  return referTo(name);
}

/** Schema of list items and map values; structs and strings have a default there. */
function elementSchema(type: FieldType, schemas: Schemas): JsonObject {
  const schema = typeSchema(type, schemas);
  if (type.kind === "struct") return { ...schema, default: {} };
  return type.kind === "scalar" && type.name === "string" ? { ...schema, default: "" } : schema;
}

function typeSchema(type: FieldType, schemas: Schemas): JsonObject {
  switch (type.kind) {
    case "pointer":
      return typeSchema(type.of, schemas);
    case "list":
      return { type: "array", items: elementSchema(type.of, schemas) };
    case "map":
      return { type: "object", additionalProperties: elementSchema(type.of, schemas) };
    case "scalar": {
      const scalar = scalars[type.name];
      return typeof scalar === "string" ? componentReference(scalar, schemas) : scalar;
    }
    case "struct":
      addStruct(type.name, schemas);
      return referTo(structComponent(type.name));
  }
}

/** Fields of type JSON have different components depending on their struct. */
function fieldSchema(struct: string, { type }: Field, schemas: Schemas): JsonObject {
  const inner = type.kind === "pointer" || type.kind === "list" ? type.of : type;
  if (inner.kind === "scalar" && inner.name === "json") {
    if (struct === "ManagedFieldsEntry") return componentReference(`${meta}.FieldsV1`, schemas);
    if (struct === "JSONSchemaProps") {
      const reference = componentReference(`${extensions}.JSON`, schemas);
      return type.kind === "list" ? { type: "array", items: reference } : reference;
    }
  }
  const schema = typeSchema(type, schemas);
  return type.kind === "struct" ? { ...schema, default: {} } : schema;
}

/** Adds the schema of a struct and of all structs it references to `schemas`. */
export function addStruct(struct: string, schemas: Schemas): void {
  const name = structComponent(struct);
  if (Object.hasOwn(schemas, name)) return;
  // Added before its fields, because schemas are recursive.
  schemas[name] = {};
  const published = publishedAs(struct);
  const properties: Record<string, JsonValue> = {};
  const fields = fieldsOf(struct);
  const isObject = fields.some((field) => field.name === "metadata");
  for (const field of fields)
    properties[field.name] = {
      ...described(fieldDescription(struct, field.name) ?? (isObject ? objectFieldDescription(field.name) : undefined)),
      ...fieldSchema(struct, field, schemas),
      ...published.fields.get(field.name),
    };
  const { required, extension } = published;
  schemas[name] = {
    ...described(structDescription(struct)),
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    properties,
    ...extension,
  };
}

function described(text: string | undefined): JsonObject {
  return text === undefined ? {} : { description: text };
}
