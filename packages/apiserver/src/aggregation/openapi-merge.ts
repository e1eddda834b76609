import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { objectIn, objectsIn } from "../kinds/decoding/json-parts.ts";

const definitionPrefix = "#/definitions/";
const schemaPrefix = "#/components/schemas/";

/** Applies `change` to all strings of a document; member names stay. */
function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => mapTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, mapTexts(held ?? null, change)]));
}

function referencesIn(value: JsonValue, found: Set<string>): void {
  mapTexts(value, (text) => {
    if (text.startsWith(definitionPrefix)) found.add(text.slice(definitionPrefix.length));
    return text;
  });
}

/** Names of the definitions that are referenced, directly or transitively. */
function reachable(from: JsonValue, definitions: JsonObject): ReadonlySet<string> {
  const found = new Set<string>();
  referencesIn(from, found);
  // Names added during the iteration are visited too.
  for (const name of found) referencesIn(objectIn(definitions, name), found);
  return found;
}

/** Names of the definitions to keep: all except those used only by dropped paths. */
function keptDefinitions(swagger: JsonObject, kept: JsonObject): readonly string[] {
  const definitions = objectIn(swagger, "definitions");
  const [all, still] = [reachable(objectIn(swagger, "paths"), definitions), reachable(kept, definitions)];
  return Object.keys(definitions).filter((name) => still.has(name) || !all.has(name));
}

/**
 * Merges one group and version of another OpenAPI 2 document into `own`: its paths and definitions. A definition that
 * differs from one of the same name is renamed.
 */
export function mergeSwagger(own: JsonObject, other: JsonObject, groupVersion: string): JsonObject {
  const prefix = `/apis/${groupVersion}/`;
  const paths = Object.fromEntries(
    Object.entries(objectIn(other, "paths")).filter(([path]) => path.startsWith(prefix)),
  );
  const definitions = objectIn(own, "definitions");
  const added = objectIn(other, "definitions");
  const names = new Map<string, string>();
  for (const name of keptDefinitions(other, paths)) {
    let chosen = name;
    for (let next = 2; isTaken(chosen, objectIn(added, name)); next++) chosen = `${name}_v${next}`;
    names.set(name, chosen);
  }
  const renamed = (value: JsonValue): JsonValue =>
    mapTexts(value, (text) => {
      const name = text.startsWith(definitionPrefix) ? text.slice(definitionPrefix.length) : "";
      return names.has(name) ? `${definitionPrefix}${names.get(name) ?? name}` : text;
    });
  const kept = [...names].map(([name, chosen]) => [chosen, renamed(objectIn(added, name))] as const);
  return {
    ...own,
    paths: { ...objectIn(own, "paths"), ...(renamed(paths) as JsonObject) },
    definitions: { ...definitions, ...Object.fromEntries(kept) },
  };

  function isTaken(name: string, definition: JsonObject): boolean {
    return Object.hasOwn(definitions, name) && !deepEqual(objectIn(definitions, name), definition);
  }
}

/** Converts an OpenAPI 2 document to version 3, for servers that serve only version 2. */
export function swaggerToV3(swagger: JsonObject, groupVersion: string): JsonObject {
  const prefix = `/apis/${groupVersion}/`;
  const paths = Object.entries(objectIn(swagger, "paths")).filter(([path]) => path.startsWith(prefix));
  const definitions = objectIn(swagger, "definitions");
  const needed = new Set(keptDefinitions(swagger, Object.fromEntries(paths)));
  const schemas = Object.entries(definitions).filter(([name]) => needed.has(name));
  const document: JsonObject = {
    openapi: "3.0.0",
    info: objectIn(swagger, "info"),
    paths: Object.fromEntries(paths.map(([path, item]) => [path, pathItem(isJsonObject(item) ? item : {})])),
    components: { schemas: Object.fromEntries(schemas) },
  };
  return mapTexts(document, (text) =>
    text.startsWith(definitionPrefix) ? `${schemaPrefix}${text.slice(definitionPrefix.length)}` : text,
  ) as JsonObject;
}

function pathItem(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([key, held]) => {
      if (key === "parameters") return [key, objectsIn(item, key).map(parameter)];
      return [key, isJsonObject(held) ? operation(held) : held];
    }),
  );
}

function operation(held: JsonObject): JsonObject {
  const { consumes: _consumes, produces: _produces, parameters: _parameters, responses: _responses, ...rest } = held;
  const all = objectsIn(held, "parameters");
  const body = all.find((given) => given["in"] === "body");
  const inContent = (schema: JsonValue | undefined, types: readonly JsonObject[] | JsonValue): JsonObject => {
    const named = (Array.isArray(types) ? types : []).filter((type) => typeof type === "string");
    const list = named.length === 0 ? ["application/json"] : named;
    return Object.fromEntries(list.map((type) => [type, { schema: schema ?? {} }]));
  };
  const responses = Object.entries(objectIn(held, "responses")).map(([code, answer]) => {
    const { schema, ...rest } = isJsonObject(answer) ? answer : {};
    return [code, schema === undefined ? rest : { ...rest, content: inContent(schema, held["produces"] ?? []) }];
  });
  return {
    ...rest,
    parameters: all.filter((given) => given !== body).map(parameter),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: inContent(body["schema"], held["consumes"] ?? []) } }),
    responses: Object.fromEntries(responses) as JsonObject,
  };
}

function parameter(given: JsonObject): JsonObject {
  const { type, format, items, uniqueItems, ...rest } = given;
  const schema = Object.entries({ type, format, items, uniqueItems }).filter(([, value]) => value !== undefined);
  return schema.length === 0 ? rest : { ...rest, schema: Object.fromEntries(schema) };
}
