/** Edits (insert, delete, replace, swap of neighbours) between two texts, or `limit + 1` when there are more. */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let older: number[] = [];
  let bestBefore = 0;
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1])
        cost = Math.min(cost, (older[column - 2] ?? 0) + 1);
      current.push(cost);
      best = Math.min(best, cost);
    }
    // A swap reaches back two rows, so only two hopeless rows in a row end the search.
    if (best > limit && bestBefore > limit) return limit + 1;
    bestBefore = best;
    older = previous;
    previous = current;
  }
  return Math.min(previous[right.length] ?? limit + 1, limit + 1);
}

/** Half of all packages end in it, which makes none of them nearer to another. */
const stemOf = (name: string): string => name.replace(/(?<=.)-operator$/, "");

/**
 * The names a person most likely meant, best first: same letters in another case, one containing the other, few typing errors
 * before the ending `-operator`. Ties in name order. Nothing when no name is near.
 */
export function nearestNames(wanted: string, names: Iterable<string>, count = 3): readonly string[] {
  const lower = wanted.toLowerCase();
  // In one or two letters every edit makes another word.
  const stem = stemOf(lower);
  const limit = stem.length < 3 ? 0 : Math.max(1, Math.floor(stem.length / 3));
  const scored: { readonly name: string; readonly score: number }[] = [];
  for (const name of new Set(names)) {
    const other = name.toLowerCase();
    const contained = lower.length > 2 && other.length > 2 && (other.includes(lower) || lower.includes(other));
    const edits = other === lower ? 0 : editDistance(stem, stemOf(other), limit);
    const score = contained ? Math.min(edits, 1.5) : edits;
    if (score <= limit || contained) scored.push({ name, score });
  }
  return scored
    .sort((left, right) => left.score - right.score || (left.name < right.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);
}
