/** An expected failure is a value: the caller must look at `ok` before it can touch either side. */
export type Result<Value, Problem> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem };

export function done<Value>(value: Value): Result<Value, never> {
  return { ok: true, value };
}

export function failed<Problem>(problem: Problem): Result<never, Problem> {
  return { ok: false, problem };
}
