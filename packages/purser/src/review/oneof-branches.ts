import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/documents";

/** An alternative of `oneOf` as the check of upgrades compares it. */
export interface Branch {
  readonly text: string;
  /** False when OLM compares addresses in memory: then the branch equals no other, not even an unchanged one. */
  readonly comparable: boolean;
}

/** Members that do not change what a branch accepts; below the branch's own level they count. */
const notStructural = new Set(["description", "title", "example", "externalDocs"]);

/** Held by pointers; Go prints where they point to, unless the schema is one that prints itself. */
const pointers = new Set([
  "$ref",
  "maximum",
  "minimum",
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "multipleOf",
  "maxProperties",
  "minProperties",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
]);

/** Lists and maps, where empty means absent. */
const collections = new Set([
  "enum",
  "required",
  "allOf",
  "oneOf",
  "anyOf",
  "properties",
  "patternProperties",
  "dependencies",
  "definitions",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-validations",
]);

/**
 * The branches of a node's `oneOf`, once each, in the order of their texts; what crdify compares as the strings of
 * its `normalizeSchema`d branches.
 */
export function branchesOf(node: JsonObject): readonly Branch[] {
  const held = member(node, "oneOf");
  if (!Array.isArray(held)) return [];
  const found = new Map<string, Branch>();
  for (const branch of held as readonly JsonValue[]) {
    if (!isJsonObject(branch)) continue;
    const bare = Object.fromEntries(Object.entries(branch).filter(([name]) => !notStructural.has(name)));
    const text = goJson(withoutEmpty(bare));
    found.set(text, { text, comparable: !showsAddress(bare, false) });
  }
  return [...found.values()].toSorted((a, b) => (a.text < b.text ? -1 : 1));
}

/** Those of `branches` that are not among `others`. */
export function branchesWithout(branches: readonly Branch[], others: readonly Branch[]): readonly Branch[] {
  const known = new Set(others.filter(({ comparable }) => comparable).map(({ text }) => text));
  return branches.filter(({ text, comparable }) => !comparable || !known.has(text));
}

function withoutEmpty(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value = null]) => {
      if (collections.has(name) && isEmpty(value)) return [];
      if (name === "default" || name === "example" || name === "enum") return [[name, value]];
      return [[name, deep(value)]];
    }),
  );
}

function deep(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => deep(item));
  if (!isJsonObject(value)) return value;
  return withoutEmpty(value);
}

function isEmpty(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

/**
 * Whether Go's text of a schema holds an address. A schema behind a pointer prints itself; one that is a value of a
 * map is `raw`: its pointers to numbers, flags and texts are printed as addresses, and so are those of its branches.
 */
function showsAddress(schema: JsonObject, raw: boolean): boolean {
  return Object.entries(schema).some(([name, value = null]) => {
    if (pointers.has(name)) return raw;
    switch (name) {
      case "properties":
      case "patternProperties":
      case "definitions":
        return schemasIn(value).some((each) => showsAddress(each, true));
      case "allOf":
      case "anyOf":
      case "oneOf":
        return schemasIn(value).some((each) => showsAddress(each, raw));
      case "items":
        return schemasOrList(value).some((each) => showsAddress(each, false));
      case "not":
      case "additionalProperties":
      case "additionalItems":
        return isJsonObject(value) && showsAddress(value, false);
      case "dependencies":
        return schemasIn(value).some((each) => showsAddress(each, false));
      case "x-kubernetes-validations":
        return raw && schemasIn(value).some((rule) => "reason" in rule || "optionalOldSelf" in rule);
      default:
        return false;
    }
  });
}

function schemasOrList(value: JsonValue): readonly JsonObject[] {
  return isJsonObject(value) ? [value] : schemasIn(value);
}

function schemasIn(value: JsonValue): readonly JsonObject[] {
  const held = Array.isArray(value) ? (value as readonly JsonValue[]) : isJsonObject(value) ? Object.values(value) : [];
  return held.filter((item) => isJsonObject(item));
}
