/** An expected failure is a value: the caller must look at `ok` before it can touch either side. */
export type Result<Value, Problem> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem };

/** A result that has its value. */
export function done<Value>(value: Value): Result<Value, never> {
  return { ok: true, value };
}

/** A result that has a problem in place of its value. */
export function failed<Problem>(problem: Problem): Result<never, Problem> {
  return { ok: false, problem };
}

/** All values in order, or the first problem. */
export function all<Value, Problem>(results: readonly Result<Value, Problem>[]): Result<readonly Value[], Problem> {
  const values: Value[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    values.push(result.value);
  }
  return done(values);
}
