import { goJson } from "../text/go-json.ts";
import { digitsOf, isJsonObject, type JsonObject, type JsonValue, member } from "../json.ts";
import { goQuote } from "../go-quote.ts";
import { type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from "./field-error.ts";
import { hasFormat } from "./schema-formats.ts";
import type { StructuralSchema } from "./schema-node.ts";
import { deepEqual } from "./semantic-equal.ts";
import { correlatedItem } from "./correlate.ts";

/** What validation found. `matches` counts checks that ran: among failed alternatives the best one is reported. */
interface Findings {
  readonly errors: FieldError[];
  matches: number;
}

interface Place {
  /** Path of the value from the root of the validated value, as upstream's validator writes it (`spec.list[0]`). */
  readonly name: string;
  /** What stands before `name`: empty for resources, the path of a default in a CRD. */
  readonly base: string;
}

/** `old` turns on ratcheting: what is wrong in a part that did not change is not reported. */
export function validateOpenApi(
  value: JsonValue,
  schema: StructuralSchema,
  options: { readonly old?: JsonValue | undefined; readonly base?: string } = {},
): readonly FieldError[] {
  const place = { name: "", base: options.base ?? "" };
  const findings: Findings = { errors: [], matches: 0 };
  visit(value, schema, place, findings, undefined);
  if (findings.errors.length === 0 || options.old === undefined) return findings.errors;
  // Only a refused update pays for finding out which parts changed.
  const ratcheted: Findings = { errors: [], matches: 0 };
  visit(value, schema, place, ratcheted, options.old);
  return ratcheted.errors;
}

function fieldOf(place: Place): string {
  if (place.name === "") return place.base === "" ? "<nil>" : place.base;
  const name = place.name.startsWith(".") ? place.name.slice(1) : place.name;
  return place.base === "" ? name : `${place.base}.${name}`;
}

/** For errors that upstream reports without a path. */
function nowhere(place: Place): string {
  return place.base === "" ? "<nil>" : place.base;
}

function visit(
  value: JsonValue,
  schema: StructuralSchema,
  place: Place,
  findings: Findings,
  old: JsonValue | undefined,
): void {
  const before = findings.errors.length;
  check(value, schema, place, findings, old);
  if (old !== undefined && findings.errors.length > before && deepEqual(old, value)) findings.errors.length = before;
}

function check(
  value: JsonValue,
  schema: StructuralSchema,
  place: Place,
  findings: Findings,
  old: JsonValue | undefined,
): void {
  checkType(value, schema, place, findings);
  if (value === null) {
    checkEnum(value, schema, place, findings);
    return;
  }
  checkCombinations(value, schema, place, findings);
  if (typeof value === "string") checkString(value, schema, place, findings);
  else if (Array.isArray(value)) checkList(value, schema, place, findings, old);
  else checkNumber(value, schema, place, findings);
  checkEnum(value, schema, place, findings);
  if (isJsonObject(value)) checkObject(value, schema, place, findings, old);
  findings.matches++;
}

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const number = numberOf(value);
  if (number !== undefined) return Number.isInteger(number) ? "integer" : "number";
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

/** The format Go's decoder gives a JSON value. */
function numberFormat(value: JsonValue): string {
  const number = numberOf(value);
  if (number === undefined) return "";
  return Number.isInteger(number) ? "int64" : "float64";
}

/** The nearest double of a number, also of one that is kept by its digits. */
function numberOf(value: JsonValue): number | undefined {
  if (typeof value === "number") return value;
  const digits = typeof value === "object" ? digitsOf(value) : undefined;
  return digits === undefined ? undefined : Number(digits);
}

function checkEnum(value: JsonValue, schema: StructuralSchema, place: Place, findings: Findings): void {
  const allowed = schema.checks.enum;
  findings.matches++;
  if (allowed === undefined || (value !== null && allowed.some((candidate) => deepEqual(candidate, value)))) return;
  const supported = allowed.map((item) => (typeof item === "string" ? item : goJson(item)));
  findings.errors.push(notSupported(fieldOf(place), value, supported));
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

function checkNumber(shown: JsonValue, schema: StructuralSchema, place: Place, findings: Findings): void {
  const value = numberOf(shown);
  if (value === undefined) return;
  findings.matches++;
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = schema.checks;
  const outOfRange = rangeProblem(shown, schema, place);
  if (outOfRange !== undefined) findings.errors.push(invalid(nowhere(place), "", outOfRange));
  const refuse = (detail: string): void => {
    findings.errors.push(invalid(fieldOf(place), shown, `${place.name} in body should be ${detail}`));
  };
  if (multipleOf !== undefined) {
    const factor = Number.isInteger(value) ? Math.trunc(multipleOf) : multipleOf;
    if (factor <= 0) {
      findings.errors.push(
        invalid(fieldOf(place), factor, `factor MultipleOf declared for ${place.name} must be positive: ${factor}`),
      );
    } else if (!isMultiple(value, factor)) refuse(`a multiple of ${factor}`);
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    refuse(exclusiveMinimum ? `greater than ${minimum}` : `greater than or equal to ${minimum}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    refuse(exclusiveMaximum ? `less than ${maximum}` : `less than or equal to ${maximum}`);
  }
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

function rangeProblem(value: JsonValue, schema: StructuralSchema, place: Place): string | undefined {
  if (schema.type !== "integer" || schema.intOrString) return undefined;
  const named = schema.format === "int32" || schema.format === "int64" ? schema.format : "";
  const digits = digitsOf(value);
  const [low, high] = integerBounds[named === "" ? "int64" : named];
  // A double beyond 2^53 has lost its last digits: only digits can tell the two sides of the upper bound apart.
  const fits =
    digits === undefined
      ? Number.isInteger(value) && Number(value) >= Number(low) && Number(value) <= Number(high)
      : BigInt(digits) >= low && BigInt(digits) <= high;
  if (fits) return undefined;
  return named === ""
    ? `Checked value must be of type integer (default format) in ${place.name}`
    : `Checked value must be of type integer with format ${named} in ${place.name}`;
}

function checkList(
  list: readonly JsonValue[],
  schema: StructuralSchema,
  place: Place,
  findings: Findings,
  old: JsonValue | undefined,
): void {
  const { items } = schema;
  const { minItems, maxItems, uniqueItems } = schema.checks;
  findings.matches++;
  if (items !== undefined) {
    for (const [index, item] of list.entries()) {
      const before = old === undefined ? undefined : correlatedItem(schema, old, item);
      visit(item, items, { ...place, name: `${place.name}[${index}]` }, findings, before);
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

function checkObject(
  value: JsonObject,
  schema: StructuralSchema,
  place: Place,
  findings: Findings,
  old: JsonValue | undefined,
): void {
  const { minProperties, maxProperties } = schema.checks;
  findings.matches++;
  const size = minProperties === undefined && maxProperties === undefined ? 0 : Object.keys(value).length;
  if (minProperties !== undefined && size < minProperties) {
    findings.errors.push(
      invalid(fieldOf(place), size, `${place.name} in body should have at least ${minProperties} properties`),
    );
  }
  if (maxProperties !== undefined && size > maxProperties) {
    findings.errors.push(tooMany(fieldOf(place), size, maxProperties));
  }
  const earlier = old !== undefined && isJsonObject(old) ? old : undefined;
  const visitMember = (key: string, held: JsonValue, node: StructuralSchema, name: string): void => {
    visit(held, node, { ...place, name }, findings, earlier === undefined ? undefined : member(earlier, key));
  };
  if (schema.additional !== undefined && schema.additional !== true) {
    for (const key of Object.keys(value)) {
      const held = member(value, key);
      if (held === undefined || schema.properties.has(key)) continue;
      if (schema.additional === false) {
        findings.errors.push(invalid(fieldOf(place), "", `${place.name}.${key} in body is a forbidden property`));
      } else visitMember(key, held, schema.additional, `${place.name}.${key}`);
    }
  }
  for (const [key, property] of schema.properties) {
    const held = member(value, key);
    if (held !== undefined) visitMember(key, held, property, place.name === "" ? key : `${place.name}.${key}`);
  }
  for (const key of schema.checks.required) {
    if (member(value, key) === undefined) {
      findings.errors.push(required(fieldOf({ ...place, name: `${place.name}.${key}` })));
    }
  }
}

/** Runs a schema on its own, apart from the findings so far. */
function attempt(value: JsonValue, schema: StructuralSchema, place: Place): Findings {
  const findings: Findings = { errors: [], matches: 0 };
  visit(value, schema, place, findings, undefined);
  return findings;
}

function checkCombinations(value: JsonValue, schema: StructuralSchema, place: Place, findings: Findings): void {
  const { allOf, anyOf, oneOf, not } = schema.checks;
  const say = (text: string): void => {
    findings.errors.push(invalid(nowhere(place), "", `${goQuote(place.name)} must ${text}`));
  };
  if (anyOf.length > 0) {
    const failures: Findings[] = [];
    const succeeded = anyOf.some((branch) => {
      const found = attempt(value, branch, place);
      if (found.errors.length > 0) failures.push(found);
      return found.errors.length === 0;
    });
    if (!succeeded) {
      say("validate at least one schema (anyOf)");
      findings.errors.push(...bestOf(failures));
    }
  }
  if (oneOf.length > 0) {
    const tried = oneOf.map((branch) => attempt(value, branch, place));
    const valid = tried.filter((found) => found.errors.length === 0).length;
    if (valid === 0) {
      say("validate one and only one schema (oneOf). Found none valid");
      findings.errors.push(...bestOf(tried));
    } else if (valid > 1) say(`validate one and only one schema (oneOf). Found ${valid} valid alternatives`);
  }
  if (allOf.length > 0) {
    const tried = allOf.map((branch) => attempt(value, branch, place));
    for (const found of tried) findings.errors.push(...found.errors);
    const failures = tried.filter((found) => found.errors.length > 0).length;
    if (failures > 0) {
      say(`validate all the schemas (allOf)${failures === tried.length ? ". None validated" : ""}`);
    }
  }
  if (not !== undefined && attempt(value, not, place).errors.length === 0) say("not validate the schema (not)");
  findings.matches++;
}

function bestOf(failures: readonly Findings[]): readonly FieldError[] {
  let best: Findings | undefined;
  for (const found of failures) if (best === undefined || found.matches > best.matches) best = found;
  return best?.errors ?? [];
}
