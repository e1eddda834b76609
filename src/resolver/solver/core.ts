import type { ConstraintId, ConstraintSet } from "./constraint-set.ts";
import { compacted, restrictedTo } from "./constraint-set.ts";
import { search } from "./search.ts";

/**
 * Shrinks an unsatisfiable core until every constraint in it is needed: without any one the others could hold together.
 * Constraints are tried from the first to the last: where there is a choice, those added later survive.
 */
export function* minimalCore(
  set: ConstraintSet,
  core: readonly ConstraintId[],
): Generator<undefined, readonly ConstraintId[]> {
  let remaining = [...core];
  const needed = new Set<ConstraintId>();
  for (;;) {
    const candidate = remaining.find((id) => !needed.has(id));
    if (candidate === undefined) return remaining;
    const without = remaining.filter((id) => id !== candidate);
    const solution = yield* search(compacted(restrictedTo(set, without)));
    if (solution.kind === "satisfiable") needed.add(candidate);
    else remaining = solution.core.flatMap((index) => without[index] ?? []);
  }
}
