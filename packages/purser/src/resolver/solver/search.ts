import type { ConstraintId, ConstraintSet, Variable } from "./constraint-set.ts";
import { cellsPerUnit, Pace } from "../pace.ts";
import { Engine, noClause, unfinished } from "./engine.ts";
import { Learning } from "./learning.ts";

export type Solution =
  /** The chosen variables, ascending. */
  | { readonly kind: "satisfiable"; readonly chosen: readonly Variable[] }
  /** Constraints that cannot hold together; sufficient, not yet minimal. */
  | { readonly kind: "unsatisfiable"; readonly core: readonly ConstraintId[] };

/** Where the search stood before a decision, to come back to. */
interface Mark {
  readonly front: number;
  readonly back: number;
  readonly guesses: number;
}

const anchorOwner = -1;

/**
 * Finds the answer that the preference order wants: anchors first, then breadth first through the dependencies of what was
 * chosen, each time the earliest candidate that does not make the rest impossible, unless a candidate is chosen already.
 * Everything not chosen stays out. Yields between batches of constraints, of consequences, and of decisions and conflicts. See docs/solver.md.
 */
export function* search(set: ConstraintSet): Generator<undefined, Solution> {
  const engine = new Engine(set);
  const learning = new Learning(engine, set.variables, set.constraints.length);
  const dependencies = Array.from<ConstraintId[] | undefined>({ length: set.variables });
  const pace = new Pace();
  let id = 0;
  for (const constraint of set.constraints) {
    engine.add(constraint);
    const { kind, subject, others } = constraint;
    if (kind === "dependency" && others.length > 0) (dependencies[subject] ??= []).push(id);
    id++;
    if (pace.spend(0.5 + others.length / cellsPerUnit)) yield;
  }

  const broken = engine.assertUnits();
  if (broken !== noClause) return { kind: "unsatisfiable", core: learning.coreOf(broken) };

  // A choice is a dependency constraint, or an anchor written as `anchorOwner - variable`.
  const queue: number[] = set.anchors.map((anchor) => anchorOwner - anchor);
  const marks: Mark[] = [];
  const guesses: Variable[] = [];
  const guessed = new Uint8Array(set.variables);
  let front = 0;

  const guess = (variable: Variable): void => {
    guessed[variable] = 1;
    guesses.push(variable);
    for (const dependency of dependencies[variable] ?? []) queue.push(dependency);
  };
  const rewindTo = (level: number): void => {
    const mark = marks[level];
    if (mark === undefined) return;
    front = mark.front;
    queue.length = mark.back;
    for (const variable of guesses.splice(mark.guesses)) guessed[variable] = 0;
    marks.length = level;
  };

  for (;;) {
    const clash = engine.propagate();
    if (clash === unfinished) {
      yield;
      continue;
    }
    if (clash !== noClause) {
      if (engine.decisionLevel === 0) return { kind: "unsatisfiable", core: learning.coreOf(clash) };
      learning.learnFrom(clash);
      rewindTo(engine.decisionLevel);
      if (pace.spend(4)) yield;
      continue;
    }
    for (;;) {
      const choice = queue[front];
      if (choice === undefined) return { kind: "satisfiable", chosen: guesses.sort((left, right) => left - right) };
      const candidates = choice <= anchorOwner ? [anchorOwner - choice] : (set.constraints[choice]?.others ?? []);
      if (pace.spend(0.25 + candidates.length / cellsPerUnit)) yield;
      if (candidates.some((candidate) => guessed[candidate] === 1)) {
        front++;
        continue;
      }
      const wanted = candidates.find((candidate) => engine.valueOf(candidate * 2) >= 0);
      // Propagation has already broken the clause of a choice without a candidate left.
      if (wanted === undefined) throw new Error("a choice without candidates survived propagation");
      if (engine.valueOf(wanted * 2) === 0) {
        marks.push({ front, back: queue.length, guesses: guesses.length });
        front++;
        engine.decide(wanted * 2);
        guess(wanted);
        break;
      }
      front++;
      guess(wanted);
    }
  }
}
