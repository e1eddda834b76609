import type { CelValue } from "@purser/kubernetes/cel/cel";
import type { Steps } from "@purser/kubernetes/steps";
import type { ExpressionFailure, Values } from "./expression-budget.ts";
import { costOfConditions } from "./expression-budget.ts";
import type { PolicyVariable } from "./policy-expressions.ts";
import { costOfBinding, PolicyEvaluation } from "./policy-expressions.ts";

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** The fields of a policy that contain expressions. */
export interface PolicyRules {
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly variables?: readonly PolicyVariable[];
  readonly validations?: readonly Validation[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
}

export interface Denial {
  readonly message: string;
  readonly reason: string;
  /** Denies regardless of the binding's validationActions. */
  readonly always: boolean;
}

/** Maximum length in bytes of the result of messageExpression. */
const longestMessage = 5 * 1024;

/**
 * Evaluates the expressions of a policy for one request and one parameter, with pauses; failures are handled by
 * failurePolicy.
 */
export function* judge(rules: PolicyRules, hasParams: boolean, values: Values): Steps<readonly Denial[]> {
  const { variables = [], validations = [], auditAnnotations = [] } = rules;
  const broken = (message: string, always = false): readonly Denial[] =>
    rules.failurePolicy === "Ignore" ? [] : [{ message, reason: "Invalid", always }];
  const conditions = yield* conditionsOf(rules, hasParams, values);
  if (typeof conditions === "string") return broken(conditions);
  if (!conditions) return [];
  const evaluation = new PolicyEvaluation(variables, hasParams, values, costOfBinding);
  const verdicts: { readonly validation: Validation; readonly failure: ExpressionFailure | undefined }[] = [];
  for (const validation of validations) {
    const valid = yield* evaluation.evaluate(validation.expression);
    if (!valid.ok && valid.problem.kind === "exhausted") return broken(valid.problem.message);
    if (!valid.ok) verdicts.push({ validation, failure: valid.problem });
    else if (valid.value !== true) verdicts.push({ validation, failure: undefined });
  }
  const denials: Denial[] = [];
  for (const { validation, failure } of verdicts) {
    const message = failure === undefined ? yield* messageOf(validation, evaluation) : undefined;
    if (failure !== undefined) denials.push(...broken(failure.message));
    else if (typeof message === "string")
      denials.push({ message, reason: validation.reason ?? "Invalid", always: false });
    else denials.push(...broken(`failed messageExpression: ${message?.message}`));
  }
  // There is no audit log, but an audit annotation that fails to evaluate denies the request.
  const noting = new PolicyEvaluation(variables, hasParams, values, costOfBinding);
  for (const { valueExpression } of auditAnnotations) {
    const noted = yield* noting.evaluate(valueExpression);
    if (!noted.ok && noted.problem.kind === "exhausted") return broken(noted.problem.message);
    if (!noted.ok) denials.push(...broken(noted.problem.message, true));
    else if (!isNote(noted.value))
      denials.push({
        message: `valueExpression '${valueExpression}' resulted in unsupported return type: ${goTypeOf(noted.value)}. Return type must be either string or null.`,
        reason: "Invalid",
        always: true,
      });
  }
  return denials;
}

/** Whether all match conditions hold: a single false one is decisive, even when others fail. A string is the error. */
function* conditionsOf(
  { matchConditions = [] }: PolicyRules,
  hasParams: boolean,
  values: Values,
): Steps<boolean | string> {
  const evaluation = new PolicyEvaluation([], hasParams, values, costOfConditions);
  const errors = new Set<string>();
  let holds = true;
  for (const { expression } of matchConditions) {
    const result = yield* evaluation.evaluate(expression);
    if (!result.ok && result.problem.kind === "exhausted") return result.problem.message;
    if (!result.ok) errors.add(result.problem.message);
    else if (result.value !== true) holds = false;
  }
  if (!holds || errors.size === 0) return holds;
  const texts = [...errors];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

/** The message of a failed validation: messageExpression, else message, else the expression. */
function* messageOf(
  { expression, message = "", messageExpression = "" }: Validation,
  evaluation: PolicyEvaluation,
): Steps<string | ExpressionFailure> {
  if (messageExpression !== "") {
    const evaluated = yield* evaluation.evaluate(messageExpression);
    if (!evaluated.ok && evaluated.problem.kind === "exhausted") return evaluated.problem;
    const text = evaluated.ok && typeof evaluated.value === "string" ? evaluated.value.trim() : "";
    if (text !== "" && new TextEncoder().encode(text).length <= longestMessage && !text.includes("\n")) return text;
  }
  return message.trim() === "" ? `failed expression: ${expression.trim()}` : message.trim();
}

function isNote(value: CelValue): boolean {
  return value === null || typeof value === "string";
}

function goTypeOf(value: CelValue): string {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "double";
  return Array.isArray(value) ? "list" : "map";
}
