// Types, enums, texts and numbers of one value, as kube-openapi's validator judges them.
import { goJson } from "../../text/go-json.ts";
import { goFloat } from "../../go-float.ts";
import { digitsOf, type JsonValue } from "../../json.ts";
import { goQuote } from "../../go-quote.ts";
import { invalid, notSupported, tooLong, typeInvalid } from "../field-error.ts";
import { hasFormat } from "./schema-formats.ts";
import type { StructuralSchema } from "./schema-node.ts";
import { deepEqual } from "../semantic-equal.ts";
import { fieldOf, type Findings, nowhere, type Place } from "./validation-findings.ts";

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (numberOf(value) !== undefined) return isIntegral(value) ? "integer" : "number";
  return typeof value;
}

export function checkType(value: JsonValue, schema: StructuralSchema, place: Place, findings: Findings): void {
  const wanted = schema.intOrString ? "integer,string" : schema.type;
  if (wanted === "" && schema.format === "") return;
  findings.matches++;
  const found = typeName(value);
  const refuse = (expected: string, actual: string): void => {
    findings.errors.push(
      typeInvalid(fieldOf(place), actual, `${place.name} in body must be of type ${expected}: ${goQuote(actual)}`),
    );
  };
  if (value === null) {
    if (wanted !== "" && !schema.nullable) refuse(wanted, "null");
    return;
  }
  const fits =
    wanted === found ||
    (schema.intOrString && (found === "integer" || found === "string")) ||
    (wanted === "number" && found === "integer");
  const textual = found === "string" || found === "array";
  if (!textual && schema.format !== "" && !fits && numberFormat(value) !== schema.format) {
    refuse(schema.format, numberFormat(value));
  } else if (textual && schema.format !== "" && !wanted.includes("integer") && wanted !== "number") {
    return;
  } else if (!fits) refuse(wanted, found);
}

/** The format that Go's decoder assigns to a JSON number. */
function numberFormat(value: JsonValue): string {
  if (numberOf(value) === undefined) return "";
  return isIntegral(value) ? "int64" : "float64";
}

/** Go decodes numbers that fit 64 bits as integers, all others as doubles. */
function isIntegral(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
  const digits = digitsOf(value);
  if (digits === undefined) return false;
  const whole = BigInt(digits);
  return whole >= integerBounds.int64[0] && whole <= integerBounds.int64[1];
}

const tolerance = 1e-9;

/** Whether a positive double is a whole number, with the tolerance of kube-openapi's validator; exact for all others. */
function isWhole(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return whole > 0 && (value - whole) / (value + whole) < tolerance;
}

/** The nearest double of a number, also of one that is kept as digits. */
function numberOf(value: JsonValue): number | undefined {
  if (typeof value === "number") return value;
  const digits = typeof value === "object" ? digitsOf(value) : undefined;
  return digits === undefined ? undefined : Number(digits);
}

export function checkEnum(value: JsonValue, schema: StructuralSchema, place: Place, findings: Findings): void {
  const allowed = schema.checks.enum;
  findings.matches++;
  if (allowed === undefined) return;
  if (
    typeof value === "string"
      ? textsOf(allowed).has(value)
      : value !== null && allowed.some((candidate) => isSame(candidate, value))
  )
    return;
  const supported = allowed.map((item) => (typeof item === "string" ? item : goJson(item)));
  const error = notSupported(fieldOf(place), value, supported);
  const number = numberOf(value);
  const isFloat = number !== undefined && !isIntegral(value);
  findings.errors.push(isFloat ? { ...error, badText: goFloat(number, 64) } : error);
}

const texts = new WeakMap<readonly JsonValue[], ReadonlySet<JsonValue>>();

/** Enum values as a set, because a list may have as many items as the enum has values. */
function textsOf(allowed: readonly JsonValue[]): ReadonlySet<JsonValue> {
  let known = texts.get(allowed);
  if (known === undefined) texts.set(allowed, (known = new Set(allowed)));
  return known;
}

/**
 * Compares also after Go's conversion to the candidate's type: a double loses its fraction, a number becomes a
 * character.
 */
function isSame(candidate: JsonValue, value: JsonValue): boolean {
  if (deepEqual(candidate, value)) return true;
  const number = numberOf(value);
  if (number === undefined) return false;
  if (typeof candidate === "string") return isIntegral(value) && candidate === characterOf(number);
  return isIntegral(candidate) && Math.abs(number) < 2 ** 63 && numberOf(candidate) === Math.trunc(number);
}

function characterOf(code: number): string {
  const isCharacter = code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}

export function checkString(value: string, schema: StructuralSchema, place: Place, findings: Findings): void {
  const { minLength, maxLength, pattern } = schema.checks;
  findings.matches++;
  const length = maxLength === undefined && minLength === undefined ? 0 : codePoints(value);
  const field = (): string => fieldOf(place);
  if (maxLength !== undefined && length > maxLength) findings.errors.push(tooLong(field(), maxLength));
  else if (minLength !== undefined && length < minLength) {
    findings.errors.push(invalid(field(), value, `${place.name} in body should be at least ${minLength} chars long`));
  } else if (pattern !== undefined && !pattern.test(value)) {
    findings.errors.push(invalid(field(), value, `${place.name} in body should match '${pattern.text}'`));
  }
  if (schema.format === "") return;
  const matches = hasFormat(schema.format, value);
  if (matches === undefined) return;
  findings.matches++;
  if (matches) return;
  findings.errors.push(
    typeInvalid(field(), value, `${place.name} in body must be of type ${schema.format}: ${goQuote(value)}`),
  );
}

function codePoints(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

const integerBounds = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
} as const;

/** A limit or a value as numeric checks print and compare it. */
interface Limit {
  readonly value: number;
  /** Integers are compared with the whole part of a limit, in 64 bits. */
  readonly whole: boolean;
}

function textOfLimit({ value, whole }: Limit): string {
  return whole ? String(value) : goFloat(value, 64);
}

export function checkNumber(shown: JsonValue, schema: StructuralSchema, place: Place, findings: Findings): void {
  const value = numberOf(shown);
  if (value === undefined) return;
  findings.matches++;
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = schema.checks;
  const complain = (what: string, number: JsonValue): boolean => {
    const problem = rangeProblem(number, schema, what, place);
    if (problem !== undefined) findings.errors.push(invalid(nowhere(place), "", problem));
    return problem !== undefined;
  };
  complain("Checked", shown);
  // A limit outside the type's range is reported, and compared as a double.
  const limitOf = (what: string, limit: number): Limit => {
    const whole = !complain(what, limit) && isIntegral(shown);
    return { value: whole ? Math.trunc(limit) : limit, whole };
  };
  const refuse = (limit: Limit, detail: string): void => {
    const error = invalid(fieldOf(place), shown, `${place.name} in body should be ${detail} ${textOfLimit(limit)}`);
    findings.errors.push(limit.whole ? error : { ...error, badText: goFloat(value, 64) });
  };
  if (multipleOf !== undefined) {
    const factor = limitOf("MultipleOf", multipleOf);
    if (factor.value <= 0) {
      const text = textOfLimit(factor);
      const detail = `factor MultipleOf declared for ${place.name} must be positive: ${text}`;
      findings.errors.push({ ...invalid(fieldOf(place), factor.value, detail), badText: text });
    } else if (!isMultiple(shown, value, factor)) refuse(factor, "a multiple of");
  }
  if (minimum !== undefined) {
    const limit = limitOf("Minimum boundary", minimum);
    const isBelow = exclusiveMinimum ? value <= limit.value : value < limit.value;
    if (isBelow) refuse(limit, exclusiveMinimum ? "greater than" : "greater than or equal to");
  }
  if (maximum !== undefined) {
    const limit = limitOf("Maximum boundary", maximum);
    const isAbove = exclusiveMaximum ? value >= limit.value : value > limit.value;
    if (isAbove) refuse(limit, exclusiveMaximum ? "less than" : "less than or equal to");
  }
}

function isMultiple(shown: JsonValue, value: number, factor: Limit): boolean {
  if (factor.whole) return BigInt(digitsOf(shown) ?? value) % BigInt(factor.value) === 0n;
  return isWhole(factor.value < 1 ? (1 / factor.value) * value : value / factor.value);
}

const largestSingle = 3.4028234663852886e38;

/** Why a number does not fit the type of the schema; `what` is the subject of the message. */
function rangeProblem(number: JsonValue, schema: StructuralSchema, what: string, place: Place): string | undefined {
  if (schema.intOrString) return undefined;
  const { type, format } = schema;
  const fits = type === "integer" ? fitsInteger(number, format) : fitsSingle(number, format);
  if (fits) return undefined;
  return format === ""
    ? `${what} value must be of type ${type} (default format) in ${place.name}`
    : `${what} value must be of type ${type} with format ${format} in ${place.name}`;
}

function fitsSingle(number: JsonValue, format: string): boolean {
  return format !== "float" || Math.abs(numberOf(number) ?? 0) <= largestSingle;
}

function fitsInteger(number: JsonValue, format: string): boolean {
  const digits = digitsOf(number);
  const [low, high] = integerBounds[format === "int32" ? "int32" : "int64"];
  // Doubles beyond 2^53 are inexact: only the digits show on which side of the upper bound the number is.
  return digits === undefined
    ? Number.isInteger(number) && Number(number) >= Number(low) && Number(number) <= Number(high)
    : BigInt(digits) >= low && BigInt(digits) <= high;
}
