import type { RuleSite } from "./check-schema.ts";
import type { FieldError } from "./field-error.ts";

export function checkRuleSites(_sites: readonly RuleSite[], _root: string): readonly FieldError[] {
  return [];
}
