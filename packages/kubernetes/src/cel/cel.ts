import { done, failed, type Result } from "../result.ts";
import { type CelType, formatType } from "./cel-type.ts";
import { CelFault, type CelValue } from "./cel-value.ts";
import { checkCel, describeFindings } from "./check.ts";
import { checkLiterals } from "./check-literals.ts";
import { constantProblem } from "./constants.ts";
import { CostMeter } from "./cost-meter.ts";
import { prepare } from "./evaluate.ts";
import { authorizerFunctions } from "./functions/functions-authorizer.ts";
import { kubernetesFunctions, olmFunctions } from "./functions/functions-kubernetes.ts";
import { listFunctions } from "./functions/functions-lists.ts";
import { optionalFunctions } from "./functions/functions-optional.ts";
import { standardFunctions } from "./functions/functions-standard.ts";
import { stringFunctions } from "./functions/functions-strings.ts";
import { timeFunctions } from "./functions/functions-time.ts";
import type { Steps } from "../steps.ts";
import { FunctionTable } from "./overload.ts";
import { parseCel } from "./parse.ts";
import { freeNames } from "./syntax.ts";

export type { CelType } from "./cel-type.ts";
export type { CelValue } from "./cel-value.ts";
export { CelOpaque, fromJson } from "./cel-value.ts";
export type { AccessAsker } from "./functions/access-question.ts";

export interface CelEnvironment {
  readonly variables: ReadonlyMap<string, CelType>;
  /** `kubernetes`: the libraries of CRD rules and admission policies; `olm`: `olm.constraint`. */
  readonly library: "kubernetes" | "olm";
  /** The required result type; a mismatch is a compile problem. */
  readonly result?: "bool" | "string" | "any";
}

export type CelProblem =
  | { readonly kind: "compile"; readonly message: string }
  /** Compiles, but has another result type than required. */
  | { readonly kind: "result"; readonly message: string; readonly type: string }
  /** Type-checks, but evaluating one of its constants always fails. */
  | { readonly kind: "program"; readonly message: string }
  | { readonly kind: "runtime"; readonly message: string }
  /** The cost limit was exceeded. */
  | { readonly kind: "cost"; readonly message: string };

export interface CelProgram {
  readonly expression: string;
  /** Names of the variables that the expression uses. */
  readonly mentions: ReadonlySet<string>;
  readonly type: CelType;
  /** Variables are CEL values (see {@link fromJson}), read lazily. `cost` is the actual cost. */
  evaluate(variables: CelVariables, options: CelLimits): CelOutcome;
  /** The same with pauses while it goes through lists. */
  evaluateInSteps(variables: CelVariables, options: CelLimits): Steps<CelOutcome>;
}

export type CelVariables = ReadonlyMap<string, CelValue | (() => CelValue)>;

export interface CelLimits {
  readonly maxCost: number;
}

export type CelOutcome = Result<
  { readonly value: CelValue; readonly cost: number },
  CelProblem & { readonly cost: number }
>;

const standard = [...standardFunctions, ...timeFunctions];
const tables = {
  kubernetes: new FunctionTable([
    ...standard,
    ...stringFunctions,
    ...listFunctions,
    ...optionalFunctions,
    ...kubernetesFunctions,
    ...authorizerFunctions,
  ]),
  olm: new FunctionTable([...standard, ...olmFunctions]),
};

/** Parses and type-checks once; the program may be evaluated many times. */
export function compileCel(expression: string, environment: CelEnvironment): Result<CelProgram, CelProblem> {
  const parsed = parseCel(expression);
  if (!parsed.ok) return failed({ kind: "compile", message: parsed.problem });
  const functions = tables[environment.library];
  const checked = checkCel(parsed.value, { source: expression, functions, variables: environment.variables });
  if (!checked.ok) return failed({ kind: "compile", message: checked.problem });
  const literals = environment.library === "kubernetes" ? checkLiterals(parsed.value, checked.value) : [];
  if (literals.length > 0) return failed({ kind: "compile", message: describeFindings(expression, literals) });
  const { type: found } = checked.value;
  const wanted = environment.result ?? "any";
  if (wanted !== "any" && found.kind !== wanted) {
    const type = formatType(found);
    return failed({ kind: "result", message: `must evaluate to ${wanted} but got ${type}`, type });
  }
  const constant = environment.library === "kubernetes" ? constantProblem(parsed.value, functions) : undefined;
  if (constant !== undefined) return failed({ kind: "program", message: `instantiation failed: ${constant}` });
  const prepared = prepare(parsed.value, functions);
  return done({
    expression,
    mentions: freeNames(parsed.value),
    type: found,
    evaluate(variables, { maxCost }) {
      const meter = new CostMeter(maxCost);
      return outcomeOf(
        prepared.run((name) => readVariable(variables, name), meter),
        meter,
      );
    },
    *evaluateInSteps(variables, { maxCost }) {
      const meter = new CostMeter(maxCost);
      const scope = (name: string): CelValue | undefined => readVariable(variables, name);
      const { run, inSteps } = prepared;
      return outcomeOf(inSteps === undefined ? run(scope, meter) : yield* inSteps(scope, meter), meter);
    },
  });
}

function outcomeOf(value: CelValue, { spent: cost }: CostMeter): CelOutcome {
  if (!(value instanceof CelFault)) return done({ value, cost });
  return failed({ kind: value.isCost ? "cost" : "runtime", message: value.message, cost });
}

function readVariable(variables: CelVariables, name: string): CelValue | undefined {
  const held = variables.get(name);
  return typeof held === "function" ? held() : held;
}
