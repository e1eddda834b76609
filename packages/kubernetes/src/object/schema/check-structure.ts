import { compilePattern } from "../../cel/pattern.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { type FieldError, forbidden, formatFieldError, invalid, required } from "../field-error.ts";
import { deepEqual } from "../semantic-equal.ts";

type Level = "root" | "item" | "field";

/** Violations of the rules for structural schemas; sorted by text. */
export function checkStructure(schema: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  checkNode(schema, "root", path, errors);
  checkRootCompleteness(schema, path, errors);
  return errors.toSorted((a, b) => (formatFieldError(a) < formatFieldError(b) ? -1 : 1));
}

const missingType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function checkNode(node: JsonObject, level: Level, path: string, errors: FieldError[]): void {
  const type = textOf(node, "type");
  const items = member(node, "items");
  const properties = objectOf(node, "properties");
  const additional = member(node, "additionalProperties");
  const intOrString = member(node, "x-kubernetes-int-or-string") === true;
  const preserve = member(node, "x-kubernetes-preserve-unknown-fields") === true;
  const embedded = member(node, "x-kubernetes-embedded-resource") === true;
  if (type === "array" && !isSet(items)) errors.push(required(`${path}.items`, "must be specified"));
  if (isJsonObject(items)) checkNode(items, "item", `${path}.items`, errors);
  for (const [key, property] of entries(properties)) {
    checkNode(property, "field", `${path}.properties[${key}]`, errors);
  }
  if (isSet(additional) && level === "root") {
    errors.push(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
  }
  if (isJsonObject(additional)) checkNode(additional, "field", `${path}.additionalProperties`, errors);
  if (intOrString && preserve) {
    errors.push(
      invalid(
        `${path}.x-kubernetes-preserve-unknown-fields`,
        true,
        "must be false if x-kubernetes-int-or-string is true",
      ),
    );
  }
  if (intOrString && embedded) {
    errors.push(
      invalid(`${path}.x-kubernetes-embedded-resource`, true, "must be false if x-kubernetes-int-or-string is true"),
    );
  }
  checkValidations(node, path, errors, {
    anyOf: deepEqual(member(node, "anyOf"), intOrStringBranches),
    inFirst: deepEqual(member(branches(node, "allOf")[0] ?? {}, "anyOf"), intOrStringBranches),
  });
  if (embedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
  } else if (type === "" && !intOrString && !preserve) errors.push(required(`${path}.type`, missingType[level]));
  if (embedded && isSet(additional)) {
    errors.push(forbidden(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalid(`${path}.type`, type, "must be object at the root"));
  }
  if (level === "root" || embedded) checkEnvelope(properties, path, errors);
  const metadata = member(properties, "metadata");
  if (isJsonObject(metadata))
    checkMetadata(metadata, level === "root" || embedded, level, `${path}.properties[metadata]`, errors);
  if (embedded && !preserve && Object.keys(properties).length === 0) {
    errors.push(
      required(
        `${path}.properties`,
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
  }
}

function checkEnvelope(properties: JsonObject, path: string, errors: FieldError[]): void {
  for (const key of ["kind", "apiVersion"]) {
    const property = member(properties, key);
    if (!isJsonObject(property) || textOf(property, "type") === "string") continue;
    errors.push(invalid(`${path}.properties[${key}].type`, textOf(property, "type"), "must be string"));
  }
}

const metadataOnly = new Set(["type", "properties", "default"]);

function checkMetadata(node: JsonObject, checked: boolean, level: Level, path: string, errors: FieldError[]): void {
  if (checked && textOf(node, "type") !== "object") {
    errors.push(invalid(`${path}.type`, textOf(node, "type"), "must be object"));
  }
  if (level !== "root") return;
  const names = Object.keys(objectOf(node, "properties"));
  const restrictsNames = names.every((name) => name === "name" || name === "generateName");
  const others = Object.keys(node).filter((key) => !metadataOnly.has(key) && !isZero(member(node, key)));
  if (!restrictsNames || others.length > 0) {
    errors.push(
      forbidden(
        path,
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
      ),
    );
  }
}

const intOrStringBranches: JsonValue = [{ type: "integer" }, { type: "string" }];

/** `skip`: `anyOf` here, or in the first item of `allOf`, is the permitted integer-or-string alternative. */
function checkValidations(
  node: JsonObject,
  path: string,
  errors: FieldError[],
  skip: { readonly anyOf: boolean; readonly inFirst: boolean },
): void {
  const allOf = branches(node, "allOf");
  if (!skip.anyOf) {
    for (const [i, branch] of branches(node, "anyOf").entries())
      checkNested(branch, false, `${path}.anyOf[${i}]`, errors);
  }
  for (const [i, branch] of allOf.entries())
    checkNested(branch, skip.inFirst && i === 0, `${path}.allOf[${i}]`, errors);
  for (const [i, branch] of branches(node, "oneOf").entries())
    checkNested(branch, false, `${path}.oneOf[${i}]`, errors);
  const not = member(node, "not");
  if (isJsonObject(not)) checkNested(not, false, `${path}.not`, errors);
  const pattern = textOf(node, "pattern");
  const compiled = compilePattern(pattern);
  if (pattern !== "" && !compiled.ok) {
    const detail = `must be a valid regular expression, but isn't: ${compiled.problem}`;
    errors.push(invalid(`${path}.pattern`, pattern, detail));
  }
}

const forbiddenWhenNested: readonly (readonly [string, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function isZero(value: JsonValue | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}

function checkNested(node: JsonObject, skipAnyOf: boolean, path: string, errors: FieldError[]): void {
  checkValidations(node, path, errors, { anyOf: skipAnyOf, inFirst: false });
  const items = member(node, "items");
  if (isJsonObject(items)) checkNested(items, false, `${path}.items`, errors);
  const properties = objectOf(node, "properties");
  for (const [key, property] of entries(properties)) checkNested(property, false, `${path}.properties[${key}]`, errors);
  for (const [key, detail] of forbiddenWhenNested) {
    const value = member(node, key);
    if (key === "default" ? isSet(value) : !isZero(value)) errors.push(forbidden(`${path}.${key}`, detail));
  }
  if (member(properties, "metadata") !== undefined) {
    errors.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
}

/** Properties mentioned in logical junctors must be declared outside of them as well, at any depth. */
function checkRootCompleteness(root: JsonObject, path: string, errors: FieldError[]): void {
  const walk = (node: JsonObject, declared: JsonObject, at: string, place: string): void => {
    const not = member(node, "not");
    if (isJsonObject(not)) compare(not, declared, at, `${place}.not`);
    for (const name of ["allOf", "anyOf", "oneOf"]) {
      for (const [i, branch] of branches(node, name).entries()) compare(branch, declared, at, `${place}.${name}[${i}]`);
    }
  };
  const compare = (branch: JsonObject, declared: JsonObject, at: string, place: string): void => {
    walk(branch, declared, at, place);
    const items = member(branch, "items");
    if (isJsonObject(items)) meet(items, member(declared, "items"), `${at}.items`, `${place}.items`);
    const properties = objectOf(declared, "properties");
    for (const [key, property] of entries(objectOf(branch, "properties"))) {
      meet(property, member(properties, key), `${at}.properties[${key}]`, `${place}.properties[${key}]`);
    }
  };
  const meet = (branch: JsonObject, declared: JsonValue | undefined, at: string, place: string): void => {
    if (isJsonObject(declared)) compare(branch, declared, at, place);
    else errors.push(required(at, `because it is defined in ${place}`));
  };
  walk(root, root, path, path);
}

const unsupported = ["id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"];

/** Whether the schema uses a keyword that structural schemas do not have. */
export function mentions(node: JsonObject, keyword: string): boolean {
  const value = member(node, keyword);
  return keyword === "additionalItems" ? isSet(value) : isPresent(value);
}

/**
 * Why a schema cannot be converted to a structural one; its structure and defaults are then not checked. Undefined when
 * it can be converted.
 */
export function structuralProblem(node: JsonObject): string | undefined {
  const found = unsupported.find((keyword) => mentions(node, keyword));
  if (found !== undefined) return `OpenAPIV3Schema '${found === "$schema" ? "schema" : found}' is not supported`;
  for (const name of ["allOf", "anyOf", "oneOf"]) {
    const problem = firstProblem(branches(node, name));
    if (problem !== undefined) return problem;
  }
  if (member(node, "x-kubernetes-preserve-unknown-fields") === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (Array.isArray(member(node, "items"))) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const single = ["not", "items", "additionalProperties"].map((key) => member(node, key)).filter(isJsonObject);
  return firstProblem([...single, ...entries(objectOf(node, "properties")).map(([, property]) => property)]);
}

function firstProblem(nodes: readonly JsonObject[]): string | undefined {
  for (const node of nodes) {
    const problem = structuralProblem(node);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Empty strings and maps count as absent, as after decoding in Go. */
function isPresent(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  return !isJsonObject(value) || Object.keys(value).length > 0;
}

function branches(node: JsonObject, key: string): readonly JsonObject[] {
  const list = member(node, key);
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function entries(object: JsonObject): readonly (readonly [string, JsonObject])[] {
  return Object.entries(object).flatMap(([key, value]) => (isJsonObject(value) ? [[key, value] as const] : []));
}

function objectOf(node: JsonObject, key: string): JsonObject {
  const value = member(node, key);
  return isJsonObject(value) ? value : {};
}

function textOf(node: JsonObject, key: string): string {
  const value = member(node, key);
  return typeof value === "string" ? value : "";
}
