import type { CelDuration, CelTimestamp } from "./cel-value.ts";

/** As `string(double)` prints it in Go: plain up to 21 digits, then with an exponent of at least two digits. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

/** Whole and fractional seconds with the unit: `90s`, `1.5s`. */
export function formatDuration(duration: CelDuration): string {
  const sign = duration.nanos < 0n ? "-" : "";
  const nanos = duration.nanos < 0n ? -duration.nanos : duration.nanos;
  const fraction = String(nanos % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${sign}${nanos / 1_000_000_000n}${fraction === "" ? "" : `.${fraction}`}s`;
}

/** RFC 3339 in UTC, with as many decimals as there are. */
export function formatTimestamp(timestamp: CelTimestamp): string {
  const million = 1_000_000n;
  const millis = timestamp.nanos >= 0n ? timestamp.nanos / million : -((-timestamp.nanos + million - 1n) / million);
  const rest = timestamp.nanos - (millis - (((millis % 1000n) + 1000n) % 1000n)) * million;
  const fraction = String(rest).padStart(9, "0").replace(/0+$/, "");
  return `${new Date(Number(millis)).toISOString().slice(0, 19)}${fraction === "" ? "" : `.${fraction}`}Z`;
}
