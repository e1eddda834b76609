import { goFloat } from "../go-float.ts";
import { exactInteger } from "./go-number.ts";
import type { JsonValue } from "../json.ts";

/** A plain scalar as resolved by Go's YAML 1.1 decoder. */
export type GoScalar =
  | { readonly kind: "null" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "int"; readonly digits: string }
  /** Finite, infinite or NaN. */
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "string" };

const words = new Map<string, GoScalar>();
function learn(scalar: GoScalar, ...spellings: readonly string[]): void {
  for (const spelling of spellings) words.set(spelling, scalar);
}
learn({ kind: "bool", value: true }, "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
learn({ kind: "bool", value: false }, "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
learn({ kind: "null" }, "", "~", "null", "Null", "NULL");
learn({ kind: "float", value: Number.NaN }, ".nan", ".NaN", ".NAN");
learn({ kind: "float", value: Infinity }, ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF");
learn({ kind: "float", value: -Infinity }, "-.inf", "-.Inf", "-.INF");

/** Plain scalars that are not strings although they are not written like numbers. */
export const plainWords: readonly string[] = [...words.keys()];

const aString: GoScalar = { kind: "string" };
const smallestInt64 = -(2n ** 63n);
const largestUint64 = 2n ** 64n - 1n;
const floatForm = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const dottedFloat = /^\.[0-9]+([eE][-+]?[0-9]+)?$/;

/** The type and value of an unquoted scalar without a tag. Dates stay strings, as sigs.k8s.io/yaml leaves them. */
export function resolvePlain(text: string): GoScalar {
  const first = text.charCodeAt(0);
  const isDigit = first >= 48 && first <= 57;
  if (!isDigit && first !== 43 && first !== 45 && first !== 46) return words.get(text) ?? aString;
  if (first === 46) {
    const word = words.get(text);
    if (word !== undefined) return word;
    return dottedFloat.test(text) ? float(text) : aString;
  }
  const word = isDigit ? undefined : words.get(text);
  if (word !== undefined) return word;
  if (isDigit && isTimestamp(text)) return aString;
  const plain = text.includes("_") ? text.replaceAll("_", "") : text;
  const integer = goInteger(plain);
  if (integer !== undefined) return { kind: "int", digits: integer };
  return floatForm.test(plain) ? float(plain) : aString;
}

function float(text: string): GoScalar {
  const value = Number(text.endsWith(".") ? `${text}0` : text);
  // Go's ParseFloat refuses out-of-range values, and the scalar remains a string.
  return Number.isFinite(value) ? { kind: "float", value } : aString;
}

const decimal = /^[-+]?(0|[1-9][0-9]*)$/;
const based = /^([-+]?)0([xX][0-9a-fA-F]+|[bB][01]+|[oO]?[0-7]+)$/;

/** Decimal digits of a text that `strconv.ParseInt(text, 0, 64)` or `ParseUint` accepts. */
function goInteger(text: string): string | undefined {
  if (decimal.test(text)) {
    if (text.length < 16) return String(Number(text));
    return bounded(BigInt(text.startsWith("+") ? text.slice(1) : text), text.startsWith("+"));
  }
  const match = based.exec(text);
  if (match === null) return undefined;
  const [, sign = "", body = ""] = match;
  const letter = body.charAt(0).toLowerCase();
  const digits = /[xbo]/.test(letter) ? `0${letter}${body.slice(1)}` : `0o${body}`;
  const size = BigInt(digits);
  return bounded(sign === "-" ? -size : size, sign === "+");
}

function bounded(value: bigint, signed: boolean): string | undefined {
  const largest = signed ? 2n ** 63n - 1n : largestUint64;
  return value < smallestInt64 || value > largest ? undefined : String(value);
}

/** The four layouts that Go's YAML decoder tries; only texts that begin with four digits and a dash can match. */
export function isTimestamp(text: string): boolean {
  const match =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:([Tt]|[ ]+)(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(Z|[-+]\d{2}:\d{2})?)?$/.exec(
      text,
    );
  if (match === null) return false;
  const [, year = "", month = "", day = "", mark, hour, minute, second, zone] = match;
  const monthNumber = Number(month);
  const dayNumber = Number(day);
  if (monthNumber < 1 || monthNumber > 12 || dayNumber < 1 || dayNumber > daysIn(Number(year), monthNumber))
    return false;
  if (mark === undefined) return true;
  if ((mark === "T" || mark === "t") !== (zone !== undefined)) return false;
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

/** The JSON value of a resolved scalar; undefined for infinities and NaN, which JSON lacks. */
export function jsonOfScalar(scalar: GoScalar, text: string): JsonValue | undefined {
  switch (scalar.kind) {
    case "null":
      return null;
    case "bool":
      return scalar.value;
    case "int":
      return exactInteger(scalar.digits);
    case "float":
      return Number.isFinite(scalar.value) ? scalar.value : undefined;
    case "string":
      return text;
  }
}

/** The text of a resolved scalar as a map key; undefined for null and 64-bit unsigned keys, which Go refuses. */
export function keyOfScalar(scalar: GoScalar, text: string): string | undefined {
  switch (scalar.kind) {
    case "null":
      return undefined;
    case "bool":
      return String(scalar.value);
    case "int":
      return BigInt(scalar.digits) >= 2n ** 63n ? undefined : scalar.digits;
    case "float":
      return keyOfFloat(scalar.value);
    case "string":
      return text;
  }
}

function keyOfFloat(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  return goFloat(value, 32);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
