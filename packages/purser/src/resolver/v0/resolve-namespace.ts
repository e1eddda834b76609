import type { Resolution } from "../resolution.ts";
import type { NamespaceInput } from "./input.ts";
import type { NamespaceOutcome } from "./outcome.ts";
import { stepwise } from "../resolution.ts";
import { namespaceSteps } from "./namespace-steps.ts";

/**
 * Decides for one namespace which bundles its Subscriptions get, as OLM v0 does, dependencies and installed CSVs included.
 * Pure: the same input gives the same answer, byte for byte. Never throws for bad input; that is an outcome of kind `error`.
 */
export function resolveNamespace(input: NamespaceInput): Resolution<NamespaceOutcome> {
  return stepwise(namespaceSteps(input));
}
