import type { CelType } from "../../cel/cel.ts";
import { compileCel } from "../../cel/cel.ts";
import type { JsonObject } from "../../json.ts";
import { duplicate, invalid, required, type FieldError } from "../../object/field-error.ts";
import { textIn } from "./json-parts.ts";

const dyn: CelType = { kind: "dyn" };
const conditionVariables = ["object", "oldObject", "request", "authorizer"];

/** What an expression of admission may read beside its variables. */
export type ExpressionPlace = "condition" | "condition with parameters" | "validation";

function variablesOf(place: ExpressionPlace): ReadonlyMap<string, CelType> {
  const more = {
    condition: [],
    "condition with parameters": ["params", "namespaceObject"],
    validation: ["params", "namespaceObject", "variables"],
  }[place];
  return new Map([...conditionVariables, ...more].map((name) => [name, dyn]));
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
