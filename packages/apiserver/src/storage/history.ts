import type { Change } from "./change.ts";
import type { Version } from "./version.ts";

/** Holds the states too that no table has any more. */
export type KeptChange = Change<Version>;

/** However large they are, so many changes stay. */
const atLeast = 128;

/** Nor is less kept where all tables together have too much. */
const atLeastEach = 16;
/** What a change costs beside its texts, in characters: itself, its versions and their keys. */
const overhead = 512;

/**
 * What the histories of all tables may keep together: one cluster has hundreds of tables, and what each may keep for
 * itself would add up to far more than what is stored.
 */
export class HistoryRoom {
  readonly #capacity: number;
  readonly #histories = new Set<History>();
  #used = 0;

  /** `capacity` in characters, with some for each change itself. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get used(): number {
    return this.#used;
  }

  enter(history: History): void {
    this.#histories.add(history);
  }

  /** Counts what a history keeps more or less than before; when there is too much, the largest forgets its older half. */
  change(by: number): void {
    this.#used += by;
    if (by <= 0) return;
    while (this.#used > this.#capacity) {
      let largest: History | undefined;
      for (const history of this.#histories) if (history.size > (largest?.size ?? 0)) largest = history;
      if (largest === undefined || !largest.forgetHalf()) return;
    }
  }

  /**
   * Forgets changes up to `revision`, those of the largest histories first, until no more than `capacity` is used.
   * @returns how much less is used
   */
  shrink(capacity: number, revision: number): number {
    const before = this.#used;
    for (const history of [...this.#histories].toSorted((one, other) => other.size - one.size)) {
      if (this.#used <= capacity) break;
      history.forgetChanges(revision);
    }
    return before - this.#used;
  }
}

/**
 * The newest changes of one table, oldest first. It grows to twice its capacity before the older half goes, so that
 * forgetting costs nothing per change; the older half goes earlier when the states that are no more take too much room.
 */
export class History {
  readonly #capacity: number;
  readonly #textCapacity: number;
  readonly #room: HistoryRoom;
  #changes: KeptChange[] = [];
  /** Characters of the states that no table holds any more. */
  #text = 0;
  /** Changes up to this revision are forgotten. */
  #forgotten: number;

  /** `capacity` in changes, `textCapacity` in characters. */
  constructor(capacity: number, textCapacity: number, forgotten: number, room: HistoryRoom) {
    this.#room = room;
    room.enter(this);
    this.#capacity = capacity;
    this.#textCapacity = textCapacity;
    this.#forgotten = forgotten;
  }

  get forgotten(): number {
    return this.#forgotten;
  }

  /** Characters that it keeps, with some for each change itself. */
  get size(): number {
    return this.#text + this.#changes.length * overhead;
  }

  add(change: KeptChange): void {
    this.#changes.push(change);
    this.#text += textOf(change);
    this.#room.change(textOf(change) + overhead);
    if (this.#changes.length >= this.#capacity * 2) this.forget(this.#changes[this.#capacity - 1]?.revision ?? 0);
    while (this.#text > this.#textCapacity && this.#changes.length >= atLeast * 2)
      this.forget(this.#changes[this.#changes.length >>> 1]?.revision ?? 0);
  }

  /** False when there is too little to forget. */
  forgetHalf(): boolean {
    if (this.#changes.length < atLeastEach * 2) return false;
    this.forget(this.#changes[this.#changes.length >>> 1]?.revision ?? 0);
    return true;
  }

  /** Changes after `revision`, oldest first; `revision` must not be below {@link History.forgotten}. */
  after(revision: number): readonly KeptChange[] {
    return this.#changes.slice(this.#firstAfter(revision));
  }

  forget(revision: number): void {
    if (revision <= this.#forgotten) return;
    const first = this.#firstAfter(revision);
    this.#drop(this.#changes.slice(0, first));
    this.#changes = this.#changes.slice(first);
    this.#forgotten = revision;
  }

  /** Like {@link forget}, but a watch that saw the last of these changes can still be resumed. */
  forgetChanges(revision: number): void {
    const last = this.#changes[this.#firstAfter(revision) - 1];
    if (last !== undefined) this.forget(last.revision);
  }

  /** Takes back everything after `revision`, as if it had never been. */
  takeBack(revision: number): void {
    const first = this.#firstAfter(revision);
    this.#drop(this.#changes.slice(first));
    this.#changes = this.#changes.slice(0, first);
  }

  #drop(changes: readonly KeptChange[]): void {
    const text = changes.reduce((sum, change) => sum + textOf(change), 0);
    this.#text -= text;
    this.#room.change(-text - changes.length * overhead);
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function textOf({ versionBefore, versionAfter, versionShown }: KeptChange): number {
  return (versionBefore?.size ?? 0) + (versionAfter === undefined ? versionShown.size : 0);
}
