import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { goJson, indentJson } from "@purser/kubernetes/text/go-json";
import { unifiedDiff } from "@purser/kubernetes/text/unified-diff";
import { emptiedIn } from "./emptied.ts";
import { fieldsOf, parseType, type FieldType } from "./fields/field-table.ts";
import { internalFields } from "./fields/internal-fields.ts";
import { hasMember, objectIn } from "./decoding/json-parts.ts";
import { canonicalQuantity } from "./quantity-text.ts";

interface InternalField {
  readonly name: string;
  readonly member: string;
  readonly type: FieldType;
}

const inline = "...";

const lines: ReadonlyMap<string, string> = new Map(
  internalFields
    .trim()
    .split("\n")
    .map((line): [string, string] => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)];
    }),
);

function parseField(text: string): InternalField {
  const colon = text.indexOf(":");
  const [name = "", own] = text.slice(0, colon).split("=");
  if (name.startsWith(inline))
    return { name: inline, member: name.slice(inline.length), type: parseType(text.slice(colon + 1)) };
  return {
    name,
    member: own ?? `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`,
    type: parseType(text.slice(colon + 1)),
  };
}

/**
 * The JSON that error messages quote: the internal (unversioned) struct of an API object, every field under its Go name
 * in declaration order, with its zero value when it is not set.
 */
export function internalText(struct: string, value: JsonObject): string {
  const fields = (lines.get(struct) ?? "").split(" ").map(parseField);
  const emptied = emptiedIn(value);
  const parts = fields.flatMap(({ name, member: key, type }) => {
    if (name === inline) return taggedParts(nameOf(type), objectIn(value, key));
    if (emptied.includes(key)) return [`${goJson(name)}:${type.kind === "map" ? "{}" : "[]"}`];
    return [`${goJson(name)}:${textOf(type, heldIn(struct, value, key))}`];
  });
  return `{${parts.join(",")}}`;
}

const ofTheHost = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

/** Internally, `hostNetwork` and its siblings are fields of the pod's security context, which is never nil. */
function heldIn(struct: string, value: JsonObject, key: string): JsonValue | undefined {
  if (struct !== "PodSpec" || key !== "securityContext") return member(value, key);
  const shared = ofTheHost.filter((name) => hasMember(value, name)).map((name) => [name, value[name]] as const);
  return { ...objectIn(value, key), ...(Object.fromEntries(shared) as JsonObject) };
}

function nameOf(type: FieldType): string {
  return type.kind === "struct" ? type.name : "";
}

function textOf(type: FieldType, value: JsonValue | undefined): string {
  switch (type.kind) {
    case "pointer":
      return value === undefined || value === null ? "null" : textOf(type.of, value);
    case "list":
      if (!Array.isArray(value)) return "null";
      return `[${(value as readonly JsonValue[]).map((item) => textOf(type.of, item)).join(",")}]`;
    case "map":
      return isJsonObject(value) ? mapText(type.of, value) : "null";
    case "struct": {
      const held = isJsonObject(value) ? value : {};
      return type.name.startsWith("meta.") ? taggedText(type.name, held) : internalText(type.name, held);
    }
    case "scalar":
      return scalarText(type.name, value);
  }
}

function mapText(type: FieldType, map: JsonObject): string {
  const texts = Object.entries(map).map(([key, held]): readonly [string, string] => [goJson(key), textOf(type, held)]);
  return `{${texts
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join(":"))
    .join(",")}}`;
}

function scalarText(name: string, value: JsonValue | undefined): string {
  switch (name) {
    case "bool":
      return value === true ? "true" : "false";
    case "quantity":
      return goJson(typeof value === "string" ? (canonicalQuantity(value) ?? value) : "0");
    case "string":
      return goJson(value ?? "");
    default:
      return goJson(value ?? 0);
  }
}

/** The JSON of a struct with API tags, by the field table: set fields only, in declaration order. */
export function taggedText(struct: string, value: JsonObject): string {
  return `{${taggedParts(struct, value).join(",")}}`;
}

function taggedParts(struct: string, value: JsonObject): readonly string[] {
  return fieldsOf(struct.replace(/^meta\./u, "")).flatMap(({ name, type, always }) => {
    const held = member(value, name);
    if (!always && (held === undefined || held === null)) return [];
    return [`${goJson(name)}:${taggedValue(type, held)}`];
  });
}

function taggedValue(type: FieldType, value: JsonValue | undefined): string {
  if (type.kind === "struct") return taggedText(type.name, isJsonObject(value) ? value : {});
  if (type.kind === "list" && Array.isArray(value))
    return `[${(value as readonly JsonValue[]).map((item) => taggedValue(type.of, item)).join(",")}]`;
  return value === undefined ? textOf(type, value) : goJson(value);
}

/** How two states of one struct differ, in the form that error messages quote. */
export function internalDifference(struct: string, before: JsonObject, after: JsonObject): string {
  const [from, to] = [before, after].map((value) => indentJson(internalText(struct, value), " "));
  return unifiedDiff(from ?? "", to ?? "");
}
