import type { CelEnvironment, CelProblem, CelProgram, CelType, CelValue } from "../../cel/cel.ts";
import { compileCel, fromJson } from "../../cel/cel.ts";
import type { JsonObject } from "../../json.ts";
import { member } from "../../json.ts";
import type { Result } from "../../result.ts";

/** Steps one condition may take. */
const maxCost = 1_000_000;

const dyn: CelType = { kind: "dyn" };

const environment: CelEnvironment = {
  variables: new Map([
    ["object", { kind: "dyn" }],
    ["oldObject", { kind: "dyn" }],
    ["request", { kind: "dyn" }],
    ["authorizer", { kind: "opaque", name: "authorizer" }],
  ]),
  library: "kubernetes",
  result: "bool",
};

const compiled = new Map<string, Result<CelProgram, CelProblem>>();

function programOf(expression: string): Result<CelProgram, CelProblem> {
  let program = compiled.get(expression);
  if (program === undefined) {
    if (compiled.size > 500) compiled.clear();
    compiled.set(expression, (program = compileCel(expression, environment)));
  }
  return program;
}

export type Conditions =
  | { readonly kind: "call" }
  | { readonly kind: "skip" }
  | { readonly kind: "error"; readonly message: string };

/** Whether all conditions of a webhook hold: one that is false skips it, whatever the others do. */
export function matchConditions(
  conditions: readonly { readonly name: string; readonly expression: string }[],
  admission: JsonObject,
  authorizer: CelValue,
): Conditions {
  const variables = new Map<string, CelValue | (() => CelValue)>([
    ["authorizer", authorizer],
    ["object", () => fromJson(member(admission, "object") ?? null, dyn)],
    ["oldObject", () => fromJson(member(admission, "oldObject") ?? null, dyn)],
    ["request", () => fromJson(admission, dyn)],
  ]);
  let error: string | undefined;
  for (const { expression } of conditions) {
    const program = programOf(expression);
    const result = program.ok ? program.value.evaluate(variables, { maxCost }) : program;
    if (!result.ok) error ??= `expression '${expression}' resulted in error: ${result.problem.message}`;
    else if (result.value.value !== true) return { kind: "skip" };
  }
  return error === undefined ? { kind: "call" } : { kind: "error", message: error };
}
