import { readQuantity, type ParsedQuantity } from "../cel/functions/quantity-value.ts";
import { done, failed, type Result } from "../result.ts";

/** An exact amount in units of 10^-9, and the format (family of suffixes) it was written in. */
export type Quantity = ParsedQuantity;

export type QuantityProblem =
  | "unable to parse quantity's suffix"
  | "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Parses a Kubernetes quantity (`500m`, `1.5Gi`, `1e3`). Amounts finer than 10^-9 are rounded away from zero. */
export function parseQuantity(text: string): Result<Quantity, QuantityProblem> {
  const read = readQuantity(text);
  if (read === "suffix") return failed("unable to parse quantity's suffix");
  if (read !== "malformed") return done(read);
  return failed("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

/** Negative, zero or positive, by amount alone. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}
