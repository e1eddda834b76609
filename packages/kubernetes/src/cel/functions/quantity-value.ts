/** An exact amount in units of 10^-9, which is the precision of Kubernetes. */
export interface CelQuantity {
  readonly nanos: bigint;
  /** Whether Go stores it as an int64 without scale: only then is it an integer; `1.5Gi` and `1000m` are not. */
  readonly whole: boolean;
}

const nano = 1_000_000_000n;
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binary: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };

export interface ParsedQuantity extends CelQuantity {
  readonly format: "DecimalSI" | "BinarySI" | "DecimalExponent";
}

/** Each digit belongs to exactly one group, so matching takes linear time. */
const quantityShape = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?\d*|[-+]\d*)?)$/;

/**
 * Parses `500m`, `1.5Gi`, `1e3`; amounts finer than 10^-9 are rounded away from zero. `suffix`: the number is valid,
 * its suffix is not.
 */
export function readQuantity(text: string): ParsedQuantity | "malformed" | "suffix" {
  const parts = quantityShape.exec(text);
  const [, sign = "", whole = "", fraction = "", suffix = ""] = parts ?? [];
  if (parts === null || whole + fraction === "") return "malformed";
  const scale = scaleOf(suffix);
  if (scale === undefined) return "suffix";
  const [above, below] = [whole.replace(/^0+/, ""), shortened(fraction)];
  // Treated as the largest 64-bit amount, to avoid arithmetic with very large numbers.
  const most = sign === "-" ? -largest : largest;
  if (above.length > longestDigits) return { nanos: most, whole: true, format: scale.format };
  let numerator = (BigInt(`0${above}${below}`) * nano) << scale.binary;
  let denominator = 10n ** BigInt(below.length);
  if (scale.decimal >= 0) numerator *= 10n ** BigInt(scale.decimal);
  else denominator *= 10n ** BigInt(-scale.decimal);
  const nanos = (numerator + denominator - 1n) / denominator;
  const value = sign === "-" ? -nanos : nanos;
  const written = scale.format === "BinarySI" ? fraction === "" : scale.decimal >= fraction.length;
  return { nanos: value, whole: written && fits(value), format: scale.format };
}

/** More digits exceed the range whatever the suffix. */
const longestDigits = 1024;
const largest = (2n ** 63n - 1n) * nano;

/** Truncated; the remaining digits only affect rounding away from zero. */
function shortened(fraction: string): string {
  if (fraction.length <= longestDigits) return fraction;
  return `${fraction.slice(0, longestDigits)}${/[1-9]/.test(fraction.slice(longestDigits)) ? "1" : ""}`;
}

interface Scale {
  readonly decimal: number;
  readonly binary: bigint;
  readonly format: ParsedQuantity["format"];
}

function scaleOf(suffix: string): Scale | undefined {
  const shift = Object.hasOwn(binary, suffix) ? binary[suffix] : undefined;
  if (shift !== undefined) return { decimal: 0, binary: shift, format: "BinarySI" };
  const power = Object.hasOwn(decimal, suffix) ? decimal[suffix] : undefined;
  if (power !== undefined) return { decimal: power, binary: 0n, format: "DecimalSI" };
  const exponent = /^[eE]([-+]?\d{1,3})$/.exec(suffix)?.[1];
  return exponent === undefined ? undefined : { decimal: Number(exponent), binary: 0n, format: "DecimalExponent" };
}

function fits(nanos: bigint): boolean {
  const units = nanos / nano;
  return BigInt.asIntN(64, units) === units;
}

/** The sum of both; the difference with `sign` -1. */
export function addQuantities(a: CelQuantity, b: CelQuantity, sign: 1n | -1n): CelQuantity {
  const nanos = a.nanos + sign * b.nanos;
  return { nanos, whole: a.whole && b.whole && fits(nanos) };
}

export function wholeUnits(quantity: CelQuantity): bigint {
  return quantity.nanos / nano;
}

export function ofUnits(units: bigint): CelQuantity {
  return { nanos: units * nano, whole: true };
}

export function asDouble(quantity: CelQuantity): number {
  return Number(quantity.nanos) / 1e9;
}
