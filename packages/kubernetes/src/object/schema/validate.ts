import { isJsonObject, type JsonValue, member } from "../../json.ts";
import { type FieldError, type FieldErrorType, invalid } from "../field-error.ts";
import { allSteps, type Steps } from "../../steps.ts";
import type { StructuralSchema } from "./schema-node.ts";
import { validateEmbeddedInSteps } from "./validate-embedded.ts";
import { validateUniqueLists } from "./validate-lists.ts";
import { validateOpenApiInSteps } from "./validate-openapi.ts";
import { validateRules } from "./validate-rules.ts";

export interface ValidateOptions {
  /** The stored value; enables transition rules and ratcheting. */
  readonly old?: JsonValue | undefined;
  /** Path of the value; a whole resource by default. */
  readonly path?: string;
  /**
   * Errors found before, such as those of `metadata`: some prevent the rules from being evaluated. Not repeated in the
   * result.
   */
  readonly earlier?: readonly FieldError[];
  /** Called with rule failures that do not refuse an update, because the failing parts did not change. */
  readonly onTolerated?: (error: FieldError) => void;
  /** Errors to report after those of OpenAPI and before all others. */
  readonly afterTypes?: readonly FieldError[];
  /**
   * The write came through the status endpoint: only `status` is validated against the schema; all rules are evaluated.
   */
  readonly statusOnly?: boolean;
}

/** Errors after which rules are not evaluated, because types may not match. */
const blocking = new Set<FieldErrorType>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/**
 * All errors of a defaulted, pruned custom resource: OpenAPI, embedded metadata, duplicate list items, then CEL rules.
 * With `old` errors in unchanged parts are not reported (those of rules with `oldSelf` always are).
 * @testOnly the server validates in steps
 */
export function validateValue(
  value: JsonValue,
  schema: StructuralSchema,
  options: ValidateOptions = {},
): readonly FieldError[] {
  return allSteps(validateValueInSteps(value, schema, options));
}

/** As {@link validateValue}, with pauses. */
export function* validateValueInSteps(
  value: JsonValue,
  schema: StructuralSchema,
  options: ValidateOptions = {},
): Steps<readonly FieldError[]> {
  const { old, path } = options;
  const base = path ?? "";
  const ofTypes =
    options.statusOnly === true
      ? yield* validateStatus(value, schema, old)
      : yield* validateOpenApiInSteps(value, schema, { old, base });
  yield;
  const embedded = yield* validateEmbeddedInSteps(value, schema, base);
  yield;
  const lists = yield* validateChangedLists(value, schema, old, base);
  const errors = [...ofTypes, ...(options.afterTypes ?? []), ...embedded, ...lists];
  yield;
  if (!schema.hasRules) return errors;
  const isBlocking = ({ type }: FieldError): boolean => blocking.has(type);
  if (errors.some(isBlocking) || options.earlier?.some(isBlocking) === true) {
    const detail =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return [...errors, invalid("<nil>", null, detail)];
  }
  const { onTolerated } = options;
  const watched = onTolerated === undefined ? {} : { onTolerated };
  const ofRules = yield* validateRules(value, schema, { path: base, old, isRoot: path === undefined, ...watched });
  return [...errors, ...ofRules];
}

function* validateStatus(
  value: JsonValue,
  schema: StructuralSchema,
  old: JsonValue | undefined,
): Steps<readonly FieldError[]> {
  const status = isJsonObject(value) ? member(value, "status") : undefined;
  const node = schema.properties.get("status");
  if (status === undefined || node === undefined) return [];
  const before = old !== undefined && isJsonObject(old) ? member(old, "status") : undefined;
  return yield* validateOpenApiInSteps(status, node, { old: before, base: "status" });
}

/** Duplicates are reported only when the stored value had none. */
function* validateChangedLists(
  value: JsonValue,
  schema: StructuralSchema,
  old: JsonValue | undefined,
  path: string,
): Steps<readonly FieldError[]> {
  const errors = yield* validateUniqueLists(value, schema, path);
  if (errors.length === 0 || old === undefined) return errors;
  return (yield* validateUniqueLists(old, schema, path)).length === 0 ? errors : [];
}
