import { isJsonObject, type JsonObject, member } from "../../json.ts";
import { buildWrittenSchema } from "../apply/build-schema.ts";
import { type Steps } from "../../steps.ts";
import { type FieldError, invalid } from "../field-error.ts";
import { prune } from "./prune.ts";
import type { StructuralSchema } from "./schema-node.ts";
import { validateEmbedded } from "./validate-embedded.ts";
import { validateOpenApi } from "./validate-openapi.ts";
import { validateRules } from "./validate-rules.ts";

/**
 * Checks the defaults of a schema, with pauses: they must be valid against it and have no unknown fields. Defaults below `additionalProperties` are not
 * checked. Only subtrees with defaults are compiled, because most of a large schema has none.
 */
export function* checkDefaults(root: JsonObject, path: string): Steps<readonly FieldError[]> {
  if (!hasDefault(root)) return yield* checkBelow(root, path);
  return yield* checkCompiled({ ...buildWrittenSchema(root), embedded: true, hasEmbedded: true }, path);
}

function hasDefault(schema: JsonObject): boolean {
  const fallback = member(schema, "default");
  return fallback !== undefined && fallback !== null;
}

function* check(schema: JsonObject, path: string): Steps<readonly FieldError[]> {
  return hasDefault(schema) ? yield* checkCompiled(buildWrittenSchema(schema), path) : yield* checkBelow(schema, path);
}

function* checkBelow(schema: JsonObject, path: string): Steps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  const items = member(schema, "items");
  if (isJsonObject(items)) errors.push(...(yield* check(items, `${path}.items`)));
  const properties = member(schema, "properties");
  if (!isJsonObject(properties)) return errors;
  for (const [key, property] of Object.entries(properties))
    if (isJsonObject(property)) errors.push(...(yield* check(property, `${path}.properties[${key}]`)));
  return errors;
}

function* checkCompiled(schema: StructuralSchema, path: string): Steps<readonly FieldError[]> {
  if (!schema.hasDefaults) return [];
  const errors: FieldError[] = [];
  if (schema.default !== undefined) errors.push(...(yield* checkDefault(schema, `${path}.default`)));
  if (schema.items !== undefined) errors.push(...(yield* checkCompiled(schema.items, `${path}.items`)));
  for (const [key, property] of schema.properties) {
    errors.push(...(yield* checkCompiled(property, `${path}.properties[${key}]`)));
  }
  return errors;
}

function* checkDefault(schema: StructuralSchema, path: string): Steps<readonly FieldError[]> {
  yield;
  const value = schema.default ?? null;
  const unknown =
    prune(value, schema, { isResourceRoot: schema.embedded }).value !== value
      ? [invalid(path, value, "must not have unknown fields")]
      : [];
  const embedded = validateEmbedded(value, schema, path);
  if (embedded.length > 0) return [...unknown, ...embedded];
  const wrong = validateOpenApi(value, schema, { base: path });
  if (wrong.length > 0) return [...unknown, ...wrong];
  const asUpdate = yield* validateRules(value, schema, { path, old: value, isRoot: false });
  return [
    ...unknown,
    ...(asUpdate.length > 0 ? asUpdate : yield* validateRules(value, schema, { path, isRoot: false })),
  ];
}
