import {
  CelDuration,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  fault,
  typeNameOf,
} from "./cel-value.ts";
import { formatDouble, formatDuration, formatTimestamp } from "./value-text.ts";

/** `"%s has %d".format([a, b])` */
export function formatTemplate(template: string, values: readonly CelValue[]): CelValue {
  let used = 0;
  let out = "";
  let rest = template;
  while (rest !== "") {
    const percent = rest.indexOf("%");
    if (percent < 0) return out + rest;
    out += rest.slice(0, percent);
    const clause = /^%(?:%|(?:\.(\d+))?([a-zA-Z]))/.exec(rest.slice(percent));
    if (clause === null) return fault("could not parse formatting clause: unexpected end of string");
    rest = rest.slice(percent + clause[0].length);
    if (clause[0] === "%%") {
      out += "%";
      continue;
    }
    const value = values[used++];
    if (value === undefined) return fault(`index ${used - 1} out of range`);
    const text = formatOne(clause[2] ?? "", clause[1], value);
    if (typeof text !== "string") return text;
    out += text;
  }
  return out;
}

function formatOne(verb: string, precision: string | undefined, value: CelValue): CelValue {
  const wrong = (wanted: string): CelValue =>
    fault(`error during formatting: ${wanted}, was given ${typeNameOf(value)}`);
  switch (verb) {
    case "s":
      return plain(value);
    case "d":
      if (typeof value === "bigint") return String(value);
      if (value instanceof CelUint) return String(value.value);
      return special(value) ?? wrong("decimal clause can only be used on integers");
    case "f":
      if (typeof value === "number") return special(value) ?? value.toFixed(Number(precision ?? "6"));
      if (typeof value === "bigint") return Number(value).toFixed(Number(precision ?? "6"));
      return wrong("fixed-point clause can only be used on doubles");
    case "e":
      if (typeof value !== "number") return wrong("scientific clause can only be used on doubles");
      return special(value) ?? value.toExponential(Number(precision ?? "6")).replace(/e([+-])(\d)$/, "e$10$2");
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return radix(value, 2) ?? wrong("only integers and bools can be formatted as binary");
    case "o":
      return radix(value, 8) ?? wrong("octal clause can only be used on integers");
    case "x":
    case "X": {
      const hex = typeof value === "string" || value instanceof Uint8Array ? hexBytes(value) : radix(value, 16);
      if (hex === undefined) return wrong("only integers, byte buffers, and strings can be formatted as hex");
      return verb === "X" ? hex.toUpperCase() : hex;
    }
    default:
      return fault(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function special(value: CelValue): string | undefined {
  if (typeof value !== "number" || Number.isFinite(value)) return undefined;
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

function radix(value: CelValue, base: number): string | undefined {
  if (typeof value === "bigint") return value.toString(base);
  return value instanceof CelUint ? value.value.toString(base) : undefined;
}

function hexBytes(value: string | Uint8Array): string {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** How `%s` prints a value. */
function plain(value: CelValue): CelValue {
  if (value === null) return "null";
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return special(value) ?? formatDouble(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelTypeValue) return value.name;
  if (Array.isArray(value)) {
    const items: string[] = [];
    for (const item of value as readonly CelValue[]) {
      const shown = plain(item);
      if (typeof shown !== "string") return shown;
      items.push(shown);
    }
    return `[${items.join(", ")}]`;
  }
  if (!(value instanceof CelMap)) {
    return fault(
      `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeNameOf(value)}`,
    );
  }
  const entries: string[] = [];
  for (const key of value.keys()) {
    const name = plain(key);
    const held = plain(value.get(key) ?? null);
    if (typeof name !== "string") return name;
    if (typeof held !== "string") return held;
    entries.push(`${name}: ${held}`);
  }
  return `{${entries.toSorted().join(", ")}}`;
}
