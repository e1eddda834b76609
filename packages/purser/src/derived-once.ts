import { allSteps, noSteps, type Steps } from "@purser/kubernetes/steps";

/**
 * A pure function of a large immutable value that remembers its last result for as long as the value itself is held.
 * @param keyOf what the result depends on beside the value: equal texts, equal results
 */
export function derivedOnce<From extends object, Options, To>(
  derive: (from: From, options: Options) => To,
  keyOf: (options: Options) => string,
): (from: From, options: Options) => To {
  return derivedInSteps((from: From, options: Options) => noSteps(derive(from, options)), keyOf).now;
}

/** A result that is derived in steps and kept: a caller may run the steps first, so that `now` finds the result. */
export interface DerivedInSteps<From extends object, Options, To> {
  /** The result that is kept, or the one of all steps at once. */
  readonly now: (from: From, options: Options) => To;
  /** The same with pauses. */
  readonly inSteps: (from: From, options: Options) => Steps<To>;
}

/** As {@link derivedOnce} for a derivation in steps. */
export function derivedInSteps<From extends object, Options, To>(
  derive: (from: From, options: Options) => Steps<To>,
  keyOf: (options: Options) => string,
): DerivedInSteps<From, Options, To> {
  const kept = new WeakMap<From, { readonly key: string; readonly result: To }>();
  const inSteps = function* (from: From, options: Options): Steps<To> {
    const key = keyOf(options);
    const last = kept.get(from);
    if (last?.key === key) return last.result;
    const result = yield* derive(from, options);
    kept.set(from, { key, result });
    return result;
  };
  return { inSteps, now: (from, options) => allSteps(inSteps(from, options)) };
}
