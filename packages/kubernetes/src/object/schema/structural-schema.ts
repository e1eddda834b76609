import { type JsonObject, member } from "../../json.ts";
import { done, failed, type Result } from "../../result.ts";
import { allSteps, type Steps } from "../../steps.ts";
import { buildSchema } from "../apply/build-schema.ts";
import { checkDefaults } from "./check-defaults.ts";
import { checkRuleSites } from "./check-rules.ts";
import { checkSchemaRules } from "./check-schema.ts";
import { checkStructure, structuralProblem } from "./check-structure.ts";
import { type FieldError, forbidden, invalid } from "../field-error.ts";
import type { StructuralSchema } from "./schema-node.ts";

export type { StructuralSchema } from "./schema-node.ts";

export { checkStatusRoot } from "./check-status-root.ts";
export { unknownFormats } from "./unknown-formats.ts";

export interface CompileOptions {
  /** Path of the schema, the prefix of every error, such as `spec.validation.openAPIV3Schema`. */
  readonly path?: string;
  /** Skips the checks of new schemas, for those that an API server has accepted before. */
  readonly trusted?: boolean;
}

/** Compiles `openAPIV3Schema` of one version; fails with the field errors that a new CRD would get. */
export function compileSchema(
  schema: JsonObject,
  options: CompileOptions = {},
): Result<StructuralSchema, readonly FieldError[]> {
  if (options.trusted === true) return done(buildSchema(schema));
  const errors = allSteps(checkSchema(schema, options.path ?? ""));
  return errors.length === 0 ? done(buildSchema(schema)) : failed(errors);
}

/**
 * The field errors that a new CRD would get for `openAPIV3Schema` of one version; `path` is their prefix. A schema may
 * have a megabyte: it is walked through several times, with a pause after each.
 */
export function* checkSchema(schema: JsonObject, path: string): Steps<readonly FieldError[]> {
  const nullable =
    member(schema, "nullable") === true ? [forbidden(`${path}.nullable`, "nullable cannot be true at the root")] : [];
  const unreadable = structuralProblem(schema);
  yield;
  const structure = unreadable === undefined ? checkStructure(schema, path) : [];
  yield;
  const defaults = unreadable === undefined && structure.length === 0 ? yield* checkDefaults(schema, path) : [];
  yield;
  const rules = yield* checkSchemaRules(schema, path);
  const errors = [...nullable, ...structure, ...defaults, ...rules.errors];
  // Reported only when there is no other error.
  if (unreadable !== undefined) return errors.length > 0 ? errors : [invalid(path, "", unreadable)];
  // Rules are compiled against types; with an invalid schema their errors would be misleading.
  if (structure.length > 0 || defaults.length > 0) return errors;
  return [...errors, ...(yield* checkRuleSites(rules.sites, new WeakMap()))];
}
