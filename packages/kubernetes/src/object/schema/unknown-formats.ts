import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { isKnownFormat } from "./schema-formats.ts";

/** Keywords with a schema, a list of schemas or a map of them, in the order in which formats are reported. */
const keywords = [
  ["items", "schemas"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["not", "schemas"],
  ["properties", "map"],
  ["patternProperties", "map"],
  ["definitions", "map"],
  ["dependencies", "map"],
  ["additionalProperties", "schemas"],
  ["additionalItems", "schemas"],
] as const;

/** Formats of a schema at any depth that are not checked for their type; repeated formats are repeated. */
export function unknownFormats(schema: JsonObject): readonly string[] {
  const found: string[] = [];
  collect(schema, found);
  return found;
}

function collect(schema: JsonObject, found: string[]): void {
  const format = member(schema, "format");
  if (typeof format === "string" && format !== "") {
    const type = member(schema, "type");
    if (!isKnownFormat(typeof type === "string" ? type : "", format)) found.push(format);
  }
  for (const [keyword, holds] of keywords) {
    const value = member(schema, keyword);
    if (holds === "schemas") collectEach(Array.isArray(value) ? value : [value], found);
    else if (isJsonObject(value)) collectEach(Object.values(value), found);
  }
}

function collectEach(schemas: readonly (JsonValue | undefined)[], found: string[]): void {
  for (const schema of schemas) if (isJsonObject(schema)) collect(schema, found);
}
