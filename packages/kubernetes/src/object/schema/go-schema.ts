import { goJson } from "../../text/go-json.ts";
import { compareBytes } from "../../text/members.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";

/** How Go's struct holds a keyword: pointers and lists are null when unset, others have a zero value. */
type Held = "text" | "flag" | "pointer" | "list" | "schema" | "schemas" | "map" | "items" | "orBool" | "rules";

/** The fields of JSONSchemaProps in declaration order, with the keyword of each. */
const fields: readonly (readonly [field: string, keyword: string, held: Held])[] = [
  ["ID", "id", "text"],
  ["Schema", "$schema", "text"],
  ["Ref", "$ref", "pointer"],
  ["Description", "description", "text"],
  ["Type", "type", "text"],
  ["Nullable", "nullable", "flag"],
  ["Format", "format", "text"],
  ["Title", "title", "text"],
  ["Default", "default", "pointer"],
  ["Maximum", "maximum", "pointer"],
  ["ExclusiveMaximum", "exclusiveMaximum", "flag"],
  ["Minimum", "minimum", "pointer"],
  ["ExclusiveMinimum", "exclusiveMinimum", "flag"],
  ["MaxLength", "maxLength", "pointer"],
  ["MinLength", "minLength", "pointer"],
  ["Pattern", "pattern", "text"],
  ["MaxItems", "maxItems", "pointer"],
  ["MinItems", "minItems", "pointer"],
  ["UniqueItems", "uniqueItems", "flag"],
  ["MultipleOf", "multipleOf", "pointer"],
  ["Enum", "enum", "list"],
  ["MaxProperties", "maxProperties", "pointer"],
  ["MinProperties", "minProperties", "pointer"],
  ["Required", "required", "list"],
  ["Items", "items", "items"],
  ["AllOf", "allOf", "schemas"],
  ["OneOf", "oneOf", "schemas"],
  ["AnyOf", "anyOf", "schemas"],
  ["Not", "not", "schema"],
  ["Properties", "properties", "map"],
  ["AdditionalProperties", "additionalProperties", "orBool"],
  ["PatternProperties", "patternProperties", "map"],
  ["Dependencies", "dependencies", "pointer"],
  ["AdditionalItems", "additionalItems", "orBool"],
  ["Definitions", "definitions", "map"],
  ["ExternalDocs", "externalDocs", "pointer"],
  ["Example", "example", "pointer"],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", "pointer"],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", "flag"],
  ["XIntOrString", "x-kubernetes-int-or-string", "flag"],
  ["XListMapKeys", "x-kubernetes-list-map-keys", "list"],
  ["XListType", "x-kubernetes-list-type", "pointer"],
  ["XMapType", "x-kubernetes-map-type", "pointer"],
  ["XValidations", "x-kubernetes-validations", "rules"],
];

/** A schema as Go prints the JSONSchemaProps struct, which error messages quote. */
export function goSchema(schema: JsonObject): string {
  return goStruct(fields.map(([field, keyword, held]) => [field, goField(member(schema, keyword), held)]));
}

/** All fields in declaration order, with the keyword of each. */
export const schemaFields: readonly (readonly [field: string, keyword: string])[] = fields.map(
  ([field, keyword]) => [field, keyword] as const,
);

/** Prints a struct with its fields in the given order; values are JSON texts. */
export function goStruct(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([field, text]) => `"${field}":${text}`).join(",")}}`;
}

function goField(value: JsonValue | undefined, held: Held): string {
  switch (held) {
    case "text":
      return goJson(value ?? "");
    case "flag":
      return value === true ? "true" : "false";
    case "pointer":
    case "list":
      return goJson(value ?? null);
    case "schema":
      return isJsonObject(value) ? goSchema(value) : "null";
    case "schemas":
      return goList(value, goSchema);
    case "map":
      return isJsonObject(value) ? goSchemas(value) : "null";
    case "items":
      return value === undefined || value === null ? "null" : goItems(value);
    case "orBool":
      if (typeof value === "boolean") return `{"Allows":${value},"Schema":null}`;
      return isJsonObject(value) ? `{"Allows":true,"Schema":${goSchema(value)}}` : "null";
    case "rules":
      return goList(value, goRule);
  }
}

function goList(value: JsonValue | undefined, one: (item: JsonObject) => string): string {
  return Array.isArray(value) ? `[${value.filter(isJsonObject).map(one).join(",")}]` : "null";
}

function goSchemas(value: JsonObject): string {
  const entries = Object.entries(value).toSorted(([a], [b]) => compareBytes(a, b));
  return `{${entries.flatMap(([key, schema]) => (isJsonObject(schema) ? [`${goJson(key)}:${goSchema(schema)}`] : [])).join(",")}}`;
}

/** The value of `items`: one schema, or a list of them. */
export function goItems(value: JsonValue): string {
  return Array.isArray(value)
    ? `{"Schema":null,"JSONSchemas":${goList(value, goSchema)}}`
    : `{"Schema":${isJsonObject(value) ? goSchema(value) : "null"},"JSONSchemas":null}`;
}

const ruleFields = [
  ["Rule", "rule", ""],
  ["Message", "message", ""],
  ["MessageExpression", "messageExpression", ""],
  ["Reason", "reason", null],
  ["FieldPath", "fieldPath", ""],
  ["OptionalOldSelf", "optionalOldSelf", null],
] as const;

/** An entry of `x-kubernetes-validations`. */
export function goRule(rule: JsonObject): string {
  return goStruct(ruleFields.map(([field, key, zero]) => [field, goJson(member(rule, key) ?? zero)]));
}
