import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { type FieldError, invalid } from "../field-error.ts";
import { goSchema, schemaFields } from "./go-schema.ts";

const allowed =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";
const allowedFields = new Set(allowed.split(" "));

/**
 * With a status subresource, `status` is validated with its own schema: the root may have no constraints beside its
 * properties.
 */
export function checkStatusRoot(schema: JsonObject, path: string): readonly FieldError[] {
  for (const [field, keyword] of schemaFields) {
    const value = member(schema, keyword);
    if (!isSet(value, keyword)) continue;
    if (field === "Type") {
      if (value === "object") continue;
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(`${path}.type`, value, detail)];
    }
    if (allowedFields.has(field)) continue;
    const detail = `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [{ ...invalid(path, null, detail), badText: goSchema(schema) }];
  }
  return [];
}

const maps = new Set(["properties", "patternProperties", "definitions"]);

function isSet(value: JsonValue | undefined, keyword: string): value is JsonValue {
  if (value === undefined || value === null || value === "" || value === false) return false;
  if (keyword === "default" || keyword === "example") return true;
  if (Array.isArray(value)) return value.length > 0;
  return !maps.has(keyword) || (isJsonObject(value) && Object.keys(value).length > 0);
}
