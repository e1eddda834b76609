import type { Constraint, ConstraintId, ConstraintSet, Variable } from "./constraint-set.ts";
import { GrowingArray } from "./growing-array.ts";

/** A literal: `2 * variable` says in, `2 * variable + 1` says out. */
export type Literal = number;

/** A clause by number: constraints of the set come first, learnt clauses after them. */
export type ClauseId = number;

export const noClause = -1;

/** Result of {@link Engine.propagate} when it has reached its limit of work and is not finished. */
export const unfinished = -2;

/** Watchers and members visited in one go. */
const visitsPerCall = 1024;

/** In clauses longer than this, the search for a literal to watch goes on where the last one ended. */
const longClause = 64;

const unassigned = 0;
const none = -1;

/**
 * Assignment, unit propagation and undo over clauses with two watched literals and counted at-most constraints.
 * It decides nothing and learns nothing by itself. Only typed arrays: no allocation while it propagates.
 */
export class Engine {
  /** Literals in the order in which they became true. */
  readonly trail: Int32Array;
  trailLength = 0;
  /** Clause that made each variable known; `noClause` for a decision. */
  readonly reason: Int32Array;
  readonly level: Int32Array;
  /** Trail position of each assigned variable. */
  readonly position: Int32Array;

  /** 1 in, -1 out, 0 open, by variable. */
  readonly #value: Int8Array;
  #head = 0;
  #visits = 0;
  /** Constraints that are a single literal, in order. */
  readonly #units: ConstraintId[] = [];
  readonly #resumeAt = new Map<ClauseId, number>();
  readonly #levelStart: number[] = [];

  readonly #clauseStart: GrowingArray;
  readonly #clauseSize: GrowingArray;
  readonly #literals: GrowingArray;
  /** Clauses watch their first two literals; node `2 * clause + slot` is a link in the list of that literal. */
  readonly #watchHead: Int32Array;
  readonly #watchNext: GrowingArray;

  readonly #isAtMost: Uint8Array;
  readonly #limit: Int32Array;
  readonly #inCount: Int32Array;
  readonly #atMostOf: (ConstraintId[] | undefined)[];
  /** The last at-most constraint that each variable was added to, plus one. */
  readonly #memberOf: Int32Array;
  readonly #constraints: number;

  constructor(set: ConstraintSet) {
    const { variables, constraints } = set;
    this.#constraints = constraints.length;
    this.trail = new Int32Array(variables);
    this.reason = new Int32Array(variables).fill(noClause);
    this.level = new Int32Array(variables);
    this.position = new Int32Array(variables);
    this.#value = new Int8Array(variables);
    this.#clauseStart = new GrowingArray(constraints.length);
    this.#clauseSize = new GrowingArray(constraints.length);
    let literals = 0;
    for (const constraint of constraints) literals += constraint.others.length + 1;
    this.#literals = new GrowingArray(literals);
    this.#watchHead = new Int32Array(variables * 2).fill(none);
    this.#watchNext = new GrowingArray(constraints.length * 2);
    this.#atMostOf = Array.from<ConstraintId[] | undefined>({ length: variables });
    this.#memberOf = new Int32Array(variables);
    this.#isAtMost = new Uint8Array(constraints.length);
    this.#limit = new Int32Array(constraints.length);
    this.#inCount = new Int32Array(constraints.length);
  }

  /** Takes in the next constraint of the set; all must be added, in order, before anything else is done. */
  add(constraint: Constraint): void {
    const { subject, others } = constraint;
    switch (constraint.kind) {
      case "mandatory":
        this.#units.push(this.#addClause([subject * 2]));
        return;
      case "prohibited":
        this.#units.push(this.#addClause([subject * 2 + 1]));
        return;
      case "dependency":
        this.#addDependency(subject, others);
        return;
      case "conflict": {
        const other = others[0] ?? subject;
        if (other === subject) this.#units.push(this.#addClause([subject * 2 + 1]));
        else this.#addClause([subject * 2 + 1, other * 2 + 1]);
        return;
      }
      case "atMost":
        this.#addAtMost(others, constraint.limit);
    }
  }

  #addAtMost(others: readonly Variable[], limit: number): void {
    const id = this.#clauseStart.length;
    const start = this.#literals.length;
    this.#clauseStart.push(start);
    for (const member of others) {
      // A member listed twice counts once.
      if (this.#memberOf[member] === id + 1) continue;
      this.#memberOf[member] = id + 1;
      this.#literals.push(member * 2 + 1);
      const known = this.#atMostOf[member];
      if (known === undefined) this.#atMostOf[member] = [id];
      else known.push(id);
    }
    this.#clauseSize.push(this.#literals.length - start);
    this.#watchNext.push(none);
    this.#watchNext.push(none);
    this.#isAtMost[id] = 1;
    this.#limit[id] = limit;
    if (limit === 0) this.#units.push(id);
  }

  /** Not the subject, or one of the others. A bundle that meets its own requirement needs no other. */
  #addDependency(subject: Variable, others: readonly Variable[]): void {
    const id = this.#clauseStart.length;
    const start = this.#literals.length;
    this.#clauseStart.push(start);
    this.#literals.push(subject * 2 + 1);
    for (const other of others) this.#literals.push(other * 2);
    const size = others.includes(subject) ? 0 : others.length + 1;
    this.#clauseSize.push(size);
    this.#watchNext.push(none);
    this.#watchNext.push(none);
    if (size === 1) this.#units.push(id);
    if (size < 2) return;
    this.#watch(id * 2, subject * 2 + 1);
    this.#watch(id * 2 + 1, this.#literals.at(start + 1));
  }

  get decisionLevel(): number {
    return this.#levelStart.length;
  }

  /** True literal 1, false literal -1, open 0. */
  valueOf(literal: Literal): number {
    const value = this.#value[literal >> 1] ?? unassigned;
    return (literal & 1) === 0 ? value : -value;
  }

  /** A learnt clause; the first literal is the one it asserts, the second has the highest level of the others. */
  learn(literals: readonly Literal[]): ClauseId {
    return this.#addClause(literals);
  }

  #addClause(literals: readonly Literal[]): ClauseId {
    const id = this.#clauseStart.length;
    this.#clauseStart.push(this.#literals.length);
    this.#clauseSize.push(literals.length);
    for (const literal of literals) this.#literals.push(literal);
    for (let slot = 0; slot < 2; slot++) {
      const literal = literals[slot];
      this.#watchNext.push(none);
      if (literal !== undefined && literals.length > 1) this.#watch(id * 2 + slot, literal);
    }
    return id;
  }

  #watch(node: number, literal: Literal): void {
    this.#watchNext.set(node, this.#watchHead[literal] ?? none);
    this.#watchHead[literal] = node;
  }

  /** Opens a new level with a decision; the literal must be open. */
  decide(literal: Literal): void {
    this.#levelStart.push(this.trailLength);
    this.assign(literal, noClause);
  }

  assign(literal: Literal, reason: ClauseId): void {
    const variable = literal >> 1;
    this.#value[variable] = (literal & 1) === 0 ? 1 : -1;
    this.reason[variable] = reason;
    this.level[variable] = this.decisionLevel;
    this.position[variable] = this.trailLength;
    this.trail[this.trailLength++] = literal;
    if ((literal & 1) === 0)
      for (const id of this.#atMostOf[variable] ?? []) this.#inCount[id] = (this.#inCount[id] ?? 0) + 1;
  }

  /** Undoes every assignment above `level`. */
  undoTo(level: number): void {
    const start = this.#levelStart[level];
    if (start === undefined) return;
    while (this.trailLength > start) {
      const literal = this.trail[--this.trailLength] ?? 0;
      const variable = literal >> 1;
      this.#value[variable] = unassigned;
      if ((literal & 1) === 0)
        for (const id of this.#atMostOf[variable] ?? []) this.#inCount[id] = (this.#inCount[id] ?? 0) - 1;
    }
    this.#levelStart.length = level;
    this.#head = Math.min(this.#head, start);
  }

  /**
   * Asserts all unit constraints at level 0; returns a clause that is already broken, else `noClause`. What forbids comes
   * first, from the last on: where several constraints forbid one variable, the last is the one that upstream names. What
   * demands follows in order, so that the first request that is impossible is the one that is explained.
   */
  assertUnits(): ClauseId {
    for (const id of this.#units.toReversed()) {
      const broken = this.#assertUnit(id, false);
      if (broken !== noClause) return broken;
    }
    for (const id of this.#units) {
      const broken = this.#assertUnit(id, true);
      if (broken !== noClause) return broken;
    }
    return noClause;
  }

  #assertUnit(id: ConstraintId, demanding: boolean): ClauseId {
    if (this.#isAtMost[id] === 1) return demanding && this.#limit[id] === 0 ? this.#spreadAtMost(id) : noClause;
    const literal = this.#literals.at(this.#clauseStart.at(id));
    if (demanding !== ((literal & 1) === 0)) return noClause;
    const value = this.valueOf(literal);
    if (value === 0) this.assign(literal, id);
    return value < 0 ? id : noClause;
  }

  /** Draws unit consequences; returns a broken clause, `noClause` when there are no more, or `unfinished` after a while. */
  propagate(): ClauseId {
    this.#visits = 0;
    while (this.#head < this.trailLength) {
      if (this.#visits > visitsPerCall) return unfinished;
      const literal = this.trail[this.#head++] ?? 0;
      this.#visits++;
      const broken = this.#visitWatchers(literal ^ 1);
      if (broken !== noClause) return broken;
      if ((literal & 1) === 1) continue;
      for (const id of this.#atMostOf[literal >> 1] ?? []) {
        const over = this.#spreadAtMost(id);
        if (over !== noClause) return over;
      }
    }
    return noClause;
  }

  /** `falsified` has just become false: finds other literals to watch, units and conflicts. */
  #visitWatchers(falsified: Literal): ClauseId {
    let previous = none;
    let node = this.#watchHead[falsified] ?? none;
    while (node !== none) {
      this.#visits++;
      const next = this.#watchNext.at(node);
      const clause = node >> 1;
      const start = this.#clauseStart.at(clause);
      const other = this.#literals.at(start + 1 - (node & 1));
      if (this.valueOf(other) > 0) {
        previous = node;
        node = next;
        continue;
      }
      const replacement = this.#openLiteral(clause, start);
      if (replacement === none) {
        if (this.valueOf(other) < 0) return clause;
        this.assign(other, clause);
        previous = node;
      } else {
        const literal = this.#literals.at(replacement);
        this.#literals.set(replacement, falsified);
        this.#literals.set(start + (node & 1), literal);
        if (previous === none) this.#watchHead[falsified] = next;
        else this.#watchNext.set(previous, next);
        this.#watch(node, literal);
      }
      node = next;
    }
    return noClause;
  }

  #openLiteral(clause: ClauseId, start: number): number {
    const size = this.#clauseSize.at(clause);
    const from = size > longClause ? (this.#resumeAt.get(clause) ?? 2) : 2;
    const found = this.#openBetween(start + from, start + size);
    const open = found === none && from > 2 ? this.#openBetween(start + 2, start + from) : found;
    if (size > longClause && open !== none) this.#resumeAt.set(clause, open - start);
    return open;
  }

  #openBetween(from: number, to: number): number {
    for (let index = from; index < to; index++)
      if (this.valueOf(this.#literals.at(index)) >= 0) {
        this.#visits += (index - from) >> 3;
        return index;
      }
    this.#visits += (to - from) >> 3;
    return none;
  }

  #spreadAtMost(id: ConstraintId): ClauseId {
    const count = this.#inCount[id] ?? 0;
    const limit = this.#limit[id] ?? 0;
    if (count > limit) return id;
    if (count < limit) return noClause;
    const start = this.#clauseStart.at(id);
    const end = start + this.#clauseSize.at(id);
    this.#visits += (end - start) >> 2;
    for (let index = start; index < end; index++) {
      const out = this.#literals.at(index);
      if (this.valueOf(out) === 0) this.assign(out, id);
    }
    return noClause;
  }

  /**
   * Literals, all false, that together with the clause force `implied` (or break the clause when `implied` is absent);
   * each is handed to `visit`.
   */
  explain(clause: ClauseId, implied: Variable | undefined, visit: (literal: Literal) => void): void {
    const start = this.#clauseStart.at(clause);
    const end = start + this.#clauseSize.at(clause);
    const before = implied === undefined ? this.trailLength : (this.position[implied] ?? 0);
    const counted = clause < this.#constraints && this.#isAtMost[clause] === 1;
    for (let index = start; index < end; index++) {
      const literal = this.#literals.at(index);
      const variable = literal >> 1;
      if (variable === implied) continue;
      // An at-most constraint names all its members; only those that were in at the time matter.
      if (counted && !(this.valueOf(literal) < 0 && (this.position[variable] ?? 0) < before)) continue;
      visit(literal);
    }
  }
}
