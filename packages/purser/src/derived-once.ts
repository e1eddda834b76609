/**
 * A pure function of a large immutable value that remembers its last result for as long as the value itself is held.
 * @param keyOf what the result depends on beside the value: equal texts, equal results
 */
export function derivedOnce<From extends object, Options, To>(
  derive: (from: From, options: Options) => To,
  keyOf: (options: Options) => string,
): (from: From, options: Options) => To {
  const kept = new WeakMap<From, { readonly key: string; readonly result: To }>();
  return (from, options) => {
    const key = keyOf(options);
    const last = kept.get(from);
    if (last?.key === key) return last.result;
    const result = derive(from, options);
    kept.set(from, { key, result });
    return result;
  };
}
