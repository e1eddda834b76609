import type { ConstraintId, ConstraintSet, Variable } from "./constraint-set.ts";
import { minimalCore } from "./core.ts";
import { search } from "./search.ts";

export type Answer =
  | { readonly kind: "satisfiable"; readonly chosen: readonly Variable[] }
  /** A minimal set of constraints that cannot hold together. */
  | { readonly kind: "unsatisfiable"; readonly conflict: readonly ConstraintId[] };

/** Decides a constraint set: the preferred answer, or a minimal reason why there is none. */
export function* solve(set: ConstraintSet): Generator<undefined, Answer> {
  const solution = yield* search(set);
  if (solution.kind === "satisfiable") return solution;
  return { kind: "unsatisfiable", conflict: yield* minimalCore(set, solution.core) };
}
