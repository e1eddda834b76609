import type { JsonObject } from "../../json.ts";
import { fieldsOf, type FieldType, type ScalarName } from "../kinds/fields/field-table.ts";

const scalarSchemas: Readonly<Record<ScalarName, JsonObject>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  time: { type: "string", format: "date-time" },
  microtime: { type: "string", format: "date-time" },
  quantity: { oneOf: [{ type: "string" }, { type: "number" }] },
  intorstring: { type: "string", format: "int-or-string" },
  json: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  schemaOrList: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  schemaOrBool: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  schemaOrStrings: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

/** The component that a struct of the built-in kinds is published as. */
export function structComponent(struct: string): string {
  return `io.k8s.api.${struct}`;
}

function schemaOf(type: FieldType, visit: (struct: string) => void): JsonObject {
  switch (type.kind) {
    case "pointer":
      return schemaOf(type.of, visit);
    case "list":
      return { type: "array", items: schemaOf(type.of, visit) };
    case "map":
      return { type: "object", additionalProperties: schemaOf(type.of, visit) };
    case "scalar":
      return scalarSchemas[type.name];
    case "struct":
      visit(type.name);
      return { allOf: [{ $ref: `#/components/schemas/${structComponent(type.name)}` }], default: {} };
  }
}

/** Adds the schemas of a struct and of everything it reaches to `schemas`. */
export function addStruct(struct: string, schemas: Record<string, JsonObject>): void {
  const name = structComponent(struct);
  if (Object.hasOwn(schemas, name)) return;
  schemas[name] = {};
  const properties: Record<string, JsonObject> = {};
  for (const field of fieldsOf(struct))
    properties[field.name] = schemaOf(field.type, (reached) => addStruct(reached, schemas));
  schemas[name] = { type: "object", properties };
}

/** The properties of a built-in kind, with what they reach added to `schemas`. */
export function kindProperties(struct: string, schemas: Record<string, JsonObject>): JsonObject {
  const properties: Record<string, JsonObject> = {};
  for (const field of fieldsOf(struct))
    if (field.name !== "kind" && field.name !== "apiVersion" && field.name !== "metadata")
      properties[field.name] = schemaOf(field.type, (reached) => addStruct(reached, schemas));
  return properties;
}
