import { parseQuantity, type Quantity } from "@purser/kubernetes/object/quantity";

/** The canonical form of a quantity (`1024Mi` is `1Gi`, `0.5` is `500m`); undefined when it is not a quantity. */
export function canonicalQuantity(text: string): string | undefined {
  const parsed = parseQuantity(text);
  return parsed.ok ? formatQuantity(parsed.value) : undefined;
}

const decimalSuffixes = [
  ["E", 18],
  ["P", 15],
  ["T", 12],
  ["G", 9],
  ["M", 6],
  ["k", 3],
  ["", 0],
  ["m", -3],
  ["u", -6],
  ["n", -9],
] as const;

const binarySuffixes = [
  ["Ei", 60n],
  ["Pi", 50n],
  ["Ti", 40n],
  ["Gi", 30n],
  ["Mi", 20n],
  ["Ki", 10n],
] as const;

const nano = 1_000_000_000n;

/** The largest suffix that leaves a whole number. Binary form is kept only for whole amounts of 1024 and more. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return "0";
  const amount = nanos < 0n ? -nanos : nanos;
  const sign = nanos < 0n ? "-" : "";
  if (format === "BinarySI" && amount % nano === 0n && amount / nano >= 1024n) {
    const whole = amount / nano;
    for (const [suffix, bits] of binarySuffixes) {
      if (whole % (1n << bits) === 0n) return `${sign}${whole >> bits}${suffix}`;
    }
    return `${sign}${whole}`;
  }
  for (const [suffix, exponent] of decimalSuffixes) {
    const unit = 10n ** BigInt(exponent + 9);
    if (amount % unit !== 0n) continue;
    if (format === "DecimalExponent") return `${sign}${amount / unit}${exponent === 0 ? "" : `e${exponent}`}`;
    return `${sign}${amount / unit}${suffix}`;
  }
  return `${sign}${amount}n`;
}

/** Sum of quantities, in the form of the first that is not 0; undefined when one does not parse. */
export function sumQuantities(texts: readonly string[]): string | undefined {
  let sum: Quantity | undefined;
  for (const text of texts) {
    const parsed = parseQuantity(text);
    if (!parsed.ok) return undefined;
    sum = sum === undefined || sum.nanos === 0n ? parsed.value : { ...sum, nanos: sum.nanos + parsed.value.nanos };
  }
  return sum === undefined ? "0" : formatQuantity(sum);
}

/** Whether it is a whole number; true for a text that is not a quantity. */
export function isWholeQuantity(text: string): boolean {
  const read = parseQuantity(text);
  return !read.ok || read.value.nanos % nano === 0n;
}
