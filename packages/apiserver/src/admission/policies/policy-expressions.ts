import type { CelEnvironment, CelOutcome, CelProblem, CelProgram, CelType, CelValue } from "@purser/kubernetes/cel/cel";
import { compileCel } from "@purser/kubernetes/cel/cel";
import { CelMap, fault } from "@purser/kubernetes/cel/cel-value";
import { variablesType } from "../../kinds/admission/admission-expressions.ts";
import type { Steps } from "@purser/kubernetes/steps";
import type { Result } from "@purser/kubernetes/result";
import type { ExpressionFailure, Values } from "./expression-budget.ts";
import { costOfOne, ExpressionBudget } from "./expression-budget.ts";

/** Cost limit of all expressions of one binding together, as in Kubernetes. */
export const costOfBinding = 10_000_000;

/** A variable of a policy; it may use those declared before it. */
export interface PolicyVariable {
  readonly name: string;
  readonly expression: string;
}

const dyn: CelType = { kind: "dyn" };
const plain = ["object", "oldObject", "request", "namespaceObject"];

/** CEL variables of a policy; `params` exists only with paramKind. */
function policyScope(hasParams: boolean, more: ReadonlyMap<string, CelType> = new Map()): ReadonlyMap<string, CelType> {
  return new Map([
    ...[...plain, ...(hasParams ? ["params"] : [])].map((name) => [name, dyn] as const),
    ["authorizer", { kind: "opaque", name: "authorizer" }],
    ...more,
  ]);
}

interface Compiled {
  program(expression: string): Result<CelProgram, CelProblem>;
  readonly variables: readonly (readonly [string, Result<CelProgram, CelProblem>])[];
}

const compiled = new Map<string, Compiled>();

/** Compiles each expression once for all policies with the same variables. */
function compilerOf(declared: readonly PolicyVariable[], hasParams: boolean): Compiled {
  const key = JSON.stringify([hasParams, declared]);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  if (compiled.size > 500) compiled.clear();
  const fields = new Map<string, CelType>();
  const compile = (expression: string): Result<CelProgram, CelProblem> => {
    const scope = policyScope(hasParams, new Map([["variables", variablesType(fields)]]));
    const environment: CelEnvironment = { variables: scope, library: "kubernetes", result: "any" };
    return compileCel(expression, environment);
  };
  const variables = declared.map(({ name, expression }) => {
    const program = compile(expression);
    fields.set(name, program.ok ? program.value.type : dyn);
    return [name, program] as const;
  });
  const programs = new Map<string, Result<CelProgram, CelProblem>>();
  const made: Compiled = {
    variables,
    program: (expression) => {
      let program = programs.get(expression);
      if (program === undefined) programs.set(expression, (program = compile(expression)));
      return program;
    },
  };
  compiled.set(key, made);
  return made;
}

/** Evaluates the expressions of one policy for one request under one cost limit. */
export class PolicyEvaluation {
  readonly #compiled: Compiled;
  readonly #values: Values;
  readonly #budget: ExpressionBudget;
  readonly #programs: ReadonlyMap<string, Result<CelProgram, CelProblem>>;
  readonly #prepared = new Map<string, CelOutcome | undefined>();

  constructor(declared: readonly PolicyVariable[], hasParams: boolean, values: Values, budget: number) {
    this.#compiled = compilerOf(declared, hasParams);
    this.#programs = new Map(this.#compiled.variables);
    this.#values = new Map([...values, ["variables", this.#variables(values)]]);
    this.#budget = new ExpressionBudget(budget);
  }

  *evaluate(expression: string): Steps<Result<CelValue, ExpressionFailure>> {
    yield* this.#prepareVariables(expression);
    return yield* this.#budget.evaluate(expression, this.#compiled.program(expression), this.#values);
  }

  /**
   * Evaluates with pauses the variables that an expression mentions, as an expression reads them without. Their cost counts
   * when they are read.
   */
  *#prepareVariables(expression: string): Steps<void> {
    for (const [, name = ""] of expression.matchAll(/\bvariables\.([A-Za-z_][A-Za-z0-9_]*)/g)) {
      const program = this.#programs.get(name);
      if (program === undefined || this.#prepared.has(name)) continue;
      this.#prepared.set(name, undefined);
      if (!program.ok) continue;
      yield* this.#prepareVariables(program.value.expression);
      this.#prepared.set(name, yield* program.value.evaluateInSteps(this.#values, { maxCost: costOfOne }));
    }
  }

  /** Variables are evaluated lazily, at most once. */
  #variables(values: Values): CelMap {
    const known = new Map<string, CelValue>();
    const map: CelMap = new CelMap(
      {
        keys: () => [...this.#programs.keys()],
        get: (key) => {
          if (typeof key !== "string") return undefined;
          const program = this.#programs.get(key);
          if (program === undefined) return undefined;
          let value = known.get(key);
          if (value === undefined) {
            value = this.#variable(key, program, new Map([...values, ["variables", map]]));
            known.set(key, value);
          }
          return value;
        },
      },
      true,
    );
    return map;
  }

  #variable(name: string, program: Result<CelProgram, CelProblem>, values: Values): CelValue {
    const subject = `composited variable ${JSON.stringify(name)}`;
    if (!program.ok) return fault(`${subject} fails to compile: ${program.problem.message}`);
    const evaluated = this.#prepared.get(name) ?? program.value.evaluate(values, { maxCost: costOfOne });
    this.#budget.spend(evaluated.ok ? evaluated.value.cost : evaluated.problem.cost);
    return evaluated.ok ? evaluated.value.value : fault(`${subject} fails to evaluate: ${evaluated.problem.message}`);
  }
}
