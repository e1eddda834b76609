import { goQuote } from "../go-quote.ts";
import type { Result } from "../result.ts";
import { done } from "../result.ts";
import type { Requirement, RequirementOperator, Selector, SelectorProblem } from "./requirement.ts";
import { requirementOf, selectorProblem } from "./requirement.ts";

export type { Requirement, Selector, SelectorProblem } from "./requirement.ts";
export { matchesSelector } from "./requirement.ts";
export { parseLabelSelector } from "./selector-text.ts";
export { parseFieldSelector } from "./field-selector.ts";

/** `metav1.LabelSelector`: all parts must match; an empty one selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values?: readonly string[];
}

const operators: Readonly<Record<string, RequirementOperator>> = {
  In: "in",
  NotIn: "notIn",
  Exists: "exists",
  DoesNotExist: "doesNotExist",
};

/**
 * Converts an object's label selector. An empty one selects everything; the meaning of an absent one differs by field,
 * so the caller decides. Labels are checked in key order: the first fault is reported, with kube-apiserver's text.
 */
export function selectorOf(selector: LabelSelector): Result<Selector, SelectorProblem> {
  const requirements: Requirement[] = [];
  const labels = Object.entries(selector.matchLabels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, value] of labels) {
    const requirement = requirementOf(key, "equals", [value]);
    if (!requirement.ok) return requirement;
    requirements.push(requirement.value);
  }
  for (const { key, operator: name, values = [] } of selector.matchExpressions ?? []) {
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (operator === undefined) return selectorProblem(`${goQuote(name)} is not a valid label selector operator`);
    const requirement = requirementOf(key, operator, values);
    if (!requirement.ok) return requirement;
    requirements.push(requirement.value);
  }
  return done(requirements);
}
