/**
 * Indexes of the items that equal an earlier one. Whoever writes an object decides how many items there are, so none is
 * looked for among all others.
 */
export function repetitions(items: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const found = new Set<number>();
  items.forEach((item, index) => {
    if (seen.has(item)) found.add(index);
    seen.add(item);
  });
  return found;
}
