import type { CelProblem, CelProgram, CelValue } from "@purser/kubernetes/cel/cel";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";

/** Steps one expression may take: Kubernetes' own limit. */
export const costOfOne = 1_000_000;
/** Steps that all conditions of one webhook or policy may take together. */
export const costOfConditions = 2_500_000;

/** An expression that could not be judged: it failed, or everything did because the budget ran out. */
export interface ExpressionFailure {
  readonly kind: "failed" | "exhausted";
  readonly message: string;
}

/** What expressions read by name; a function is called when it is first read. */
export type Values = ReadonlyMap<string, CelValue | (() => CelValue)>;

/** Evaluates expressions until they have taken all the steps that they may take together. */
export class ExpressionBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Steps that something beside the expressions took; they count with the next one. */
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
