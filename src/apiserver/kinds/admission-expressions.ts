import type { CelType } from "../../cel/cel.ts";
import { compileCel } from "../../cel/cel.ts";
import type { JsonObject } from "../../json.ts";
import { duplicate, invalid, notSupported, required, type FieldError } from "../../object/field-error.ts";
import { objectsIn, textIn } from "./json-parts.ts";

const dyn: CelType = { kind: "dyn" };
const authorizer: CelType = { kind: "opaque", name: "authorizer" };
/** Messages may read all of them but the last. */
const conditionVariables = ["object", "oldObject", "request", "authorizer"];

/** What an expression of admission may read beside its variables. */
export type ExpressionPlace = "condition" | "condition with parameters" | "validation" | "message";

function variablesOf(place: ExpressionPlace): ReadonlyMap<string, CelType> {
  const more = {
    condition: [],
    "condition with parameters": ["params", "namespaceObject"],
    validation: ["params", "namespaceObject", "variables"],
    message: ["params", "namespaceObject", "variables"],
  }[place];
  const names = place === "message" ? [...conditionVariables.slice(0, -1), ...more] : [...conditionVariables, ...more];
  return new Map(names.map((name) => [name, name === "authorizer" ? authorizer : dyn]));
}

/** Why an expression cannot be used, in the words of the real server; undefined when it can. */
export function expressionProblem(
  expression: string,
  place: ExpressionPlace,
  result: "bool" | "string" | "any",
): string | undefined {
  const compiled = compileCel(expression, { variables: variablesOf(place), library: "kubernetes", result });
  if (compiled.ok) return undefined;
  const { kind, message } = compiled.problem;
  if (kind !== "result") return `compilation failed: ${message}`;
  // Dynamic values are looked at when they are there.
  return compiled.problem.type === "dyn" ? undefined : message;
}

const mostConditions = 64;

/** The conditions of a webhook or a policy: named, different, and answering yes or no. */
export function validateConditions(
  conditions: readonly JsonObject[],
  path: string,
  place: ExpressionPlace = "condition",
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (conditions.length > mostConditions)
    errors.push({
      type: "FieldValueTooMany",
      field: path,
      badValue: conditions.length,
      detail: `must have at most ${mostConditions} items`,
    });
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const at = `${path}[${index}]`;
    const expression = textIn(condition, "expression");
    if (expression.trim() === "") errors.push(required(`${at}.expression`));
    else {
      const problem = expressionProblem(expression, place, "bool");
      if (problem !== undefined) errors.push(invalid(`${at}.expression`, expression, problem));
    }
    const name = textIn(condition, "name");
    if (name === "") errors.push(required(`${at}.name`));
    else if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    seen.add(name);
  }
  return errors;
}

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

/** Everything in a policy that is an expression. */
export function validatePolicyExpressions(spec: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const check = (
    object: JsonObject,
    key: string,
    path: string,
    place: ExpressionPlace,
    result: "bool" | "any",
  ): void => {
    const expression = textIn(object, key);
    if (expression.trim() === "") {
      errors.push(required(`${path}.${key}`, `${key} is not specified`));
      return;
    }
    const problem = expressionProblem(expression, place, result);
    if (problem !== undefined) errors.push(invalid(`${path}.${key}`, expression, problem));
  };
  const policy = textIn(spec, "failurePolicy");
  if (policy !== "" && policy !== "Fail" && policy !== "Ignore")
    errors.push(notSupported("spec.failurePolicy", policy, ["Fail", "Ignore"]));
  const conditions = objectsIn(spec, "matchConditions");
  errors.push(...validateConditions(conditions, "spec.matchConditions", "condition with parameters"));
  const seen = new Set<string>();
  for (const [index, variable] of objectsIn(spec, "variables").entries()) {
    const path = `spec.variables[${index}]`;
    const name = textIn(variable, "name");
    if (name === "") errors.push(required(`${path}.name`, "name is not specified"));
    else if (seen.has(name)) errors.push(duplicate(`${path}.name`, name));
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name))
      errors.push(invalid(`${path}.name`, name, "name is not a valid CEL identifier"));
    seen.add(name);
    check(variable, "expression", path, "validation", "any");
  }
  for (const [index, validation] of objectsIn(spec, "validations").entries()) {
    const path = `spec.validations[${index}]`;
    check(validation, "expression", path, "validation", "bool");
    const message = textIn(validation, "messageExpression");
    const problem = message === "" ? undefined : expressionProblem(message, "message", "string");
    if (problem !== undefined) errors.push(invalid(`${path}.messageExpression`, message, problem));
    const reason = textIn(validation, "reason");
    if (reason !== "" && !reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, reasons));
  }
  for (const [index, annotation] of objectsIn(spec, "auditAnnotations").entries())
    check(annotation, "valueExpression", `spec.auditAnnotations[${index}]`, "validation", "any");
  return errors;
}
