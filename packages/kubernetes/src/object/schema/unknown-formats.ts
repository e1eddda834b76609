import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { isKnownFormat } from "./schema-formats.ts";

const lists = ["allOf", "anyOf", "oneOf"];
const maps = ["properties", "patternProperties", "definitions", "dependencies"];

/** Formats of a schema, at any depth, that no value of their type is held against; one named twice comes twice. */
export function unknownFormats(schema: JsonObject): readonly string[] {
  const type = member(schema, "type");
  const format = member(schema, "format");
  const unknown =
    typeof format === "string" && format !== "" && !isKnownFormat(typeof type === "string" ? type : "", format);
  return [...(unknown ? [format] : []), ...schemasBelow(schema).flatMap(unknownFormats)];
}

function schemasBelow(schema: JsonObject): readonly JsonObject[] {
  const below = (key: string): JsonValue | undefined => member(schema, key);
  const items = below("items");
  return [
    ...(Array.isArray(items) ? items : [items ?? null]),
    ...lists.flatMap((key) => listOf(below(key))),
    below("not") ?? null,
    ...maps.flatMap((key) => valuesOf(below(key))),
    below("additionalProperties") ?? null,
    below("additionalItems") ?? null,
  ].filter(isJsonObject);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function valuesOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonObject(value) ? Object.values(value).filter((held) => held !== undefined) : [];
}
