import type { CelProblem, CelProgram, CelValue } from "@purser/kubernetes/cel/cel";
import type { Steps } from "@purser/kubernetes/steps";
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

/** That much takes some milliseconds. */
const costPerPause = 20_000;

/** Evaluates expressions under a shared cost limit, with pauses: a policy may have thousands, and an object be large. */
export class ExpressionBudget {
  #left: number;
  #leftAtPause: number;

  constructor(steps: number) {
    this.#left = steps;
    this.#leftAtPause = steps;
  }

  /** Cost of something other than an expression; it is added to that of the next one. */
  spend(steps: number): void {
    this.#left -= steps;
  }

  *evaluate(
    expression: string,
    program: Result<CelProgram, CelProblem>,
    values: Values,
  ): Steps<Result<CelValue, ExpressionFailure>> {
    if (this.#leftAtPause - this.#left >= costPerPause) {
      this.#leftAtPause = this.#left;
      yield;
    }
    if (!program.ok) return failed({ kind: "failed", message: `compilation error: ${program.problem.message}` });
    const evaluated = yield* program.value.evaluateInSteps(values, { maxCost: costOfOne });
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
