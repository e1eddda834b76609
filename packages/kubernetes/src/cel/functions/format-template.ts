import { goQuote } from "../../go-quote.ts";
import {
  CelDuration,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  fault,
  typeNameOf,
} from "../cel-value.ts";
import { readClause } from "./format-clause.ts";
import { formatDouble, formatDuration, formatTimestamp, toFixed } from "../value-text.ts";

/** `"%s has %d".format([a, b])` */
export function formatTemplate(template: string, values: readonly CelValue[]): CelValue {
  let used = 0;
  let out = "";
  for (let i = 0; i < template.length; i++) {
    if (template[i] !== "%") {
      out += template[i] ?? "";
      continue;
    }
    if (template[i + 1] === "%") {
      out += "%";
      i++;
      continue;
    }
    const value = values[used++];
    if (value === undefined) return fault(`index ${used - 1} out of range`);
    if (i + 1 >= template.length) return fault("unexpected end of string");
    const clause = readClause(template, i + 1);
    if (!clause.ok) return fault(`could not parse formatting clause: ${clause.problem}`);
    const text = formatOne(clause.value.verb, clause.value.precision ?? 6, value);
    if (typeof text !== "string") return text;
    out += text;
    i = clause.value.end - 1;
  }
  return out;
}

function formatOne(verb: string, precision: number, value: CelValue): CelValue {
  const wrong = (wanted: string): CelValue =>
    fault(`error during formatting: ${wanted}, was given ${typeNameOf(value)}`);
  switch (verb) {
    case "s":
      return plain(value);
    case "d":
      return integerText(value) ?? wrong("decimal clause can only be used on integers");
    case "f": {
      const number = asDouble(value);
      return number === undefined
        ? wrong("fixed-point clause can only be used on doubles")
        : (special(number) ?? grouped(toFixed(number === 0 ? 0 : number, precision)));
    }
    case "e": {
      const number = asDouble(value);
      return number === undefined ? wrong("scientific clause can only be used on doubles") : scientific(number);
    }
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return radix(value, 2) ?? wrong("only integers and bools can be formatted as binary");
    case "o":
      return radix(value, 8) ?? wrong("octal clause can only be used on integers");
    default: {
      const hex = typeof value === "string" || value instanceof Uint8Array ? hexBytes(value) : radix(value, 16);
      if (hex === undefined) return wrong("only integers, byte buffers, and strings can be formatted as hex");
      return verb === "X" ? hex.toUpperCase() : hex;
    }
  }
}

function integerText(value: CelValue): string | undefined {
  if (typeof value === "bigint") return String(value);
  return value instanceof CelUint ? String(value.value) : undefined;
}

/** The strings NaN, Infinity and -Infinity are accepted as numbers. */
function asDouble(value: CelValue): number | undefined {
  if (typeof value === "number") return value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Infinity;
  return value === "-Infinity" ? -Infinity : undefined;
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? "∞" : "-∞";
}

/** Groups thousands with commas, as in English. */
function grouped(text: string): string {
  const [whole = "", fraction] = text.split(".");
  const parted = whole.replaceAll(/(\d)(?=(\d{3})+$)/g, "$1,");
  return fraction === undefined ? parted : `${parted}.${fraction}`;
}

const raised: Readonly<Record<string, string>> = {
  "-": "⁻",
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
};

/** Always six decimals: the precision acts as a minimum width, which matters only for NaN and infinities. */
function scientific(value: number): string {
  const named = special(value);
  if (named !== undefined) return named.padStart(6);
  const [mantissa = "", exponent = ""] = value.toExponential(6).split("e");
  const sign = exponent.startsWith("-") ? "-" : "";
  const digits = exponent.slice(1).padStart(2, "0");
  return `${Object.is(value, -0) ? "-" : ""}${mantissa}×10${Array.from(`${sign}${digits}`, (letter) => raised[letter] ?? letter).join("")}`;
}

function radix(value: CelValue, base: number): string | undefined {
  if (typeof value === "bigint") return value.toString(base);
  return value instanceof CelUint ? value.value.toString(base) : undefined;
}

function hexBytes(value: string | Uint8Array): string {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A value as `%s` prints it. */
function plain(value: CelValue): CelValue {
  const text = scalarText(value);
  if (text !== undefined) return text;
  if (value instanceof Uint8Array) return bytesText(value);
  if (Array.isArray(value)) return listText(value);
  if (value instanceof CelMap) return mapText(value);
  return fault(
    `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeNameOf(value)}`,
  );
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function bytesText(value: Uint8Array): CelValue {
  try {
    return decoder.decode(value);
  } catch {
    return fault(
      'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
    );
  }
}

function scalarText(value: CelValue): string | undefined {
  if (value === null) return "null";
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  return value instanceof CelTypeValue ? value.name : undefined;
}

/** A value inside a list or map is printed as a CEL literal. */
function written(value: CelValue): CelValue {
  if (typeof value === "string") return goQuote(value);
  if (value instanceof CelDuration) return `duration(${goQuote(formatDuration(value))})`;
  if (value instanceof CelTimestamp) return `timestamp(${goQuote(formatTimestamp(value))})`;
  if (typeof value === "number") {
    return Number.isFinite(value) ? toFixed(value, 6) : goQuote(formatDouble(value));
  }
  if (value instanceof Uint8Array) {
    const text = bytesText(value);
    return typeof text === "string" ? `b${goQuote(text)}` : text;
  }
  const text = scalarText(value);
  if (text !== undefined) return text;
  if (Array.isArray(value)) return listText(value);
  if (value instanceof CelMap) return mapText(value);
  return fault(`error during formatting: no formatting function for ${typeNameOf(value)}`);
}

function listText(items: readonly CelValue[]): CelValue {
  const texts: string[] = [];
  for (const item of items) {
    const text = written(item);
    if (typeof text !== "string") return text;
    texts.push(text);
  }
  return `[${texts.join(", ")}]`;
}

function mapText(map: CelMap): CelValue {
  const entries: (readonly [string, string])[] = [];
  for (const key of map.keys()) {
    const name = written(key);
    // A null member counts as absent elsewhere, but is printed.
    const held = written(map.get(key) ?? null);
    if (typeof name !== "string") return name;
    if (typeof held !== "string") return held;
    entries.push([name, held]);
  }
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([name, held]) => `${name}:${held}`).join(", ")}}`;
}
