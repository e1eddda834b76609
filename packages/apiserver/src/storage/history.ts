import type { Change } from "./change.ts";
import type { Version } from "./version.ts";

/** Also holds states that no table has any more. */
export type KeptChange = Change<Version>;

/** Minimum number of changes, however large they are. */
const atLeast = 128;

/** Minimum number of changes per table when all tables together exceed the limit. */
const atLeastEach = 16;
/** Characters counted for a change in addition to its texts. */
const overhead = 512;

/**
 * Limits the histories of all tables together: a cluster has hundreds of tables, and the sum of their own limits would
 * far exceed what is stored.
 */
export class HistoryRoom {
  readonly #capacity: number;
  readonly #histories = new Set<History>();
  #used = 0;

  /** `capacity` in characters, including an amount for each change. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get used(): number {
    return this.#used;
  }

  enter(history: History): void {
    this.#histories.add(history);
  }

  /** Records growth of a history; when the limit is exceeded, the largest history drops its older half. */
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
   * Drops changes up to `revision`, those of the largest histories first, until at most `capacity` is used.
   * @returns by how much usage decreased
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
 * The newest changes of one table, oldest first. It grows to twice its capacity before the older half is dropped, so
 * that dropping has no cost per change; the older half is dropped earlier when former states take too much space.
 */
export class History {
  readonly #capacity: number;
  readonly #textCapacity: number;
  readonly #room: HistoryRoom;
  #changes: KeptChange[] = [];
  /** Characters of the former states. */
  #text = 0;
  /** Changes up to this revision have been dropped. */
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

  /** Characters that it keeps, including an amount for each change. */
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

  /** False when there is too little to drop. */
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

  /** Like {@link forget}, but a watch that has seen the last of these changes can still resume. */
  forgetChanges(revision: number): void {
    const last = this.#changes[this.#firstAfter(revision) - 1];
    if (last !== undefined) this.forget(last.revision);
  }

  /** Reverts everything after `revision`. */
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
