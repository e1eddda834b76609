import { knownKeys } from "../../known-keys.ts";
import { allSteps, type Steps, Strides } from "../../steps.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { goQuote } from "../../go-quote.ts";
import { type FieldError, invalid, required, tooMany } from "../field-error.ts";
import type { StructuralSchema } from "./schema-node.ts";
import { deepEqual, deepEqualInSteps } from "../semantic-equal.ts";
import { correlatedItem, prepareCorrelation } from "./correlate.ts";
import { checkType, checkEnum, checkString, checkNumber } from "./check-scalars.ts";
import { fieldOf, type Findings, nowhere, type Place } from "./validation-findings.ts";

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
  // By field: nearly all of hundreds of thousands have one of their own, and a key of all parts would be a long text for each.
  const seen = new Map<string, FieldError[]>();
  const once: FieldError[] = [];
  for (const error of errors) {
    if (strides.isDue(2)) yield;
    const ofField = seen.get(error.field);
    if (ofField === undefined) seen.set(error.field, [error]);
    else if (ofField.some(({ type, detail }) => type === error.type && detail === error.detail)) continue;
    else ofField.push(error);
    once.push(error);
  }
  return once;
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
