import { isJsonObject, type JsonValue, member } from "../../json.ts";
import { type FieldError, type FieldErrorType, invalid } from "../field-error.ts";
import type { StructuralSchema } from "./schema-node.ts";
import { validateEmbedded } from "./validate-embedded.ts";
import { validateUniqueLists } from "./validate-lists.ts";
import { validateOpenApi } from "./validate-openapi.ts";
import { validateRules } from "./validate-rules.ts";

export interface ValidateOptions {
  /** The stored value: turns on transition rules and ratcheting. */
  readonly old?: JsonValue | undefined;
  /** Field the value stands at; a whole resource by default. */
  readonly path?: string;
  /** What was found before, such as errors of `metadata`: some of those keep the rules from being run. Not repeated in the answer. */
  readonly earlier?: readonly FieldError[];
  /** Takes the failures of rules that an update is not refused for, since nothing changed where they fail. */
  readonly onTolerated?: (error: FieldError) => void;
  /** Findings that are told behind those of OpenAPI and before all others. */
  readonly afterTypes?: readonly FieldError[];
  /** The write came through the status endpoint: only `status` is held against the schema, rules run over everything. */
  readonly statusOnly?: boolean;
}

/** Errors after which rules are not run: their types might not hold. */
const blocking = new Set<FieldErrorType>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/**
 * All that is wrong with a defaulted, pruned custom resource: OpenAPI, embedded metadata, repeated list items, then CEL
 * rules. With `old` what is wrong in an unchanged part is not reported (rules with `oldSelf` always are).
 */
export function validateValue(
  value: JsonValue,
  schema: StructuralSchema,
  options: ValidateOptions = {},
): readonly FieldError[] {
  const { old, path } = options;
  const base = path ?? "";
  const errors = [
    ...(options.statusOnly === true
      ? validateStatus(value, schema, old)
      : validateOpenApi(value, schema, { old, base })),
    ...(options.afterTypes ?? []),
    ...validateEmbedded(value, schema, base),
    ...validateChangedLists(value, schema, old, base),
  ];
  if (!schema.hasRules) return errors;
  if ([...errors, ...(options.earlier ?? [])].some((error) => blocking.has(error.type))) {
    const detail =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return [...errors, invalid("<nil>", null, detail)];
  }
  const { onTolerated } = options;
  const watched = onTolerated === undefined ? {} : { onTolerated };
  return [...errors, ...validateRules(value, schema, { path: base, old, isRoot: path === undefined, ...watched })];
}

function validateStatus(value: JsonValue, schema: StructuralSchema, old: JsonValue | undefined): readonly FieldError[] {
  const status = isJsonObject(value) ? member(value, "status") : undefined;
  const node = schema.properties.get("status");
  if (status === undefined || node === undefined) return [];
  const before = old !== undefined && isJsonObject(old) ? member(old, "status") : undefined;
  return validateOpenApi(status, node, { old: before, base: "status" });
}

/** Repetitions are only news when the stored value had none. */
function validateChangedLists(
  value: JsonValue,
  schema: StructuralSchema,
  old: JsonValue | undefined,
  path: string,
): readonly FieldError[] {
  const errors = validateUniqueLists(value, schema, path);
  if (errors.length === 0 || old === undefined) return errors;
  return validateUniqueLists(old, schema, path).length === 0 ? errors : [];
}
