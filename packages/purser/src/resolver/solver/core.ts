import type { Constraint, ConstraintId, ConstraintSet, Variable } from "./constraint-set.ts";
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
    const part = yield* compacted(restrictedTo(set, without));
    const solution = yield* search(part.set);
    if (solution.kind === "unsatisfiable") {
      remaining = solution.core.flatMap((index) => without[index] ?? []);
      continue;
    }
    const model = new Set(solution.chosen.flatMap((variable) => part.originals[variable] ?? []));
    yield* rotate(set, remaining, candidate, model, needed);
  }
}

function variablesOf({ kind, subject, others }: Constraint): readonly Variable[] {
  return kind === "atMost" ? others : [subject, ...others];
}

function holds({ kind, subject, others, limit }: Constraint, model: ReadonlySet<Variable>): boolean {
  switch (kind) {
    case "mandatory":
      return model.has(subject);
    case "prohibited":
      return !model.has(subject);
    case "dependency":
      return !model.has(subject) || others.some((other) => model.has(other));
    case "conflict":
      return !model.has(subject) || !others.some((other) => model.has(other));
    case "atMost": {
      const found = new Set<Variable>();
      for (const other of others) if (model.has(other) && found.add(other).size > limit) return false;
      return true;
    }
  }
}

/**
 * `model` breaks exactly one constraint of the core, which is therefore needed. Changing one variable of a broken constraint
 * often leaves exactly one other broken, which is then needed too: so one solution settles many constraints.
 */
function* rotate(
  set: ConstraintSet,
  core: readonly ConstraintId[],
  broken: ConstraintId,
  model: Set<Variable>,
  needed: Set<ConstraintId>,
): Generator<undefined, void> {
  const occurrences = new Map<Variable, ConstraintId[]>();
  const constraintOf = (id: ConstraintId): readonly Constraint[] => set.constraints.slice(id, id + 1);
  for (const id of core) {
    if (occurrences.size % 512 === 511) yield;
    for (const constraint of constraintOf(id))
      for (const variable of new Set(variablesOf(constraint))) {
        const known = occurrences.get(variable);
        if (known === undefined) occurrences.set(variable, [id]);
        else known.push(id);
      }
  }
  const flip = (variable: Variable): void => {
    if (!model.delete(variable)) model.add(variable);
  };
  // Depth first: the variables changed on the way to a constraint are changed back when it is done.
  const path: { readonly via: Variable | undefined; readonly open: Variable[] }[] = [];
  const enter = (id: ConstraintId, via: Variable | undefined): void => {
    needed.add(id);
    path.push({ via, open: [...new Set(constraintOf(id).flatMap(variablesOf))] });
  };
  enter(broken, undefined);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const variable = top.open.pop();
    if (variable === undefined) {
      path.pop();
      if (top.via !== undefined) flip(top.via);
      continue;
    }
    yield;
    flip(variable);
    const fallen = onlyBroken(set, occurrences.get(variable) ?? [], model);
    if (fallen === undefined || needed.has(fallen)) flip(variable);
    else enter(fallen, variable);
  }
}

/** The one constraint of these that the model breaks; undefined when there is none or more than one. */
function onlyBroken(
  set: ConstraintSet,
  ids: readonly ConstraintId[],
  model: ReadonlySet<Variable>,
): ConstraintId | undefined {
  let found: ConstraintId | undefined;
  for (const id of ids) {
    const constraint = set.constraints[id];
    if (constraint === undefined || holds(constraint, model)) continue;
    if (found !== undefined) return undefined;
    found = id;
  }
  return found;
}
