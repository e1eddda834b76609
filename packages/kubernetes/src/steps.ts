/**
 * A computation over input whose size a client decides, divided into steps. It yields between steps, where the caller
 * may run other work. Its input must not change until it ends.
 */
export type Steps<Value> = Generator<undefined, Value, undefined>;

/** Runs all steps without yielding. */
export function allSteps<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A computation without steps. */
export function* noSteps<Value>(value: Value): Steps<Value> {
  yield* [];
  return value;
}
