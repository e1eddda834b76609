/** Progress of a resumable computation. */
export type Progress<Answer> = { readonly kind: "more" } | { readonly kind: "done"; readonly answer: Answer };

/**
 * A resolution in slices. `run` executes up to `maxSteps` steps (each about the same work, see `pace.ts`) and returns `more`
 * or `done`. Dropping the object cancels it. After `done` every further call returns the same result.
 */
export interface Resolution<Answer> {
  run(maxSteps: number): Progress<Answer>;
}

/** Steps that stay under 10 ms even in a cold process that reads its catalogs from disk; `bench/resolution.ts` shows the worst. */
export const stepsPerSlice = 1;

/** Runs to the end in one go, for tests, tools and short worlds. */
export function resolveNow<Answer>(resolution: Resolution<Answer>): Answer {
  for (;;) {
    const progress = resolution.run(1_000_000);
    if (progress.kind === "done") return progress.answer;
  }
}

/** Runs all steps and returns their result. */
export function endOf<Answer>(steps: Generator<undefined, Answer>): Answer {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Makes a {@link Resolution} of a generator that yields after every step. */
export function stepwise<Answer>(steps: Generator<undefined, Answer>): Resolution<Answer> {
  let finished: { readonly kind: "done"; readonly answer: Answer } | undefined;
  return {
    run(maxSteps) {
      for (let step = 0; finished === undefined && step < maxSteps; step++) {
        const next = steps.next();
        if (next.done === true) finished = { kind: "done", answer: next.value };
      }
      return finished ?? { kind: "more" };
    },
  };
}
