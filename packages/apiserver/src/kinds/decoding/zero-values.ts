import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { fieldsOf, type FieldType, type ScalarName } from "../fields/field-table.ts";

/** Whether Go's omitempty drops the value: never for set pointers and structs; times by IsZero. */
export function isZero(type: FieldType, value: JsonValue): boolean {
  switch (type.kind) {
    case "pointer":
      // JSONSchemaPropsOrArray is unset when its list is empty.
      return type.of.kind === "scalar" && type.of.name === "schemaOrList" && Array.isArray(value) && value.length === 0;
    case "struct":
      return false;
    case "list":
      return Array.isArray(value) && value.length === 0;
    case "map":
      // An empty one is kept, because validation has to refuse it.
      if (type.of.kind === "scalar" && type.of.name === "schemaOrStrings") return false;
      return isJsonObject(value) && Object.keys(value).length === 0;
    case "scalar":
      return (
        type.name !== "json" &&
        type.name !== "intorstring" &&
        (value === "" || value === 0 || value === false || value === null)
      );
  }
}

/** The value that Go writes for an unset field without omitempty. */
export function zeroOf(type: FieldType): JsonValue {
  switch (type.kind) {
    case "pointer":
    case "list":
    case "map":
      return null;
    case "struct":
      return zeroStruct(type.name);
    case "scalar":
      return zeroScalar(type.name);
  }
}

const zeroStructs = new Map<string, JsonObject>();

function zeroStruct(name: string): JsonObject {
  const known = zeroStructs.get(name);
  if (known !== undefined) return known;
  const out: Record<string, JsonValue> = {};
  for (const field of fieldsOf(name)) if (field.always) out[field.name] = zeroOf(field.type);
  zeroStructs.set(name, Object.freeze(out));
  return out;
}

function zeroScalar(name: ScalarName): JsonValue {
  switch (name) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float":
    case "intorstring":
      return 0;
    case "quantity":
      return "0";
    case "bytes":
    case "time":
    case "microtime":
    case "json":
    case "schemaOrList":
    case "schemaOrBool":
    case "schemaOrStrings":
      return null;
  }
}
