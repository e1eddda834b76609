import { goFloat } from "../go-float.ts";
import type { CelDuration, CelTimestamp } from "./cel-value.ts";

/** The text of `string(double)`. */
export function formatDouble(value: number): string {
  return goFloat(value, 64);
}

/** Fixed-point text; ties are rounded to even, as in Go. */
export function toFixed(value: number, decimals: number): string {
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const whole = size >= 1e21 ? String(BigInt(size)) : undefined;
  if (whole !== undefined) return `${sign}${whole}${decimals === 0 ? "" : `.${"0".repeat(decimals)}`}`;
  const places = Math.min(decimals, 100);
  const rounded = size.toFixed(places);
  const exact = size.toFixed(Math.min(100, places + 30));
  const rest = exact.slice(places === 0 ? exact.indexOf(".") + 1 : exact.indexOf(".") + 1 + places);
  const cut = exact.slice(0, places === 0 ? exact.indexOf(".") : exact.indexOf(".") + 1 + places);
  const isTie = /^50*$/.test(rest);
  return sign + (isTie && Number(cut.at(-1)) % 2 === 0 ? cut : rounded);
}

/** Seconds with fraction and unit: `90s`, `1.5s`. */
export function formatDuration(duration: CelDuration): string {
  const sign = duration.nanos < 0n ? "-" : "";
  const nanos = duration.nanos < 0n ? -duration.nanos : duration.nanos;
  const fraction = String(nanos % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${sign}${nanos / 1_000_000_000n}${fraction === "" ? "" : `.${fraction}`}s`;
}

function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return "Z";
  const size = Math.abs(offsetMinutes);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${offsetMinutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** RFC 3339 with the original offset and the necessary number of decimals. */
export function formatTimestamp(timestamp: CelTimestamp): string {
  const million = 1_000_000n;
  const millis = timestamp.nanos >= 0n ? timestamp.nanos / million : -((-timestamp.nanos + million - 1n) / million);
  const rest = timestamp.nanos - (millis - (((millis % 1000n) + 1000n) % 1000n)) * million;
  const fraction = String(rest).padStart(9, "0").replace(/0+$/, "");
  const local = new Date(Number(millis) + timestamp.offsetMinutes * 60_000).toISOString().slice(0, 19);
  return `${local}${fraction === "" ? "" : `.${fraction}`}${zoneText(timestamp.offsetMinutes)}`;
}
