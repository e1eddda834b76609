import { goJson } from "../../text/go-json.ts";
import { knownKeys } from "../../known-keys.ts";
import { allSteps, type Steps, Strides } from "../../steps.ts";
import { goFloat } from "../../go-float.ts";
import { digitsOf, isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { goQuote } from "../../go-quote.ts";
import { type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from "../field-error.ts";
import { hasFormat } from "./schema-formats.ts";
import type { StructuralSchema } from "./schema-node.ts";
import { deepEqual, deepEqualInSteps } from "../semantic-equal.ts";
import { correlatedItem, prepareCorrelation } from "./correlate.ts";

/**
 * Result of a validation. `matches` counts checks that ran: of several failed alternatives the best one is reported.
 */
interface Findings {
  readonly errors: FieldError[];
  matches: number;
  readonly strides: Strides;
}

interface Place {
  /** Path of the value from the validated root, in the format of kube-openapi's validator (`spec.list[0]`). */
  readonly name: string;
  /** Prefix of `name`: empty for resources, the path of a default in a CRD. */
  readonly base: string;
}

interface OpenApiOptions {
  /** Enables ratcheting: errors in unchanged parts are not reported. */
  readonly old?: JsonValue | undefined;
  /** Prefix of the paths in errors. */
  readonly base?: string;
}

/** What is wrong with a value by types, formats, limits and combinations of the schema; each error once. */
export function validateOpenApi(
  value: JsonValue,
  schema: StructuralSchema,
  options: OpenApiOptions = {},
): readonly FieldError[] {
  return allSteps(validateOpenApiInSteps(value, schema, options));
}

/** As {@link validateOpenApi}, with pauses. */
export function* validateOpenApiInSteps(
  value: JsonValue,
  schema: StructuralSchema,
  options: OpenApiOptions = {},
): Steps<readonly FieldError[]> {
  const strides = new Strides();
  const place = { name: "", base: options.base ?? "" };
  const findings: Findings = { errors: [], matches: 0, strides };
  yield* visit(value, schema, place, findings, undefined);
  if (findings.errors.length === 0 || options.old === undefined) return yield* distinct(findings.errors, strides);
  // Unchanged parts are determined only when there are errors.
  const ratcheted: Findings = { errors: [], matches: 0, strides };
  yield* visit(value, schema, place, ratcheted, options.old);
  return yield* distinct(ratcheted.errors, strides);
}

/** Removes duplicate errors of several branches. */
function* distinct(errors: readonly FieldError[], strides: Strides): Steps<readonly FieldError[]> {
  if (errors.length < 2) return errors;
  const seen = new Set<string>();
  const once: FieldError[] = [];
  for (const error of errors) {
    if (strides.isDue(2)) yield;
    const key = `${error.type} ${error.field} ${error.detail}`;
    if (!seen.has(key)) once.push(error);
    seen.add(key);
  }
  return once;
}

function fieldOf(place: Place): string {
  if (place.name === "") return place.base === "" ? "<nil>" : place.base;
  const name = place.name.startsWith(".") ? place.name.slice(1) : place.name;
  return place.base === "" ? name : `${place.base}.${name}`;
}

/** The place for errors that Kubernetes reports without a path. */
function nowhere(place: Place): string {
  return place.base === "" ? "<nil>" : place.base;
}

function* visit(
  value: JsonValue,
  schema: StructuralSchema,
  place: Place,
  findings: Findings,
  old: JsonValue | undefined,
): Steps<void> {
  if (findings.strides.isDue(2)) yield;
  const before = findings.errors.length;
  yield* check(value, schema, place, findings, old);
  if (old === undefined || findings.errors.length === before) return;
  if (yield* deepEqualInSteps(old, value, findings.strides)) findings.errors.length = before;
}

function* check(
  value: JsonValue,
  schema: StructuralSchema,
  place: Place,
  findings: Findings,
  old: JsonValue | undefined,
): Steps<void> {
  checkType(value, schema, place, findings);
  if (value === null) {
    checkEnum(value, schema, place, findings);
    return;
  }
  if (hasCombinations(schema)) yield* checkCombinations(value, schema, place, findings);
  findings.matches++;
  if (typeof value === "string") checkString(value, schema, place, findings);
  else if (Array.isArray(value)) yield* checkList(value, schema, place, findings, old);
  else checkNumber(value, schema, place, findings);
  checkEnum(value, schema, place, findings);
  if (isJsonObject(value)) yield* checkObject(value, schema, place, findings, old);
  findings.matches++;
}

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (numberOf(value) !== undefined) return isIntegral(value) ? "integer" : "number";
  return typeof value;
}

function checkType(value: JsonValue, schema: StructuralSchema, place: Place, findings: Findings): void {
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

const smallestPositive = Number.MIN_VALUE;
const tolerance = 1e-9;

/** Whether a double is a whole number, with the tolerance of kube-openapi's validator. */
function isWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = value < 0 ? 0 : Math.trunc(value);
  if (value === Math.trunc(value)) return true;
  const difference = Math.abs(value - whole);
  if (value === 0 || whole === 0 || difference < smallestPositive) return difference < tolerance * smallestPositive;
  return difference / Math.min(Math.abs(value) + whole, Number.MAX_VALUE) < tolerance;
}

/** The nearest double of a number, also of one that is kept as digits. */
function numberOf(value: JsonValue): number | undefined {
  if (typeof value === "number") return value;
  const digits = typeof value === "object" ? digitsOf(value) : undefined;
  return digits === undefined ? undefined : Number(digits);
}

function checkEnum(value: JsonValue, schema: StructuralSchema, place: Place, findings: Findings): void {
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
  findings.errors.push(isFloat(value) ? { ...error, badText: goFloat(numberOf(value) ?? 0, 64) } : error);
}

const texts = new WeakMap<readonly JsonValue[], ReadonlySet<JsonValue>>();

/** Enum values as a set, because a list may have as many items as the enum has values. */
function textsOf(allowed: readonly JsonValue[]): ReadonlySet<JsonValue> {
  let known = texts.get(allowed);
  if (known === undefined) texts.set(allowed, (known = new Set(allowed)));
  return known;
}

function isFloat(value: JsonValue): boolean {
  return numberOf(value) !== undefined && !isIntegral(value);
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

function checkString(value: string, schema: StructuralSchema, place: Place, findings: Findings): void {
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
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code < 0xdc00 && i + 1 < text.length) i++;
    count++;
  }
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

function checkNumber(shown: JsonValue, schema: StructuralSchema, place: Place, findings: Findings): void {
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

function* checkList(
  list: readonly JsonValue[],
  schema: StructuralSchema,
  place: Place,
  findings: Findings,
  old: JsonValue | undefined,
): Steps<void> {
  const { items } = schema;
  const { minItems, maxItems, uniqueItems } = schema.checks;
  findings.matches++;
  if (items !== undefined) {
    if (old !== undefined) yield* prepareCorrelation(schema, old, findings.strides);
    for (const [index, item] of list.entries()) {
      const before = old === undefined ? undefined : correlatedItem(schema, old, item);
      yield* visit(item, items, { ...place, name: `${place.name}[${index}]` }, findings, before);
    }
  }
  if (minItems !== undefined && list.length < minItems) {
    findings.errors.push(
      invalid(fieldOf(place), list.length, `${place.name} in body should have at least ${minItems} items`),
    );
  }
  if (maxItems !== undefined && list.length > maxItems) {
    findings.errors.push(tooMany(fieldOf(place), list.length, maxItems));
  }
  if (uniqueItems && list.some((item, index) => list.slice(0, index).some((earlier) => deepEqual(earlier, item)))) {
    findings.errors.push(invalid(fieldOf(place), "", `${place.name} in body shouldn't contain duplicates`));
  }
}

function* checkObject(
  value: JsonObject,
  schema: StructuralSchema,
  place: Place,
  findings: Findings,
  old: JsonValue | undefined,
): Steps<void> {
  const { minProperties, maxProperties } = schema.checks;
  findings.matches++;
  const size = minProperties === undefined && maxProperties === undefined ? 0 : knownKeys(value).length;
  if (minProperties !== undefined && size < minProperties) {
    findings.errors.push(
      invalid(fieldOf(place), size, `${place.name} in body should have at least ${minProperties} properties`),
    );
  }
  if (maxProperties !== undefined && size > maxProperties) {
    findings.errors.push(tooMany(fieldOf(place), size, maxProperties));
  }
  const earlier = old !== undefined && isJsonObject(old) ? old : undefined;
  const visitMember = (key: string, held: JsonValue, node: StructuralSchema, name: string): Steps<void> => {
    return visit(held, node, { ...place, name }, findings, earlier === undefined ? undefined : member(earlier, key));
  };
  if (schema.additional !== undefined && schema.additional !== true) {
    for (const key of knownKeys(value)) {
      const held = member(value, key);
      if (held === undefined || schema.properties.has(key)) continue;
      if (schema.additional === false) {
        findings.errors.push(invalid(fieldOf(place), "", `${place.name}.${key} in body is a forbidden property`));
        if (findings.strides.isDue()) yield;
      } else yield* visitMember(key, held, schema.additional, `${place.name}.${key}`);
    }
  }
  for (const [key, property] of schema.properties) {
    const held = member(value, key);
    if (held !== undefined) yield* visitMember(key, held, property, place.name === "" ? key : `${place.name}.${key}`);
  }
  for (const key of schema.checks.required) {
    if (member(value, key) === undefined) {
      findings.errors.push(required(fieldOf({ ...place, name: `${place.name}.${key}` })));
    }
  }
}

/** Validates against a schema with separate findings. */
function* attempt(value: JsonValue, schema: StructuralSchema, place: Place, strides: Strides): Steps<Findings> {
  const findings: Findings = { errors: [], matches: 0, strides };
  yield* visit(value, schema, place, findings, undefined);
  return findings;
}

function hasCombinations({ checks: { allOf, anyOf, oneOf, not } }: StructuralSchema): boolean {
  return allOf.length > 0 || anyOf.length > 0 || oneOf.length > 0 || not !== undefined;
}

/** Validates against each of the schemas. */
function* attempts(
  value: JsonValue,
  schemas: readonly StructuralSchema[],
  place: Place,
  strides: Strides,
): Steps<readonly Findings[]> {
  const tried: Findings[] = [];
  for (const schema of schemas) tried.push(yield* attempt(value, schema, place, strides));
  return tried;
}

function* checkCombinations(value: JsonValue, schema: StructuralSchema, place: Place, findings: Findings): Steps<void> {
  const { allOf, anyOf, oneOf, not } = schema.checks;
  const { strides } = findings;
  const say = (text: string): void => {
    findings.errors.push(invalid(nowhere(place), "", `${goQuote(place.name)} must ${text}`));
  };
  if (anyOf.length > 0) {
    const failures: Findings[] = [];
    for (const branch of anyOf) {
      const found = yield* attempt(value, branch, place, strides);
      if (found.errors.length === 0) break;
      failures.push(found);
    }
    if (failures.length === anyOf.length) {
      say("validate at least one schema (anyOf)");
      append(findings, bestOf(failures));
    }
  }
  if (oneOf.length > 0) {
    const tried = yield* attempts(value, oneOf, place, strides);
    const valid = tried.filter((found) => found.errors.length === 0).length;
    if (valid === 0) {
      say("validate one and only one schema (oneOf). Found none valid");
      append(findings, bestOf(tried));
    } else if (valid > 1) say(`validate one and only one schema (oneOf). Found ${valid} valid alternatives`);
  }
  if (allOf.length > 0) {
    const tried = yield* attempts(value, allOf, place, strides);
    for (const found of tried) append(findings, found.errors);
    const failures = tried.filter((found) => found.errors.length > 0).length;
    if (failures > 0) {
      say(`validate all the schemas (allOf)${failures === tried.length ? ". None validated" : ""}`);
    }
  }
  if (not !== undefined && (yield* attempt(value, not, place, strides)).errors.length === 0)
    say("not validate the schema (not)");
}

/** Hundreds of thousands of errors are no arguments of a call. */
function append(findings: Findings, errors: readonly FieldError[]): void {
  for (const error of errors) findings.errors.push(error);
}

function bestOf(failures: readonly Findings[]): readonly FieldError[] {
  let best: Findings | undefined;
  for (const found of failures) if (best === undefined || found.matches > best.matches) best = found;
  return best?.errors ?? [];
}
