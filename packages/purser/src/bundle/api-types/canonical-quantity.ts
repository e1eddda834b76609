import { parseQuantity, type Quantity } from "@purser/kubernetes/object/quantity";

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

/**
 * An amount as Kubernetes writes it after reading it: texts that look canonical stay as they are (`0100m`, `1e3`), others
 * become it (`1024Mi` becomes `1Gi`, `0.5` becomes `500m`). Undefined when it is no amount.
 */
export function canonicalQuantity(text: string): string | undefined {
  const trimmed = text.trim();
  const parsed = parseQuantity(trimmed);
  if (!parsed.ok) return undefined;
  return keepsText(trimmed, parsed.value.format) ? trimmed : formatQuantity(parsed.value);
}

/** Upstream's quick test for "canonical already"; it is neither strict nor complete, and its answer is what counts. */
function keepsText(text: string, format: Quantity["format"]): boolean {
  if (text === "0") return true;
  const [, leading = "", fraction = "", suffix = ""] = /^[+-]?(\d*)(?:\.(\d*))?(.*)$/s.exec(text) ?? [];
  const stripped = leading.replace(/^0+/, "");
  const whole = stripped === "" ? "0" : stripped;
  if (format === "BinarySI") {
    const digits = 15 - whole.length - Math.trunc(binarySuffixes.indexOf(suffix) * 3) - 1;
    return fraction === "" && digits >= 0 && (BigInt(whole) & 7n) !== 0n;
  }
  const shifted = whole + fraction;
  const power = /^[eE]/.test(suffix) && suffix.length > 1 ? Number(suffix.slice(1)) : exponentOf(suffix);
  const scale = power - fraction.length;
  if (shifted.length > 18 || scale < -9) return false;
  return scale % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0");
}

function exponentOf(suffix: string): number {
  for (const [exponent, name] of decimalSuffixes) if (name === suffix) return exponent;
  return 0;
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
