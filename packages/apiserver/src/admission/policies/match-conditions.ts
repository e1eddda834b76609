import type { CelEnvironment, CelProblem, CelProgram, CelType, CelValue } from "@purser/kubernetes/cel/cel";
import { compileCel, fromJson } from "@purser/kubernetes/cel/cel";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import type { Result } from "@purser/kubernetes/result";
import type { Values } from "./expression-budget.ts";
import { costOfConditions, ExpressionBudget } from "./expression-budget.ts";

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

/** Variables of webhook match conditions. */
export interface ConditionInput {
  readonly request: JsonValue;
  readonly object: JsonValue;
  readonly oldObject: JsonValue;
}

/** Whether all match conditions hold, with pauses: a single false one skips the webhook, even when others fail. */
export function* matchConditions(
  conditions: readonly { readonly name: string; readonly expression: string }[],
  input: ConditionInput,
  authorizer: CelValue,
): Steps<Conditions> {
  if (conditions.length === 0) return { kind: "call" };
  const values: Values = new Map<string, CelValue | (() => CelValue)>([
    ["authorizer", authorizer],
    ["object", () => fromJson(input.object, dyn)],
    ["oldObject", () => fromJson(input.oldObject, dyn)],
    ["request", () => fromJson(input.request, dyn)],
  ]);
  const errors = new Set<string>();
  const budget = new ExpressionBudget(costOfConditions);
  let isSkipped = false;
  for (const { expression } of conditions) {
    const judged = yield* budget.evaluate(expression, programOf(expression), values);
    if (judged.ok) isSkipped ||= judged.value !== true;
    else if (judged.problem.kind === "exhausted") return { kind: "error", message: judged.problem.message };
    else errors.add(judged.problem.message);
  }
  if (isSkipped) return { kind: "skip" };
  if (errors.size === 0) return { kind: "call" };
  const texts = [...errors];
  return { kind: "error", message: texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]` };
}
