import type { JsonValue } from "@purser/kubernetes/json";
import { invalid, type FieldError } from "@purser/kubernetes/object/field-error";

const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Validates a non-negative number or a percentage. */
export function validateIntOrPercent(value: JsonValue, path: string): readonly FieldError[] {
  if (typeof value === "string") return /^\d+%$/.test(value) ? [] : [invalid(path, value, percentText)];
  return typeof value === "number" && value < 0 ? [invalid(path, value, "must be greater than or equal to 0")] : [];
}

export function validateAtMostAll(value: JsonValue, path: string): readonly FieldError[] {
  const percent = typeof value === "string" && /^\d+%$/.test(value) ? Number(value.slice(0, -1)) : 0;
  return percent > 100 ? [invalid(path, value, "must not be greater than 100%")] : [];
}

/** The number or percentage as a number; zero for a text that is not a percentage. */
export function amountOf(value: JsonValue): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d+%$/.test(value) ? Number(value.slice(0, -1)) : 0;
}
