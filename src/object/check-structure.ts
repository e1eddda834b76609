import { compilePattern } from "../cel/pattern.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../json.ts";
import { type FieldError, forbidden, formatFieldError, invalid, required } from "./field-error.ts";
import { deepEqual } from "./semantic-equal.ts";

type Level = "root" | "item" | "field";

/** What keeps a schema from being structural; sorted by text. */
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
  if (type === "array" && items === undefined) errors.push(required(`${path}.items`, "must be specified"));
  if (isJsonObject(items)) checkNode(items, "item", `${path}.items`, errors);
  for (const [key, property] of entries(properties)) {
    // Top-level metadata may only restrict names; its inside is not walked.
    checkNode(property, "field", `${path}.properties[${key}]`, errors);
  }
  if (additional !== undefined && additional !== false && level === "root") {
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
  checkValidations(node, path, errors);
  if (embedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
  } else if (type === "" && !intOrString && !preserve) errors.push(required(`${path}.type`, missingType[level]));
  if (embedded && additional !== undefined) {
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

const metadataOnly = new Set(["type", "description", "properties", "default"]);

function checkMetadata(node: JsonObject, checked: boolean, level: Level, path: string, errors: FieldError[]): void {
  if (checked && textOf(node, "type") !== "object") {
    errors.push(invalid(`${path}.type`, textOf(node, "type"), "must be object"));
  }
  if (level !== "root") return;
  const names = Object.keys(objectOf(node, "properties"));
  const restrictsNames = names.every((name) => name === "name" || name === "generateName");
  const others = Object.keys(node).filter((key) => !metadataOnly.has(key) && member(node, key) !== undefined);
  if (!restrictsNames || others.length > 0 || textOf(node, "description") !== "") {
    errors.push(
      forbidden(
        path,
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
      ),
    );
  }
}

const intOrStringBranches: JsonValue = [{ type: "integer" }, { type: "string" }];

function checkValidations(node: JsonObject, path: string, errors: FieldError[]): void {
  const skipAnyOf = deepEqual(member(node, "anyOf"), intOrStringBranches);
  const allOf = branches(node, "allOf");
  const first = allOf[0];
  const skipInFirst = first !== undefined && deepEqual(member(first, "anyOf"), intOrStringBranches);
  if (!skipAnyOf) {
    for (const [i, branch] of branches(node, "anyOf").entries())
      checkNested(branch, false, `${path}.anyOf[${i}]`, errors);
  }
  for (const [i, branch] of allOf.entries()) checkNested(branch, skipInFirst && i === 0, `${path}.allOf[${i}]`, errors);
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
  const own = skipAnyOf ? Object.fromEntries(Object.entries(node).filter(([key]) => key !== "anyOf")) : node;
  checkValidations(own, path, errors);
  const items = member(node, "items");
  if (isJsonObject(items)) checkNested(items, false, `${path}.items`, errors);
  const properties = objectOf(node, "properties");
  for (const [key, property] of entries(properties)) checkNested(property, false, `${path}.properties[${key}]`, errors);
  for (const [key, detail] of forbiddenWhenNested) {
    const value = member(node, key);
    const present = key === "additionalProperties" ? value !== undefined : !isZero(value);
    if (present) errors.push(forbidden(`${path}.${key}`, detail));
  }
  if (member(properties, "metadata") !== undefined) {
    errors.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
}

/** Properties that alternatives at the root mention must be declared at the root as well. */
function checkRootCompleteness(root: JsonObject, path: string, errors: FieldError[]): void {
  const declared = objectOf(root, "properties");
  const walk = (node: JsonObject, place: string): void => {
    for (const name of ["anyOf", "allOf", "oneOf"]) {
      for (const [i, branch] of branches(node, name).entries()) compare(branch, `${place}.${name}[${i}]`);
    }
    const not = member(node, "not");
    if (isJsonObject(not)) compare(not, `${place}.not`);
  };
  const compare = (branch: JsonObject, place: string): void => {
    for (const key of Object.keys(objectOf(branch, "properties"))) {
      if (member(declared, key) !== undefined) continue;
      errors.push(required(`${path}.properties[${key}]`, `because it is defined in ${place}.properties[${key}]`));
    }
    if (member(branch, "items") !== undefined && member(root, "items") === undefined) {
      errors.push(required(`${path}.items`, `because it is defined in ${place}.items`));
    }
    walk(branch, place);
  };
  walk(root, path);
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
