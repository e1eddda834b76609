import { type CelValue, fromJson } from "../../cel/cel.ts";
import { CelOptional } from "../../cel/cel-value.ts";
import { isJsonObject, type JsonValue, member } from "../../json.ts";
import { type Steps } from "../../steps.ts";
import { type CompiledRule, compiledRules } from "./compiled-rules.ts";
import { correlatedItem } from "./correlate.ts";
import { duplicate, type FieldError, forbidden, invalid, required } from "../field-error.ts";
import type { StructuralSchema } from "./schema-node.ts";
import { deepEqualInSteps } from "../semantic-equal.ts";

/** Cost limits of one rule, and of all rules of one object. */
const ruleBudget = 1_000_000;
const objectBudget = 10_000_000;

/** Cost of rules that are evaluated between two pauses: some milliseconds. A rule takes time before it costs anything. */
const costPerStep = 20_000;
const perRule = 20;

export interface RuleOptions {
  /** Path of the value; empty for a whole resource. */
  readonly path: string;
  readonly old?: JsonValue | undefined;
  /** Called with failures of rules whose values did not change (ratcheting). */
  readonly onTolerated?: (error: FieldError) => void;
  /** The value is a resource: root rules can access `apiVersion`, `kind` and the names in `metadata`. */
  readonly isRoot: boolean;
}

/** Evaluates the CEL rules of a schema for a value, with pauses, outer rules first. */
export function* validateRules(
  value: JsonValue,
  schema: StructuralSchema,
  options: RuleOptions,
): Steps<readonly FieldError[]> {
  if (!schema.hasRules) return [];
  const run: Run = {
    errors: [],
    budget: objectBudget,
    pauseBelow: objectBudget - costPerStep,
    ratchets: options.old !== undefined,
    ...(options.onTolerated === undefined ? {} : { onTolerated: options.onTolerated }),
  };
  yield* visit(value, options.old, schema, options.path, options.isRoot || schema.embedded, run);
  return run.errors;
}

interface Run {
  readonly errors: FieldError[];
  /** Remaining cost; below zero no further rule is evaluated. */
  budget: number;
  /** With so little left it is time for the next pause. */
  pauseBelow: number;
  readonly ratchets: boolean;
  readonly onTolerated?: (error: FieldError) => void;
}

function* visit(
  value: JsonValue,
  old: JsonValue | undefined,
  schema: StructuralSchema,
  path: string,
  isResource: boolean,
  run: Run,
): Steps<void> {
  if (!schema.hasRules || value === null || run.budget < 0) return;
  yield* runRules(value, old === null ? undefined : old, schema, path, isResource, run);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items?.hasRules !== true) return;
    for (const [index, item] of value.entries()) {
      const before = old === undefined ? undefined : correlatedItem(schema, old, item);
      yield* visit(item, before, items, `${path}[${index}]`, items.embedded, run);
    }
  } else if (isJsonObject(value)) {
    const before = old !== undefined && isJsonObject(old) && schema.mapType === "granular" ? old : undefined;
    for (const [key, held] of Object.entries(value)) {
      const property = schema.properties.get(key);
      const additional = typeof schema.additional === "object" ? schema.additional : undefined;
      const below = property ?? additional;
      if (held === undefined || below?.hasRules !== true) continue;
      const place = property === undefined ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      yield* visit(held, before === undefined ? undefined : member(before, key), below, place, below.embedded, run);
    }
  }
}

function fieldOf(path: string): string {
  return path === "" ? "<nil>" : path;
}

function* runRules(
  value: JsonValue,
  old: JsonValue | undefined,
  schema: StructuralSchema,
  path: string,
  isResource: boolean,
  run: Run,
): Steps<void> {
  const rules = yield* compiledRules(schema, isResource);
  if (rules.length === 0) return;
  const unchanged = run.ratchets && old !== undefined && (yield* deepEqualInSteps(old, value));
  let self: CelValue | undefined;
  let before: CelValue | undefined;
  for (const rule of rules) {
    if (rule.isTransition && old === undefined && rule.source.optionalOldSelf !== true) continue;
    const readSelf = (): CelValue => (self ??= fromJson(value, rule.type));
    const readOld = (): CelValue => (before ??= fromJson(old ?? null, rule.type));
    const oldSelf = (): CelValue =>
      rule.source.optionalOldSelf === true ? new CelOptional(old === undefined ? undefined : readOld()) : readOld();
    const variables = new Map([
      ["self", readSelf],
      ["oldSelf", oldSelf],
    ]);
    const error = yield* runRule(rule, variables, value, schema, path, run);
    if (error !== undefined && (rule.isTransition || !unchanged)) run.errors.push(error);
    else if (error !== undefined) run.onTolerated?.(error);
    if (run.budget < 0) return;
    run.pauseBelow += perRule;
    if (run.budget >= run.pauseBelow) continue;
    run.pauseBelow = run.budget - costPerStep;
    yield;
  }
}

type Variables = ReadonlyMap<string, () => CelValue>;

function* runRule(
  rule: CompiledRule,
  variables: Variables,
  value: JsonValue,
  schema: StructuralSchema,
  path: string,
  run: Run,
): Steps<FieldError | undefined> {
  const field = fieldOf(path);
  const refuse = (detail: string): FieldError => invalid(field, schema.type, detail);
  if (!rule.program.ok) return refuse(`rule compile error: ${rule.program.problem.message}`);
  const result = yield* rule.program.value.evaluateInSteps(variables, { maxCost: ruleBudget });
  const cost = result.ok ? result.value.cost : result.problem.cost;
  run.budget -= cost;
  if (!result.ok && result.problem.kind === "cost") {
    run.budget = -1;
    return refuse(
      `'${result.problem.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${named(rule)}`,
    );
  }
  if (run.budget < 0) {
    return refuse("validation failed due to running out of cost budget, no further validation rules will be run");
  }
  if (!result.ok) {
    const { message } = result.problem;
    return refuse(
      message.startsWith("no such overload")
        ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${named(rule)}`
        : `${message} evaluating rule: ${named(rule)}`,
    );
  }
  if (result.value.value === true) return undefined;
  const place = rule.fieldPath === "" ? field : path === "" ? rule.fieldPath.slice(1) : `${path}${rule.fieldPath}`;
  const shown = schema.type === "object" || schema.type === "array" ? undefined : value;
  return asError(rule, place, shown, yield* messageOf(rule, variables, run));
}

/** The description of a rule in errors: its message if it has one. */
function named(rule: CompiledRule): string {
  return rule.source.message === "" ? rule.source.rule.trim() : rule.source.message.trim();
}

const longestMessage = 5 * 1024;

function* messageOf(rule: CompiledRule, variables: Variables, run: Run): Steps<string> {
  const fallback = rule.source.message === "" ? `failed rule: ${rule.source.rule.trim()}` : rule.source.message.trim();
  if (rule.message?.ok !== true) return fallback;
  const result = yield* rule.message.value.evaluateInSteps(variables, { maxCost: Math.min(ruleBudget, run.budget) });
  run.budget -= result.ok ? result.value.cost : result.problem.cost;
  if (!result.ok || typeof result.value.value !== "string") return fallback;
  const text = result.value.value.trim();
  const fits = text !== "" && text.length <= longestMessage && !/[\n\r]/.test(text);
  return fits ? text : fallback;
}

function asError(rule: CompiledRule, field: string, value: JsonValue | undefined, detail: string): FieldError {
  switch (rule.source.reason) {
    case "FieldValueForbidden":
      return forbidden(field, detail);
    case "FieldValueRequired":
      return required(field, detail);
    case "FieldValueDuplicate":
      return duplicate(field, value);
    default:
      return invalid(field, value, detail);
  }
}
