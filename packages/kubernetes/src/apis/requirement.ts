import { goQuote } from "../go-quote.ts";
import type { Result } from "../result.ts";
import { done, failed } from "../result.ts";
import { labelKeyFaults, labelValueFaults } from "./label-syntax.ts";

/** One condition on one label. */
export type Requirement =
  | { readonly operator: "in" | "notIn"; readonly key: string; readonly values: readonly string[] }
  | { readonly operator: "exists" | "doesNotExist"; readonly key: string }
  | { readonly operator: "greater" | "less"; readonly key: string; readonly bound: bigint };

/** All requirements must hold; an empty list selects everything. */
export type Selector = readonly Requirement[];

export interface SelectorProblem {
  readonly kind: "selector";
  /** The error text of kube-apiserver. */
  readonly message: string;
}

export function selectorProblem(message: string): Result<never, SelectorProblem> {
  return failed({ kind: "selector", message });
}

/** The operators of selector texts and of `matchExpressions` as one set. */
export type RequirementOperator =
  | "in"
  | "notIn"
  | "equals"
  | "notEquals"
  | "exists"
  | "doesNotExist"
  | "greater"
  | "less";

function integerOf(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const number = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

/** The fault of an invalid key; `path` is the key's field in the message. */
export function keyProblem(key: string, path: string): SelectorProblem | undefined {
  const faults = labelKeyFaults(key);
  if (faults.length === 0) return undefined;
  return { kind: "selector", message: `${path}: Invalid value: ${goQuote(key)}: ${faults.join("; ")}` };
}

function countProblem(operator: RequirementOperator, values: readonly string[]): string | undefined {
  // An absent list decodes to a nil slice in Go, which prints as null.
  const shown = values.length === 0 ? "null" : JSON.stringify(values);
  switch (operator) {
    case "in":
    case "notIn":
      return values.length > 0
        ? undefined
        : `values: Invalid value: ${shown}: for 'in', 'notin' operators, values set can't be empty`;
    case "equals":
    case "notEquals":
      return values.length === 1
        ? undefined
        : `values: Invalid value: ${shown}: exact-match compatibility requires one single value`;
    case "exists":
    case "doesNotExist":
      return values.length === 0
        ? undefined
        : `values: Invalid value: ${shown}: values set must be empty for exists and does not exist`;
    case "greater":
    case "less":
      return values.length === 1
        ? undefined
        : `values: Invalid value: ${shown}: for 'Gt', 'Lt' operators, exactly one value is required`;
  }
}

/** A validated requirement; several faults are joined as in apimachinery. */
export function requirementOf(
  key: string,
  operator: RequirementOperator,
  values: readonly string[],
): Result<Requirement, SelectorProblem> {
  const faults: string[] = [];
  const ofKey = keyProblem(key, "key");
  if (ofKey !== undefined) faults.push(ofKey.message);
  const ofCount = countProblem(operator, values);
  if (ofCount !== undefined) faults.push(ofCount);
  const numeric = operator === "greater" || operator === "less";
  for (const [index, value] of values.entries())
    if (numeric && integerOf(value) === undefined)
      faults.push(
        `values[${index}]: Invalid value: ${goQuote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
  for (const [index, value] of values.entries()) {
    const found = labelValueFaults(value);
    if (found.length > 0)
      faults.push(`values[${index}][${key}]: Invalid value: ${goQuote(value)}: ${found.join("; ")}`);
  }
  const distinct = [...new Set(faults)];
  if (distinct.length > 0) return selectorProblem(distinct.length === 1 ? distinct.join() : `[${distinct.join(", ")}]`);
  const bound = integerOf(values[0] ?? "") ?? 0n;
  switch (operator) {
    case "in":
    case "notIn":
      return done({ operator, key, values });
    case "equals":
      return done({ operator: "in", key, values });
    case "notEquals":
      return done({ operator: "notIn", key, values });
    case "exists":
    case "doesNotExist":
      return done({ operator, key });
    case "greater":
    case "less":
      return done({ operator, key, bound });
  }
}

function holds(requirement: Requirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case "in":
      return value !== undefined && requirement.values.includes(value);
    case "notIn":
      return value === undefined || !requirement.values.includes(value);
    case "exists":
      return value !== undefined;
    case "doesNotExist":
      return value === undefined;
    case "greater":
    case "less": {
      const number = value === undefined ? undefined : integerOf(value);
      if (number === undefined) return false;
      return requirement.operator === "greater" ? number > requirement.bound : number < requirement.bound;
    }
  }
}

export function matchesSelector(selector: Selector, labels: Readonly<Record<string, string>> | undefined): boolean {
  return selector.every((requirement) => {
    const value = labels !== undefined && Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
    return holds(requirement, value);
  });
}

function formatRequirement(requirement: Requirement): string {
  switch (requirement.operator) {
    case "in":
    case "notIn": {
      const list = requirement.values.toSorted().join(",");
      return `${requirement.key} ${requirement.operator === "in" ? "in" : "notin"} (${list})`;
    }
    case "exists":
      return requirement.key;
    case "doesNotExist":
      return `!${requirement.key}`;
    case "greater":
      return `${requirement.key}>${requirement.bound}`;
    case "less":
      return `${requirement.key}<${requirement.bound}`;
  }
}

/**
 * Text for the `labelSelector` parameter of a request.
 * @testOnly the way back, for round trips
 */
export function formatSelector(selector: Selector): string {
  return selector.map(formatRequirement).join(",");
}
