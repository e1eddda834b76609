import type { ClauseId, Engine, Literal } from "./engine.ts";
import type { ConstraintId } from "./constraint-set.ts";
import { noClause } from "./engine.ts";

/** A learnt clause, and the level at which it forces its first literal. */
export interface Lesson {
  readonly literals: readonly Literal[];
  readonly level: number;
}

/**
 * Conflict analysis (first unique implication point), and the proof: for every learnt clause what it was derived from, so that
 * a refutation can be traced back to the constraints it rests on.
 */
export class Learning {
  readonly #engine: Engine;
  readonly #constraints: number;
  readonly #seen: Uint8Array;
  /** Sources of learnt clause `constraints + i`: clauses as they are, variables fixed at level 0 as `-1 - variable`. */
  readonly #sources: number[][] = [];

  constructor(engine: Engine, variables: number, constraints: number) {
    this.#engine = engine;
    this.#constraints = constraints;
    this.#seen = new Uint8Array(variables);
  }

  /** Analyses a clause broken above level 0, adds the learnt clause to the engine and jumps back; its first literal is assigned. */
  learnFrom(broken: ClauseId): void {
    const { literals, level, sources } = this.#analyse(broken);
    this.#engine.undoTo(level);
    const clause = this.#engine.learn(literals);
    this.#sources.push(sources);
    const asserted = literals[0];
    if (asserted !== undefined) this.#engine.assign(asserted, clause);
  }

  #analyse(broken: ClauseId): Lesson & { readonly sources: number[] } {
    const engine = this.#engine;
    const seen = this.#seen;
    const current = engine.decisionLevel;
    const sources: number[] = [];
    const kept: Literal[] = [];
    const marked: number[] = [];
    let open = 0;
    const visit = (literal: Literal): void => {
      const variable = literal >> 1;
      if (seen[variable] === 1) return;
      seen[variable] = 1;
      marked.push(variable);
      const level = engine.level[variable] ?? 0;
      if (level === 0) sources.push(-1 - variable);
      else if (level === current) open++;
      else kept.push(literal);
    };
    let clause = broken;
    let implied: number | undefined;
    let index = engine.trailLength;
    for (;;) {
      sources.push(clause);
      engine.explain(clause, implied, visit);
      let literal = engine.trail[--index] ?? 0;
      while (seen[literal >> 1] !== 1 || engine.level[literal >> 1] !== current) literal = engine.trail[--index] ?? 0;
      open--;
      if (open === 0) {
        kept.unshift(literal ^ 1);
        break;
      }
      implied = literal >> 1;
      clause = engine.reason[implied] ?? noClause;
    }
    for (const variable of marked) seen[variable] = 0;
    // The second watch must be the literal that becomes open last again.
    let level = 0;
    for (let at = 1; at < kept.length; at++) {
      const literal = kept[at] ?? 0;
      const depth = engine.level[literal >> 1] ?? 0;
      if (depth <= level) continue;
      level = depth;
      kept[at] = kept[1] ?? literal;
      kept[1] = literal;
    }
    return { literals: kept, level, sources };
  }

  /** The constraints that a clause broken at level 0 rests on, ascending: an unsatisfiable core. */
  coreOf(broken: ClauseId): readonly ConstraintId[] {
    const engine = this.#engine;
    const clauses = new Set<ClauseId>([broken]);
    const variables = new Set<number>();
    const fix = (literal: Literal): void => {
      const variable = literal >> 1;
      if (variables.has(variable)) return;
      variables.add(variable);
      const clause = engine.reason[variable] ?? noClause;
      clauses.add(clause);
      engine.explain(clause, variable, (other) => pending.push(other));
    };
    const pending: Literal[] = [];
    const fixAll = (): void => {
      for (let literal = pending.pop(); literal !== undefined; literal = pending.pop()) fix(literal);
    };
    engine.explain(broken, undefined, (literal) => pending.push(literal));
    fixAll();
    // A set being iterated also gives what is added meanwhile.
    for (const clause of clauses) {
      for (const source of this.#sources[clause - this.#constraints] ?? [])
        if (source < 0) pending.push((-1 - source) * 2);
        else clauses.add(source);
      fixAll();
    }
    return Array.from(clauses)
      .filter((clause) => clause < this.#constraints)
      .sort((left, right) => left - right);
  }
}
