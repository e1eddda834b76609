import { goQuote } from "../go-quote.ts";
import { digitsOf, isJsonObject, type JsonValue } from "../json.ts";
import { goJson } from "../text/go-json.ts";
import { formatElement } from "./field-set.ts";
import { goText } from "./go-text.ts";
import { type ListMerge, memberSchema, type MergeSchema, type ScalarMerge, shapeFor } from "./merge-schema.ts";
import { itemElement } from "./typed-walk.ts";

/**
 * What keeps a configuration from fitting its type, one text each: `.data.a: expected string, got …`. Duplicates in
 * keyed lists and undeclared fields are refused in what is applied; objects that are stored may hold both.
 */
export function checkTyped(
  value: JsonValue,
  schema: MergeSchema,
  of: "applied" | "stored" = "applied",
): readonly string[] {
  const faults: string[] = [];
  visit(value, schema, "", faults, of);
  return faults;
}

function visit(value: JsonValue, schema: MergeSchema, path: string, faults: string[], of: "applied" | "stored"): void {
  if (value === null) return;
  const shape = shapeFor(schema, value);
  const say = (text: string): void => {
    faults.push(path === "" ? text : `${path}: ${text}`);
  };
  if (shape.kind === "scalar") {
    const fault = scalarFault(shape, value);
    if (fault !== undefined) say(fault);
  } else if (shape.kind === "list") {
    if (Array.isArray(value)) visitItems(value, shape, path, faults, of);
    else say(`expected list, got &{${goText(value)}}`);
  } else if (isJsonObject(value)) {
    for (const [key, held] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (held === undefined) continue;
      const below = memberSchema(shape, key);
      if (below === undefined) {
        if (of === "stored") continue;
        // As upstream does, the first undeclared field ends the walk of its object.
        faults.push(`${path}.${key}: field not declared in schema`);
        return;
      }
      visit(held, below, `${path}.${key}`, faults, of);
    }
  } else say(`expected map, got &{${goText(value)}}`);
}

function visitItems(
  list: readonly JsonValue[],
  shape: ListMerge,
  path: string,
  faults: string[],
  of: "applied" | "stored",
): void {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    let place = `${path}[${index}]`;
    if (shape.mode !== "atomic") {
      const found = itemElement(shape, item);
      if ("fault" in found) {
        faults.push(`${path}: element ${index}: ${found.fault}`);
        return;
      }
      if (of === "applied" && seen.has(found.element))
        faults.push(`${path}: duplicate entries for key ${formatElement(found.element)}`);
      seen.add(found.element);
      place = `${path}${formatElement(found.element)}`;
    }
    visit(item, shape.items(), place, faults, of);
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
