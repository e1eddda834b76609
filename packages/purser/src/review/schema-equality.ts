import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { canonicalJson } from "@purser/kubernetes/text/documents";

/** Values, not schemas: absent and empty are not the same. */
const values = new Set(["default", "example"]);
/** Lists and maps, where empty means absent; `items: {}` and the like are schemas and mean something. */
const collections = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "enum",
  "required",
  "properties",
  "patternProperties",
  "definitions",
  "dependencies",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-validations",
]);
/** Maps from names that the author chose to schemas: such a name is no keyword, also when it is spelt like one. */
const schemasByName = new Set(["properties", "patternProperties", "definitions", "dependencies"]);

/** Whether two members of a schema mean the same. */
export function sameMember(name: string, old: JsonValue | undefined, next: JsonValue | undefined): boolean {
  if (old === next) return true;
  if (values.has(name)) return deepEqual(old, next);
  if (collections.has(name) && isEmpty(old) && isEmpty(next)) return true;
  if (old === undefined || next === undefined) return false;
  if (Array.isArray(old) && Array.isArray(next)) {
    return old.length === next.length && old.every((item: JsonValue, i) => sameMember("", item, next[i]));
  }
  if (!isJsonObject(old) || !isJsonObject(next)) return deepEqual(old, next);
  return schemasByName.has(name) ? sameSchemas(old, next) : sameMembers(old, next, new Set());
}

function sameSchemas(old: JsonObject, next: JsonObject): boolean {
  return namesOf(old, next).every((key) => sameMember("", member(old, key), member(next, key)));
}

/** Whether two schemas mean the same, but for some of their members. */
export function sameMembers(old: JsonObject, next: JsonObject, ignored: ReadonlySet<string>): boolean {
  // Every node of a schema is asked about: neither a list of all names nor copies are made.
  for (const key of Object.keys(old))
    if (!ignored.has(key) && !sameMember(key, member(old, key), member(next, key))) return false;
  for (const key of Object.keys(next))
    if (!Object.hasOwn(old, key) && !ignored.has(key) && !sameMember(key, undefined, member(next, key))) return false;
  return true;
}

/** What differs between two schemas, as a text that is equal for equal differences. */
export function schemaDifference(old: JsonObject, next: JsonObject): string {
  return canonicalJson(difference("", old, next) ?? null);
}

function difference(name: string, old: JsonValue | undefined, next: JsonValue | undefined): JsonValue | undefined {
  if (sameMember(name, old, next)) return undefined;
  if (!values.has(name) && isJsonObject(old) && isJsonObject(next)) {
    return Object.fromEntries(
      namesOf(old, next).flatMap((key) => {
        const inner = difference(schemasByName.has(name) ? "" : key, member(old, key), member(next, key));
        return inner === undefined ? [] : [[key, inner] as const];
      }),
    );
  }
  return [old ?? null, next ?? null];
}

function namesOf(old: JsonObject, next: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted();
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined) return true;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}
