import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { knownKeys } from "../../known-keys.ts";
import { allSteps, type Steps, Strides } from "../../steps.ts";
import { type FieldError, invalid, required } from "../field-error.ts";
import { validateMetadata } from "../metadata-rules.ts";
import type { StructuralSchema } from "./schema-node.ts";

/** Validates `apiVersion`, `kind` and `metadata` of resources embedded in a custom resource. */
export function validateEmbedded(value: JsonValue, schema: StructuralSchema, path = ""): readonly FieldError[] {
  return allSteps(validateEmbeddedInSteps(value, schema, path));
}

/** As {@link validateEmbedded}, with pauses. */
export function* validateEmbeddedInSteps(
  value: JsonValue,
  schema: StructuralSchema,
  path = "",
): Steps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  yield* visit(value, schema, path, { errors, strides: new Strides() });
  return errors;
}

interface Look {
  readonly errors: FieldError[];
  readonly strides: Strides;
}

function* visit(value: JsonValue, schema: StructuralSchema | undefined, path: string, look: Look): Steps<void> {
  if (schema?.hasEmbedded !== true) return;
  if (look.strides.isDue(workOfResource)) yield;
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly JsonValue[]).entries())
      yield* visit(item, schema.items, `${path}[${index}]`, look);
  }
  if (!isJsonObject(value)) return;
  if (schema.embedded) look.errors.push(...validateResource(value, path));
  for (const key of knownKeys(value)) {
    const held = member(value, key);
    if (held === undefined) continue;
    const property = schema.properties.get(key);
    if (property !== undefined) yield* visit(held, property, child(path, key), look);
    else if (typeof schema.additional === "object") yield* visit(held, schema.additional, `${path}[${key}]`, look);
  }
}

/** To validate the metadata of one counts as much as so many members. */
const workOfResource = 16;

function child(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

const dnsLabel =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

function validateResource(value: JsonObject, path: string): readonly FieldError[] {
  const apiVersion = member(value, "apiVersion");
  const kind = member(value, "kind");
  const metadata = member(value, "metadata");
  return [
    ...(apiVersion === undefined ? [required(child(path, "apiVersion"))] : []),
    ...(kind === undefined ? [required(child(path, "kind"))] : []),
    ...(kind === undefined ? [] : validateKind(kind, child(path, "kind"))),
    ...(apiVersion === undefined ? [] : validateApiVersion(apiVersion, child(path, "apiVersion"))),
    ...(isJsonObject(metadata) ? validateMetadata(metadata, child(path, "metadata")) : []),
  ];
}

function validateApiVersion(value: JsonValue, path: string): readonly FieldError[] {
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  return value.split("/").length > 2 ? [invalid(path, value, `unexpected GroupVersion string: ${value}`)] : [];
}

function validateKind(value: JsonValue, path: string): readonly FieldError[] {
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  const lower = value.toLowerCase();
  const faults = [
    ...(lower.length > 63 ? ["must be no more than 63 bytes"] : []),
    ...(/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(lower) ? [] : [dnsLabel]),
  ];
  if (faults.length === 0) return [];
  return [invalid(path, value, `may have mixed case, but should otherwise match: ${faults.join(",")}`)];
}
