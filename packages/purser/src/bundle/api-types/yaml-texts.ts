import { digitsOf, isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import { type ApiType, fieldsOf, parseType } from "./struct-table.ts";

/**
 * A value from YAML with numbers and booleans converted to strings where the type has strings, as Go's YAML reader does
 * when it decodes into a type: `replaces: 1` is "1". Values from JSON are not converted.
 * @param struct a name in the struct table; its fields are found in any case of letters
 */
export function yamlTexts(struct: string, value: JsonValue): JsonValue {
  return convert(parseType(struct), value);
}

function convert(type: ApiType, value: JsonValue): JsonValue {
  switch (type.kind) {
    case "pointer":
      return convert(type.to, value);
    case "list":
      return Array.isArray(value) ? (value as readonly JsonValue[]).map((item) => convert(type.of, item)) : value;
    case "map":
      return isPlain(value) ? mapMembers(value, () => type.of) : value;
    case "struct": {
      if (!isPlain(value)) return value;
      const fields = new Map(fieldsOf(type.name).map((field) => [field.name.toLowerCase(), field.type]));
      return mapMembers(value, (key) => fields.get(key.toLowerCase()));
    }
    case "scalar":
      return type.scalar === "string" ? scalarText(value) : value;
  }
}

function isPlain(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && digitsOf(value) === undefined;
}

function mapMembers(value: JsonObject, typeOf: (key: string) => ApiType | undefined): JsonObject {
  const entries = Object.keys(value).map((key): [string, JsonValue] => {
    const held = member(value, key) ?? null;
    const type = typeOf(key);
    return [key, type === undefined ? held : convert(type, held)];
  });
  return Object.fromEntries(entries);
}

/** A number or a truth value as text; all else as it is. */
export function scalarText(value: JsonValue): JsonValue {
  if (typeof value === "number" || typeof value === "boolean" || digitsOf(value) !== undefined)
    return canonicalJson(value);
  return value;
}
