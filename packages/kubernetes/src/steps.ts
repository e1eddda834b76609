/**
 * Work over a value whose size a client decides, in several passes. It yields between them: whoever runs it may let
 * others go on there. What it has read must not change until it ends.
 */
export type Steps<Value> = Generator<undefined, Value, undefined>;

/** Runs all steps without a pause. */
export function allSteps<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** What is there without any work. */
export function* noSteps<Value>(value: Value): Steps<Value> {
  yield* [];
  return value;
}
