import type { JsonValue } from "../json.ts";
import { invariant } from "../invariant.ts";
import type { FieldError } from "./field-error.ts";
import type { StructuralSchema } from "./structural-schema.ts";

export interface ValidateOptions {
  /** The stored value: turns on transition rules and ratcheting. */
  readonly old?: JsonValue;
  /** Field the value stands at; the root by default. */
  readonly path?: string;
}

/** All that is wrong with a custom resource: OpenAPI, list uniqueness, embedded metadata, then CEL rules. */
export function validateValue(
  _value: JsonValue,
  _schema: StructuralSchema,
  _options: ValidateOptions = {},
): readonly FieldError[] {
  invariant(false, "validateValue is being written");
}
