import { done, failed, type Result } from "../result.ts";

/** An exact amount: `units` times ten to the minus nine. Kubernetes keeps no more than nano precision. */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: "DecimalSI" | "BinarySI" | "DecimalExponent";
}

export type QuantityProblem =
  | "unable to parse quantity's suffix"
  | "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const nano = 1_000_000_000n;

const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryExponents: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };

/** Reads a Kubernetes quantity (`500m`, `1.5Gi`, `1e3`). Amounts finer than a nano are rounded away from zero. */
export function parseQuantity(text: string): Result<Quantity, QuantityProblem> {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text);
  const [, sign = "", whole = "", fraction = "", suffix = ""] = parts ?? [];
  if (parts === null || whole + fraction === "") {
    return failed("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  const scale = scaleOf(suffix);
  if (scale === undefined) return failed("unable to parse quantity's suffix");
  let numerator = BigInt(whole + fraction) * nano;
  let denominator = 10n ** BigInt(fraction.length);
  if (scale.binary > 0n) numerator <<= scale.binary;
  if (scale.decimal >= 0) numerator *= 10n ** BigInt(scale.decimal);
  else denominator *= 10n ** BigInt(-scale.decimal);
  const nanos = (numerator + denominator - 1n) / denominator;
  return done({ nanos: sign === "-" ? -nanos : nanos, format: scale.format });
}

interface Scale {
  readonly decimal: number;
  readonly binary: bigint;
  readonly format: Quantity["format"];
}

function scaleOf(suffix: string): Scale | undefined {
  const binary = Object.hasOwn(binaryExponents, suffix) ? binaryExponents[suffix] : undefined;
  if (binary !== undefined) return { decimal: 0, binary, format: "BinarySI" };
  const decimal = Object.hasOwn(decimalExponents, suffix) ? decimalExponents[suffix] : undefined;
  if (decimal !== undefined) return { decimal, binary: 0n, format: "DecimalSI" };
  const exponent = /^[eE]([-+]?\d{1,3})$/.exec(suffix)?.[1];
  return exponent === undefined ? undefined : { decimal: Number(exponent), binary: 0n, format: "DecimalExponent" };
}

/** Negative, zero or positive, by amount alone. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}
