/** Index of a variable: something that is in the answer or not. */
export type Variable = number;

/** Index of a constraint in its set; solvers name constraints by it. */
export type ConstraintId = number;

export type ConstraintKind = "mandatory" | "prohibited" | "dependency" | "conflict" | "atMost";

/**
 * One rule over variables.
 * - mandatory: `subject` is in; prohibited: it is out
 * - dependency: `subject` needs one of `others`, earlier ones preferred; none at all forbids it
 * - conflict: not both `subject` and `others[0]`
 * - atMost: no more than `limit` of `others`; a variable listed twice counts once
 */
export interface Constraint {
  readonly kind: ConstraintKind;
  readonly subject: Variable;
  readonly others: readonly Variable[];
  readonly limit: number;
}

/** A problem for the solver: variables by number, constraints in order of addition. */
export interface ConstraintSet {
  readonly variables: number;
  readonly constraints: readonly Constraint[];
  /** Variables that the search starts from, most wanted first: those with a mandatory constraint. */
  readonly anchors: readonly Variable[];
}

/** Only the given constraints of a set, in the given order; variables keep their numbers. */
export function restrictedTo(set: ConstraintSet, ids: readonly ConstraintId[]): ConstraintSet {
  const constraints = ids.flatMap((id) => set.constraints[id] ?? []);
  const mandatory = new Set(constraints.filter(({ kind }) => kind === "mandatory").map(({ subject }) => subject));
  return { variables: set.variables, constraints, anchors: set.anchors.filter((anchor) => mandatory.has(anchor)) };
}

/** Cells renumbered before the caller may pause. */
const cellsPerStep = 2048;

/**
 * The same problem over the variables that its constraints mention, numbered anew: solving a small part of a
 * large problem must not cost the size of the large one.
 */
export function* compacted(set: ConstraintSet): Generator<
  undefined,
  {
    readonly set: ConstraintSet;
    /** The old number of each variable. */
    readonly originals: readonly Variable[];
  }
> {
  const numbers = new Map<Variable, Variable>();
  const originals: Variable[] = [];
  const number = (variable: Variable): Variable => {
    const known = numbers.get(variable);
    if (known !== undefined) return known;
    numbers.set(variable, originals.length);
    return originals.push(variable) - 1;
  };
  const constraints: Constraint[] = [];
  let cells = 0;
  for (const constraint of set.constraints) {
    const { subject, others } = constraint;
    constraints.push({ ...constraint, subject: number(subject), others: others.map(number) });
    cells += 4 + others.length;
    if (cells < cellsPerStep) continue;
    cells = 0;
    yield;
  }
  const anchors = set.anchors.map(number);
  return { set: { variables: originals.length, constraints, anchors }, originals };
}
