import { parseQuantity, type Quantity } from "../../object/quantity.ts";

const nano = 1_000_000_000n;
const decimalSuffixes = new Map<number, string>([
  [-9, "n"],
  [-6, "u"],
  [-3, "m"],
  [0, ""],
  [3, "k"],
  [6, "M"],
  [9, "G"],
  [12, "T"],
  [15, "P"],
  [18, "E"],
]);
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** The one text that Kubernetes writes for an amount (`1000m` becomes `1`, `1024Mi` becomes `1Gi`); undefined when it is none. */
export function canonicalQuantity(text: string): string | undefined {
  const parsed = parseQuantity(text.trim());
  return parsed.ok ? formatQuantity(parsed.value) : undefined;
}

function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return "0";
  const small = nanos < 1024n * nano && nanos > -1024n * nano;
  if (format === "BinarySI" && !small && nanos % nano === 0n) return formatBinary(nanos / nano);
  return formatDecimal(nanos, format === "DecimalExponent");
}

function formatBinary(units: bigint): string {
  let power = 0;
  let rest = units;
  while (rest % 1024n === 0n && power < binarySuffixes.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${binarySuffixes[power] ?? ""}`;
}

/** The largest power of a thousand that leaves an integer before the suffix. */
function formatDecimal(nanos: bigint, asExponent: boolean): string {
  let exponent = -9;
  let rest = nanos;
  while (rest % 1000n === 0n && (asExponent || exponent < 18)) {
    rest /= 1000n;
    exponent += 3;
  }
  if (asExponent) return exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
  return `${rest}${decimalSuffixes.get(exponent) ?? ""}`;
}
