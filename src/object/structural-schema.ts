import type { JsonObject } from "../json.ts";
import { done, failed, type Result } from "../result.ts";
import { buildSchema } from "./build-schema.ts";
import { checkDefaults } from "./check-defaults.ts";
import { checkRuleSites } from "./check-rules.ts";
import { checkSchemaRules } from "./check-schema.ts";
import { checkStructure } from "./check-structure.ts";
import type { FieldError } from "./field-error.ts";
import type { StructuralSchema } from "./schema-node.ts";

export type { StructuralSchema } from "./schema-node.ts";

export interface CompileOptions {
  /** Field of the schema, printed before every problem, such as `spec.validation.openAPIV3Schema`. */
  readonly path?: string;
  /** Skip the rules a new schema must obey: for schemas that an API server has accepted before. */
  readonly trusted?: boolean;
}

/** Compiles `openAPIV3Schema` of one version; refuses with the field errors that a new CRD would get. */
export function compileSchema(
  schema: JsonObject,
  options: CompileOptions = {},
): Result<StructuralSchema, readonly FieldError[]> {
  const compiled = buildSchema(schema);
  if (options.trusted === true) return done(compiled);
  const errors = checkSchema(schema, compiled, options.path ?? "");
  return errors.length === 0 ? done(compiled) : failed(errors);
}

function checkSchema(schema: JsonObject, compiled: StructuralSchema, path: string): readonly FieldError[] {
  const structure = checkStructure(schema, path);
  const defaults = structure.length > 0 ? [] : checkDefaults({ ...compiled, embedded: true }, path);
  const rules = checkSchemaRules(schema, path);
  const errors = [...structure, ...defaults, ...rules.errors];
  // Rules are compiled against types; without a sound schema their errors would mislead.
  return structure.length > 0 || defaults.length > 0 ? errors : [...errors, ...checkRuleSites(rules.sites)];
}
