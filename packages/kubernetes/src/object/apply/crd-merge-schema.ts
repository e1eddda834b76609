import { type MapMerge, type MergeField, type MergeSchema, untyped } from "./merge-schema.ts";
import { objectMetaSchema } from "./builtin-merge-schemas.ts";
import type { StructuralSchema } from "../schema/schema-node.ts";

/** The merge schema of a custom resource: list and map types of its structural schema, ObjectMeta's own for `metadata`. */
export function mergeSchemaOfStructural(schema: StructuralSchema): MergeSchema {
  return objectSchema(schema, true);
}

const text: MergeSchema = { kind: "scalar", type: "string" };

function fieldOf(schema: MergeSchema): MergeField {
  return { schema: () => schema };
}

function objectSchema(schema: StructuralSchema, isResource: boolean): MapMerge {
  const fields = new Map<string, MergeField>();
  for (const [key, property] of schema.properties) {
    const merge = schemaOf(property);
    const held = fieldOf(merge);
    fields.set(key, property.default === undefined ? held : { ...held, default: property.default });
  }
  if (isResource) {
    fields.set("apiVersion", fieldOf(text));
    fields.set("kind", fieldOf(text));
    fields.set("metadata", { schema: objectMetaSchema });
  }
  const { additional } = schema;
  const values = typeof additional === "object" ? schemaOf(additional) : undefined;
  const open =
    schema.preserveUnknown ||
    additional === true ||
    (schema.properties.size === 0 && additional === undefined && !isResource);
  return {
    kind: "map",
    atomic: schema.mapType === "atomic",
    fields,
    ...(values === undefined ? (open ? { values: () => untyped } : {}) : { values: () => values }),
  };
}

function schemaOf(schema: StructuralSchema): MergeSchema {
  if (schema.intOrString) return untyped;
  switch (schema.type) {
    case "object":
      return objectSchema(schema, schema.embedded);
    case "array":
      return listSchema(schema);
    case "string":
      // A string of any other format is a scalar of no particular type.
      return schema.format === "" || schema.format === "byte" ? text : { kind: "scalar", type: "any" };
    case "integer":
    case "number":
      return { kind: "scalar", type: "numeric" };
    case "boolean":
      return { kind: "scalar", type: "boolean" };
    case "":
      return untyped;
  }
}

function listSchema(schema: StructuralSchema): MergeSchema {
  const items = schema.items === undefined ? untyped : schemaOf(schema.items);
  return { kind: "list", mode: schema.listType, keys: schema.listMapKeys, items: () => items };
}
