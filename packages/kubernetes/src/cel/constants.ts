import { CelFault } from "./cel-value.ts";
import { CostMeter } from "./cost-meter.ts";
import { prepare } from "./evaluate.ts";
import type { FunctionTable } from "./overload.ts";
import { compilePattern } from "./pattern.ts";
import { childrenOf, type Expr } from "./syntax.ts";

const conversions = new Set(["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "uint"]);

/**
 * Why a checked expression cannot be planned: conversions of constants and constant patterns are evaluated once, before
 * the first run. Undefined when there is no problem.
 */
export function constantProblem(node: Expr, functions: FunctionTable): string | undefined {
  for (const child of childrenOf(node)) {
    const problem = constantProblem(child, functions);
    if (problem !== undefined) return problem;
  }
  if (node.kind !== "call") return undefined;
  if (node.target === undefined && conversions.has(node.name) && node.args.length === 1 && isConstant(node.args[0])) {
    const value = prepare(node, functions).run(() => undefined, new CostMeter(Number.POSITIVE_INFINITY));
    return value instanceof CelFault ? value.message : undefined;
  }
  return patternProblem(node);
}

function patternProblem(node: Extract<Expr, { kind: "call" }>): string | undefined {
  const [pattern] = node.args;
  if (node.target === undefined || (node.name !== "find" && node.name !== "findAll")) return undefined;
  if (pattern?.kind !== "literal" || pattern.value.kind !== "string") return undefined;
  const compiled = compilePattern(pattern.value.value);
  return compiled.ok ? undefined : compiled.problem;
}

function isConstant(node: Expr | undefined): boolean {
  if (node?.kind === "literal") return true;
  if (node?.kind === "list") return node.items.every(isConstant);
  return (
    node?.kind === "call" && node.target === undefined && conversions.has(node.name) && node.args.every(isConstant)
  );
}
