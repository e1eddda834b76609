import type { JsonValue } from "../json.ts";
import type { FieldError } from "./field-error.ts";
import type { StructuralSchema } from "./schema-node.ts";

export interface RuleOptions {
  readonly path: string;
  readonly old?: JsonValue | undefined;
  readonly isRoot: boolean;
}

export function validateRules(
  _value: JsonValue,
  _schema: StructuralSchema,
  _options: RuleOptions,
): readonly FieldError[] {
  return [];
}
