import { goQuote } from "../../go-quote.ts";
import { parseApiVersion } from "../../apis/resource-type.ts";
import { digitsOf, isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { knownKeys } from "../../known-keys.ts";
import { sortedInSteps, Strides, type Steps } from "../../steps.ts";
import { goJson } from "../../text/go-json.ts";
import { formatElement } from "./field-set.ts";
import { goText } from "../go-text.ts";
import { type ListMerge, memberSchema, type MergeSchema, type ScalarMerge, shapeFor } from "./merge-schema.ts";
import { itemElement } from "./list-elements.ts";

/** Objects that are stored may hold duplicates in keyed lists and undeclared fields, those on their way to another version only the latter. */
type Strictness = "applied" | "stored" | "converted";

/**
 * What keeps a configuration from fitting its type, one text each: `.data.a: expected string, got …`. Duplicates in
 * keyed lists and undeclared fields are refused in what is applied.
 */
export function* checkTyped(
  value: JsonValue,
  schema: MergeSchema,
  of: Strictness = "applied",
): Steps<readonly string[]> {
  const faults: string[] = [];
  yield* visit(value, schema, "", faults, { of, strides: new Strides() });
  return faults;
}

interface Look {
  readonly of: Strictness;
  readonly strides: Strides;
}

/** `typed patch object (ns/name; group/v1, Kind=Thing): …`: which object has these faults, and `what` it was to become. */
export function typedObjectText(
  object: JsonObject,
  apiVersion: string,
  faults: readonly string[],
  what: string,
  after = "",
): string {
  const metadata = member(object, "metadata");
  const text = (key: string): string => {
    const value = isJsonObject(metadata) ? member(metadata, key) : undefined;
    return typeof value === "string" ? value : "";
  };
  const { group, version } = parseApiVersion(apiVersion);
  const kind = member(object, "kind");
  const gvk = `${group}/${version}, Kind=${typeof kind === "string" ? kind : ""}`;
  const list = faults.length === 1 ? (faults[0] ?? "") : `errors:\n${faults.map((fault) => `  ${fault}`).join("\n")}`;
  return `${what} (${text("namespace")}/${text("name")}; ${gvk})${after}: ${list}`;
}

function* visit(value: JsonValue, schema: MergeSchema, path: string, faults: string[], look: Look): Steps<void> {
  const { of, strides } = look;
  if (strides.isDue()) yield;
  if (value === null) return;
  const shape = shapeFor(schema, value);
  const say = (text: string): void => {
    faults.push(path === "" ? text : `${path}: ${text}`);
  };
  if (shape.kind === "scalar") {
    const fault = scalarFault(shape, value);
    if (fault !== undefined) say(fault);
  } else if (shape.kind === "list") {
    if (Array.isArray(value)) yield* visitItems(value, shape, path, faults, look);
    else say(`expected list, got &{${goText(value)}}`);
  } else if (isJsonObject(value)) {
    for (const key of yield* sortedInSteps(knownKeys(value), (a, b) => (a < b ? -1 : 1))) {
      const held = value[key];
      if (held === undefined) continue;
      const below = memberSchema(shape, key);
      if (below === undefined) {
        if (of !== "applied") continue;
        // As upstream does, the first undeclared field ends the walk of its object.
        faults.push(`${path}.${key}: field not declared in schema`);
        return;
      }
      if (below.kind === "scalar" && held !== null && scalarFault(below, held) === undefined) {
        if (strides.isDue()) yield;
      } else yield* visit(held, below, `${path}.${key}`, faults, look);
    }
  } else say(`expected map, got &{${goText(value)}}`);
}

function* visitItems(
  list: readonly JsonValue[],
  shape: ListMerge,
  path: string,
  faults: string[],
  look: Look,
): Steps<void> {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    let place = `${path}[${index}]`;
    if (shape.mode !== "atomic") {
      const found = itemElement(shape, item);
      if ("fault" in found) {
        faults.push(`${path}: element ${index}: ${found.fault}`);
        return;
      }
      if (look.of !== "stored" && seen.has(found.element))
        faults.push(`${path}: duplicate entries for key ${formatElement(found.element)}`);
      seen.add(found.element);
      place = `${path}${formatElement(found.element)}`;
    }
    yield* visit(item, shape.items(), place, faults, look);
  }
}

function scalarFault(shape: ScalarMerge, value: JsonValue): string | undefined {
  switch (shape.type) {
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "numeric":
      return typeof value === "number" || digitsOf(value) !== undefined
        ? undefined
        : `expected numeric (int or float), got ${goType(value)}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goText(value)}}`;
    case "any":
      return typeof value === "object" && digitsOf(value) === undefined
        ? `expected any scalar, got &{${goText(value)}}`
        : undefined;
  }
}

/** Go's name of the decoded type. */
function goType(value: JsonValue): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

/** Like Go's `%#v`. */
function goSyntax(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (typeof value !== "object") return goJson(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map((item: JsonValue) => goSyntax(item)).join(", ")}}`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${members.map(([key, held]) => `${goQuote(key)}:${goSyntax(held)}`).join(", ")}}`;
}
