import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/documents";
import { type ApiType, fieldsOf, parseType } from "./struct-table.ts";

/**
 * The text that Go's encoding/json writes for a value read with `readTyped`: members of structs in declared order, keys
 * of maps sorted, compact, with `<`, `>` and `&` escaped; no final newline.
 * @param type in the notation of the struct table, such as `[]PolicyRule`
 */
export function writeTyped(type: string, value: JsonValue): string {
  return write(parseType(type), value);
}

function write(type: ApiType, value: JsonValue): string {
  switch (type.kind) {
    case "pointer":
      return write(type.to, value);
    case "list":
      return Array.isArray(value)
        ? `[${value.map((item: JsonValue) => write(type.of, item)).join(",")}]`
        : goJson(value);
    case "map":
      return isJsonObject(value) ? writeMembers(value, Object.keys(value).toSorted(), () => type.of) : goJson(value);
    case "struct":
      return isJsonObject(value) ? writeStruct(type.name, value) : goJson(value);
    case "scalar":
      if (type.scalar.startsWith("schemaOr") && isJsonObject(value)) return writeStruct("ext.JSONSchemaProps", value);
      return goJson(value);
  }
}

function writeStruct(name: string, value: JsonObject): string {
  const types = new Map(fieldsOf(name).map((field) => [field.name, field.type]));
  const present = [...types.keys()].filter((key) => member(value, key) !== undefined);
  return writeMembers(value, present, (key) => types.get(key));
}

function writeMembers(
  value: JsonObject,
  keys: readonly string[],
  typeOf: (key: string) => ApiType | undefined,
): string {
  const members = keys.map((key) => {
    const held = member(value, key) ?? null;
    const type = typeOf(key);
    return `${goJson(key)}:${type === undefined ? goJson(held) : write(type, held)}`;
  });
  return `{${members.join(",")}}`;
}
