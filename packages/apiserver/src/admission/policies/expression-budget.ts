import type { CelProblem, CelProgram, CelValue } from "@purser/kubernetes/cel/cel";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";

/** Cost limit of one expression, as in Kubernetes. */
export const costOfOne = 1_000_000;
/** Cost limit of all match conditions of one webhook or policy together, as in Kubernetes. */
export const costOfConditions = 2_500_000;

/** Evaluation of an expression failed; `exhausted` when the shared cost limit was exceeded. */
export interface ExpressionFailure {
  readonly kind: "failed" | "exhausted";
  readonly message: string;
}

/** Values of CEL variables; a function is called when the variable is first read. */
export type Values = ReadonlyMap<string, CelValue | (() => CelValue)>;

/** Evaluates expressions under a shared cost limit. */
export class ExpressionBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Cost of something other than an expression; it is added to that of the next one. */
  spend(steps: number): void {
    this.#left -= steps;
  }

  evaluate(
    expression: string,
    program: Result<CelProgram, CelProblem>,
    values: Values,
  ): Result<CelValue, ExpressionFailure> {
    if (!program.ok) return failed({ kind: "failed", message: `compilation error: ${program.problem.message}` });
    const evaluated = program.value.evaluate(values, { maxCost: costOfOne });
    this.#left -= evaluated.ok ? evaluated.value.cost : evaluated.problem.cost;
    if (this.#left < 0)
      return failed({
        kind: "exhausted",
        message: "validation failed due to running out of cost budget, no further validation rules will be run",
      });
    if (evaluated.ok) return done(evaluated.value.value);
    return failed({
      kind: "failed",
      message: `expression '${expression}' resulted in error: ${evaluated.problem.message}`,
    });
  }
}
