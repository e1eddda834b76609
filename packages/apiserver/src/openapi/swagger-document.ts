import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";

/** Keywords that OpenAPI 2 does not have. */
const unknown: ReadonlySet<string> = new Set(["default", "oneOf", "anyOf", "not", "nullable", "allOf"]);

/** Converts an OpenAPI 3 schema to version 2: plain references, no alternatives. */
function schema(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(schema);
  if (!isJsonObject(value)) return typeof value === "string" ? definition(value) : value;
  const { allOf, oneOf } = value;
  const [only] = Array.isArray(allOf) ? (allOf as readonly JsonValue[]) : [];
  const alternatives = Array.isArray(oneOf) && value["type"] === undefined ? { type: "string" } : {};
  const kept = Object.entries(value).flatMap(([key, held]) => {
    if (key === "properties" && isJsonObject(held))
      return [[key, Object.fromEntries(Object.entries(held).map(([name, of]) => [name, schema(of ?? null)]))] as const];
    return unknown.has(key) ? [] : [[key, schema(held ?? null)] as const];
  });
  return { ...(isJsonObject(only) ? (schema(only) as JsonObject) : {}), ...alternatives, ...Object.fromEntries(kept) };
}

function definition(text: string): string {
  return text.startsWith("#/components/schemas/") ? text.replace("#/components/schemas/", "#/definitions/") : text;
}

function parameter(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { schema: held, ...rest } = value;
  return { ...rest, ...(isJsonObject(held) ? held : {}) };
}

function operation(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { requestBody, parameters, responses, ...rest } = value;
  const content = isJsonObject(requestBody) ? requestBody["content"] : undefined;
  const [body] = isJsonObject(content) ? Object.values(content) : [];
  const types = isJsonObject(content) ? Object.keys(content) : [];
  const query = Array.isArray(parameters) ? (parameters as readonly JsonValue[]).map(parameter) : [];
  const sent = isJsonObject(body)
    ? [{ name: "body", in: "body", required: true, schema: schema(body["schema"] ?? {}) }]
    : [];
  const answers = isJsonObject(responses) ? Object.entries(responses) : [];
  return {
    ...rest,
    ...(types.length === 0 ? {} : { consumes: types }),
    produces: ["application/json", "application/yaml"],
    parameters: [...sent, ...query],
    responses: Object.fromEntries(answers.map(([code, answer]) => [code, response(answer ?? null)])),
  };
}

function response(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { content, ...rest } = value;
  const [body] = isJsonObject(content) ? Object.values(content) : [];
  return { ...rest, ...(isJsonObject(body) ? { schema: schema(body["schema"] ?? {}) } : {}) };
}

/** Merges all OpenAPI 3 documents into one OpenAPI 2 document. */
export function swaggerDocument(documents: Iterable<JsonObject>): JsonObject {
  const paths: Record<string, JsonValue> = {};
  const definitions: Record<string, JsonValue> = {};
  for (const document of documents) {
    const { paths: found, components } = document;
    for (const [path, item] of Object.entries(isJsonObject(found) ? found : {}))
      if (isJsonObject(item))
        paths[path] = Object.fromEntries(Object.entries(item).map(([method, of]) => [method, operation(of ?? null)]));
    const schemas = isJsonObject(components) ? components["schemas"] : undefined;
    for (const [name, of] of Object.entries(isJsonObject(schemas) ? schemas : {}))
      definitions[name] = schema(of ?? null);
  }
  return { swagger: "2.0", info: { title: "Kubernetes", version: "1.36" }, paths, definitions };
}
