import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { type Steps, Strides } from "../../steps.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../field-error.ts";
import { checkListMap } from "./check-list-map.ts";
import { mentions } from "./check-structure.ts";

/** Context that a node passes to the nodes below it. */
interface Surroundings {
  /** Why defaults are forbidden here; undefined where they are allowed. */
  readonly noDefaults?: string;
  readonly insideMetadata: boolean;
  /** The list (or atomic map) inside which old and new values cannot be correlated. */
  readonly uncorrelatable?: string;
  /** CEL rules are checked only where values are specified, not inside `allOf`, `anyOf`, `oneOf` and `not`. */
  readonly declares: boolean;
}

/** A node whose rules can be compiled, because there is no schema error at or below it. */
export interface RuleSite {
  readonly node: JsonObject;
  readonly path: string;
  readonly isRoot: boolean;
  readonly uncorrelatable?: string;
  /** Declared size limits of the enclosing lists and maps, outermost first; undefined where there is none. */
  readonly bounds: readonly (number | undefined)[];
}

/** Kubernetes' rules beyond structure, with pauses: allowed keywords, list types, fields of validation rules. */
export function* checkSchemaRules(
  root: JsonObject,
  path: string,
): Steps<{ readonly errors: readonly FieldError[]; readonly sites: readonly RuleSite[] }> {
  const errors: FieldError[] = [];
  const sites: RuleSite[] = [];
  yield* walk(root, path, { insideMetadata: false, declares: true }, true, [], {
    errors,
    sites,
    strides: new Strides(),
  });
  return { errors, sites };
}

const envelope = new Set(["apiVersion", "kind", "metadata"]);

/** What one walk through a schema finds. */
interface Found {
  readonly errors: FieldError[];
  readonly sites: RuleSite[];
  readonly strides: Strides;
}

/** A node costs as much as so many entries of other passes: each of some dozens of keywords is looked up. */
const nodeCost = 32;

function* walk(
  node: JsonObject,
  path: string,
  around: Surroundings,
  isRoot: boolean,
  bounds: readonly (number | undefined)[],
  found: Found,
): Steps<void> {
  const { errors, sites, strides } = found;
  if (strides.isDue(nodeCost)) yield;
  const before = errors.length;
  const ownSites: RuleSite[] = [];
  const below = function* (
    child: JsonValue | undefined,
    place: string,
    next: Surroundings,
    inner = bounds,
  ): Steps<void> {
    if (isJsonObject(child)) yield* walk(child, place, next, false, inner, { ...found, sites: ownSites });
  };
  checkKeywords(node, path, around, errors);
  const properties = member(node, "properties");
  const additional = member(node, "additionalProperties");
  if (additional !== undefined && additional !== null) {
    const held = isJsonObject(properties) && Object.keys(properties).length > 0;
    // Beside properties `additionalProperties: true` has no effect.
    if (held && additional !== true) {
      const detail = "additionalProperties and properties are mutual exclusive";
      errors.push(forbidden(`${path}.additionalProperties`, detail));
    }
    const next = around.insideMetadata
      ? { ...around, noDefaults: "inside additionalProperties applying to object metadata" }
      : around;
    yield* below(additional, `${path}.additionalProperties`, next, [...bounds, numberOf(node, "maxProperties")]);
  }
  if (isJsonObject(properties)) {
    for (const [key, property] of Object.entries(properties)) {
      yield* below(property, `${path}.properties[${key}]`, forProperty(node, key, path, isRoot, around));
    }
  }
  const nested = { ...around, declares: false };
  yield* below(member(node, "not"), `${path}.not`, nested);
  for (const name of ["allOf", "oneOf", "anyOf"]) {
    const list = member(node, name);
    if (!Array.isArray(list)) continue;
    for (const [index, branch] of list.entries()) yield* below(branch, `${path}.${name}[${index}]`, nested);
  }
  const definitions = member(node, "definitions");
  if (isJsonObject(definitions)) {
    for (const [key, definition] of Object.entries(definitions)) {
      yield* below(definition, `${path}.definitions[${key}]`, nested);
    }
  }
  const forItems =
    member(node, "x-kubernetes-list-type") === "map" || around.uncorrelatable !== undefined
      ? around
      : { ...around, uncorrelatable: path };
  const items = member(node, "items");
  const itemBounds = [...bounds, numberOf(node, "maxItems")];
  yield* below(items, `${path}.items`, forItems, itemBounds);
  if (Array.isArray(items)) {
    for (const [index, item] of items.entries()) yield* below(item, `${path}.items[${index}]`, forItems, itemBounds);
  }
  const dependencies = member(node, "dependencies");
  if (isJsonObject(dependencies)) {
    for (const [key, dependency] of Object.entries(dependencies)) {
      yield* below(dependency, `${path}.dependencies[${key}]`, nested);
    }
  }
  checkTypesOfCollections(node, path, errors);
  checkListMap(node, path, errors);
  checkRuleTexts(node, path, errors);
  if (errors.length === before && around.declares && hasRules(node)) {
    sites.push({
      node,
      path,
      isRoot,
      bounds,
      ...(around.uncorrelatable === undefined ? {} : { uncorrelatable: around.uncorrelatable }),
    });
  }
  for (const site of ownSites) sites.push(site);
}

function hasRules(node: JsonObject): boolean {
  const rules = member(node, "x-kubernetes-validations");
  return Array.isArray(rules) && rules.length > 0;
}

function forProperty(node: JsonObject, key: string, path: string, isRoot: boolean, around: Surroundings): Surroundings {
  const atomic = member(node, "x-kubernetes-map-type") === "atomic";
  const correlated = atomic && around.uncorrelatable === undefined ? { ...around, uncorrelatable: path } : around;
  if (!envelope.has(key) || !(isRoot || member(node, "x-kubernetes-embedded-resource") === true)) return correlated;
  const inside = { ...correlated, insideMetadata: true };
  return isRoot ? { ...inside, noDefaults: `in top-level ${key}` } : inside;
}

const knownTypes = ["array", "boolean", "integer", "number", "object", "string"];

function checkKeywords(node: JsonObject, path: string, around: Surroundings, errors: FieldError[]): void {
  const type = member(node, "type");
  if (typeof type === "string" && type !== "" && !knownTypes.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, knownTypes));
  }
  const fallback = member(node, "default");
  if (fallback !== undefined && fallback !== null && around.noDefaults !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${around.noDefaults}`));
  }
  for (const keyword of ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"]) {
    // For `dependencies` an empty map counts as set.
    const isEmptyMap = keyword === "dependencies" && isJsonObject(member(node, keyword));
    if (isEmptyMap || mentions(node, keyword))
      errors.push(forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
  }
  if (type === "null") {
    errors.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if (Array.isArray(member(node, "items"))) {
    errors.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  }
  if (around.insideMetadata && member(node, "x-kubernetes-embedded-resource") === true) {
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  }
  if (member(node, "uniqueItems") === true) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbidden(`${path}.uniqueItems`, detail));
  }
  if (member(node, "x-kubernetes-preserve-unknown-fields") === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
}

function checkTypesOfCollections(node: JsonObject, path: string, errors: FieldError[]): void {
  const type = textOf(node, "type");
  const mapType = member(node, "x-kubernetes-map-type");
  if (typeof mapType === "string") {
    if (type !== "object") errors.push(mustBe("object", "x-kubernetes-map-type", type, path));
    if (mapType !== "atomic" && mapType !== "granular") {
      errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
    }
  }
  const listType = member(node, "x-kubernetes-list-type");
  const items = member(node, "items");
  if (typeof listType !== "string") return;
  if (type !== "array") errors.push(mustBe("array", "x-kubernetes-list-type", type, path));
  else if (listType === "set" && isJsonObject(items)) checkSetItems(items, path, errors);
  if (!["atomic", "set", "map"].includes(listType)) {
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  }
}

function mustBe(wanted: string, keyword: string, type: string, path: string): FieldError {
  const detail = `must be ${wanted} if ${keyword} is specified`;
  return type === "" ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail);
}

function checkSetItems(items: JsonObject, path: string, errors: FieldError[]): void {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = member(items, "x-kubernetes-list-type") ?? null;
  const type = textOf(items, "type");
  if (type === "array" && listType !== null && listType !== "atomic") {
    errors.push(invalid(`${path}.items.x-kubernetes-list-type`, listType, detail));
  }
  if (type === "object" && member(items, "x-kubernetes-map-type") !== "atomic") {
    // As in Kubernetes, the quoted value is the list type.
    errors.push(invalid(`${path}.items.x-kubernetes-map-type`, listType, detail));
  }
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function checkRuleTexts(node: JsonObject, path: string, errors: FieldError[]): void {
  const rules = member(node, "x-kubernetes-validations");
  if (!Array.isArray(rules)) return;
  for (const [index, rule] of rules.entries()) {
    if (isJsonObject(rule)) checkRuleText(rule, node, `${path}.x-kubernetes-validations[${index}]`, errors);
  }
}

function checkRuleText(rule: JsonObject, node: JsonObject, path: string, errors: FieldError[]): void {
  const expression = textOf(rule, "rule").trim();
  const message = textOf(rule, "message");
  const messageExpression = textOf(rule, "messageExpression");
  const fieldPath = textOf(rule, "fieldPath");
  const reason = member(rule, "reason");
  if (expression === "") errors.push(required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "") {
    errors.push(invalid(`${path}.message`, message, "must be non-empty if specified"));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(`${path}.message`, message, "must not contain line breaks"));
  } else if (/[\n\r]/.test(expression) && message.trim() === "") {
    errors.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (typeof reason === "string" && !reasons.includes(reason)) {
    errors.push(notSupported(`${path}.reason`, reason, reasons));
  }
  if (fieldPath === "") return;
  if (fieldPath.trim() === "") errors.push(invalid(`${path}.fieldPath`, fieldPath, "must be non-empty if specified"));
  if (/[\n\r]/.test(fieldPath)) errors.push(invalid(`${path}.fieldPath`, fieldPath, "must not contain line breaks"));
  if (resolveFieldPath(fieldPath, node) === undefined) {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, "must be a valid path"));
  }
}

/**
 * The field for a failed rule's fieldPath (`.a.b['c.d']` becomes `.a.b[c.d]`, or `.a.x` for declared properties);
 * undefined when the schema does not declare the path. Paths through lists are not supported.
 */
export function resolveFieldPath(fieldPath: string, node: JsonObject): string | undefined {
  let rest = fieldPath.trim();
  let current: JsonValue | undefined = node;
  let printed = "";
  while (rest !== "") {
    const step = /^(?:\.([a-zA-Z_][\w-]*)|\['((?:[^'\\]|\\.)*)'\])/.exec(rest);
    const name: string | undefined = step?.[1] ?? step?.[2]?.replaceAll(/\\(.)/g, "$1");
    if (step === null || name === undefined || !isJsonObject(current)) return undefined;
    rest = rest.slice(step[0].length);
    const properties: JsonValue | undefined = member(current, "properties");
    const declared: JsonValue | undefined = isJsonObject(properties) ? member(properties, name) : undefined;
    const additional: JsonValue | undefined = member(current, "additionalProperties");
    if (declared !== undefined) {
      current = declared;
      printed += `.${name}`;
    } else if (isJsonObject(additional)) {
      current = additional;
      printed += `[${name}]`;
    } else return undefined;
  }
  return printed === "" ? undefined : printed;
}

function textOf(node: JsonObject, key: string): string {
  const value = member(node, key);
  return typeof value === "string" ? value : "";
}

function numberOf(node: JsonObject, key: string): number | undefined {
  const value = member(node, key);
  return typeof value === "number" ? value : undefined;
}
