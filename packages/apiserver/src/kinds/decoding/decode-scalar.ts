import { formatMicroTime, formatTime } from "@purser/kubernetes/clock";
import { digitsOf, type JsonValue } from "@purser/kubernetes/json";
import { cannotUnmarshal, jsonType, Misfit, misfit, refuse, type Walk } from "./decode-walk.ts";
import type { ScalarName, SchemaName } from "../fields/field-table.ts";
import { canonicalQuantity } from "../quantity-text.ts";

const integerBits = { int32: 32, int64: 64 } as const;

/** Decodes a string, number, time or quantity and returns it as Go writes it. */
export function readScalar(
  name: Exclude<ScalarName, SchemaName>,
  given: JsonValue,
  path: string,
  walk: Walk,
): JsonValue {
  switch (name) {
    case "string":
      return typeof given === "string" ? given : misfit(walk, given, { kind: "scalar", name });
    case "bool":
      if (typeof given !== "boolean") return misfit(walk, given, { kind: "scalar", name });
      return given;
    case "int32":
    case "int64":
      return readInteger(name, given, path, walk);
    case "float":
      if (typeof given !== "number") return misfit(walk, given, { kind: "scalar", name });
      return given;
    case "bytes":
      if (Array.isArray(given) && (walk.source === "json" || given.every((item) => item === null)))
        return readByteList(given, walk);
      if (typeof given !== "string") return misfit(walk, given, { kind: "scalar", name }, "[]uint8");
      return readBytes(given, path, walk);
    case "time":
      return readTime(walk, given, rfc3339, "2006-01-02T15:04:05Z07:00", formatTime);
    case "microtime":
      return readTime(walk, given, rfc3339Micro, "2006-01-02T15:04:05.000000Z07:00", formatMicroTime);
    case "quantity":
      return readQuantity(given, walk);
    case "intorstring":
      return readIntOrString(given, path, walk);
    case "json":
      return given;
  }
}

/** Go accepts only digits as an integer: `1.0` and `1e3` are refused. */
function readInteger(name: "int32" | "int64", given: JsonValue, path: string, walk: Walk): JsonValue {
  const digits = digitsOf(given);
  if (typeof given !== "number" && digits === undefined) return misfit(walk, given, { kind: "scalar", name });
  const literal = walk.numbers.get(path) ?? JSON.stringify(given);
  const value = /^-?[0-9]+$/.test(literal) ? BigInt(literal) : undefined;
  if (value !== undefined && BigInt.asIntN(integerBits[name], value) === value) return nearest(value);
  if (walk.source === "unstructured") {
    const whole = value ?? (Number.isInteger(given) ? BigInt(given as number) : undefined);
    return whole === undefined ? misfit(walk, given, { kind: "scalar", name }) : cutToSize(whole, integerBits[name]);
  }
  walk.misfits.push([path, cannotUnmarshal(walk, `number ${literal}`, walk.goName ?? name)]);
  return 0;
}

/** The conversion of an int64 (or, beyond that range, a double) to the width of its field. */
function cutToSize(whole: bigint, bits: number): number {
  const held = BigInt.asIntN(64, whole) === whole ? whole : -(2n ** 63n);
  return nearest(BigInt.asIntN(bits, held));
}

/** The largest double that Go still converts to int64. */
const largestDouble = 2 ** 63 - 1024;

/** Integers beyond 2^53 become the nearest double, because validation compares JavaScript numbers. */
function nearest(value: bigint): number {
  return Math.min(Number(value), largestDouble);
}

function readIntOrString(given: JsonValue, path: string, walk: Walk): JsonValue {
  if (typeof given === "string") return given;
  const digits = digitsOf(given);
  const isNumber = typeof given === "number" || digits !== undefined;
  const literal = isNumber ? (walk.numbers.get(path) ?? JSON.stringify(given)) : "";
  if (/^-?[0-9]+$/.test(literal) && BigInt.asIntN(32, BigInt(literal)) === BigInt(literal)) return Number(literal) || 0;
  const found = isNumber ? `number ${literal}` : jsonType(given);
  // The type unmarshals its own JSON, whatever the source.
  if (walk.source === "unstructured") throw new Misfit(`json: cannot unmarshal ${found} into Go value of type int32`);
  return refuse(walk, cannotUnmarshal(walk, found, "int32"));
}

/** Go also decodes a list of numbers as bytes. */
function readByteList(given: readonly JsonValue[], walk: Walk): string {
  const bytes = given.map((item) => {
    if (item === null) return 0;
    if (typeof item === "number" && Number.isInteger(item) && item >= 0 && item < 256) return item;
    misfit(walk, item, { kind: "scalar", name: "bytes" }, "uint8");
    return 0;
  });
  return btoa(bytes.map((byte) => String.fromCharCode(byte)).join(""));
}

function readBytes(given: string, path: string, walk: Walk): string {
  const read = readBase64(given);
  if ("text" in read) return read.text;
  if (walk.source === "unstructured") throw new Misfit(`error decoding from json: ${read.fault}`);
  walk.misfits.push([path, read.fault]);
  return "";
}

function readBase64(text: string): { readonly text: string } | { readonly fault: string } {
  const clean = text.replaceAll(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/]/.exec(clean);
  const body = clean.replace(/={1,2}$/, "");
  if (bad !== null && bad.index < body.length) return { fault: `illegal base64 data at input byte ${bad.index}` };
  if (clean.length % 4 !== 0)
    return { fault: `illegal base64 data at input byte ${clean.length - (clean.length % 4)}` };
  return { text: clean };
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** MicroTime needs exactly six fractional digits. */
const rfc3339Micro = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}(Z|[+-]\d{2}:\d{2})$/;

function readTime(
  walk: Walk,
  given: JsonValue,
  form: RegExp,
  layout: string,
  format: (epochMs: number) => string,
): JsonValue {
  if (typeof given !== "string")
    return refuse(
      walk,
      walk.source === "unstructured"
        ? `json: cannot unmarshal ${jsonType(given)} into Go value of type string`
        : cannotUnmarshal(walk, jsonType(given), "string"),
    );
  const epoch = form.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(epoch)) return microseconds(format(epoch), given);
  const text = JSON.stringify(given);
  // The two layouts differ only after the seconds.
  const rest = rfc3339.test(given) ? /(?<=:\d\d:\d\d)(\.\d+)?[^.]*$/.exec(given)?.[0] : undefined;
  if (rest !== undefined)
    return refuse(
      walk,
      `parsing time ${text} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ".000000"`,
    );
  return refuse(walk, `parsing time ${text} as ${JSON.stringify(layout)}: cannot parse ${text} as "2006"`);
}

/** JavaScript dates keep milliseconds; the last three digits come from the text. */
function microseconds(formatted: string, given: string): string {
  if (!formatted.endsWith("000Z")) return formatted;
  const digits = /\.(\d+)/.exec(given)?.[1];
  return digits === undefined ? formatted : `${formatted.slice(0, -4)}${digits.padEnd(6, "0").slice(3, 6)}Z`;
}

function readQuantity(given: JsonValue, walk: Walk): JsonValue {
  const literal = walk.numbers.get(walk.at) ?? digitsOf(given);
  const text = literal ?? (typeof given === "number" ? String(given) : given);
  const canonical = typeof text === "string" ? canonicalQuantity(text.trim()) : undefined;
  if (canonical !== undefined) return canonical;
  return refuse(walk, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}
