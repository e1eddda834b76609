import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { goItems } from "./go-schema.ts";
import { type FieldError, forbidden, invalid, required } from "../field-error.ts";

/** Validates lists of type map and set: their keys are declared, scalar, and required or defaulted. */
export function checkListMap(node: JsonObject, path: string, errors: FieldError[]): void {
  const listType = member(node, "x-kubernetes-list-type");
  const keys = textsOf(member(node, "x-kubernetes-list-map-keys"));
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    const field = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(field, detail) : invalid(field, listType, detail));
  }
  const items = member(node, "items");
  if (listType === "map") {
    if (keys.length === 0) {
      errors.push(required(`${path}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"));
    }
    if (items === undefined) {
      errors.push(required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
    } else if (isJsonObject(items)) checkKeys(items, keys, path, errors);
    else {
      const detail = "must only have a single schema if x-kubernetes-list-type is map";
      errors.push({ ...invalid(`${path}.items`, items, detail), badText: goItems(items) });
    }
  }
  if (isJsonObject(items) && (listType === "map" || listType === "set")) {
    checkPresence(items, listType, keys, path, errors);
  }
}

function checkKeys(items: JsonObject, keys: readonly string[], path: string, errors: FieldError[]): void {
  const type = member(items, "type") ?? "";
  if (type !== "object") {
    errors.push(invalid(`${path}.items.type`, type, "must be object if parent array's x-kubernetes-list-type is map"));
    return;
  }
  const field = `${path}.x-kubernetes-list-map-keys`;
  const seen = new Set<string>();
  for (const key of keys) {
    const property = propertyOf(items, key);
    const keyType = property === undefined ? undefined : member(property, "type");
    if (property === undefined) errors.push(invalid(field, keys, "entries must all be names of item properties"));
    else if (keyType === "array" || keyType === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${path}.items.properties[${key}].type`, type, detail));
    }
    if (seen.has(key)) errors.push(invalid(field, keys, "must not contain duplicate entries"));
    seen.add(key);
  }
}

function checkPresence(
  items: JsonObject,
  listType: "map" | "set",
  keys: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  if (member(items, "nullable") === true) {
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  if (listType === "set") return;
  const needed = textsOf(member(items, "required"));
  for (const key of keys) {
    const property = propertyOf(items, key);
    if (property === undefined) continue;
    const place = `${path}.items.properties[${key}]`;
    if (!needed.includes(key) && (member(property, "default") ?? null) === null) {
      const detail =
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      errors.push(required(`${place}.default`, detail));
    }
    if (member(property, "nullable") === true) {
      const detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      errors.push(forbidden(`${place}.nullable`, detail));
    }
  }
}

function propertyOf(items: JsonObject, key: string): JsonObject | undefined {
  const properties = member(items, "properties");
  const property = isJsonObject(properties) ? member(properties, key) : undefined;
  return isJsonObject(property) ? property : undefined;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
