import type { Steps } from "./steps.ts";

/**
 * Runs all steps. Returns their result, and how many pauses they left on the way.
 * @testOnly the product shares the pauses out among requests
 */
export function countedSteps<Value>(steps: Steps<Value>): { readonly value: Value; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done === true) return { value: step.value, pauses };
  }
}

/**
 * How many pauses the steps leave.
 * @testOnly as {@link countedSteps}
 */
export const pausesOf = (steps: Steps<unknown>): number => countedSteps(steps).pauses;
