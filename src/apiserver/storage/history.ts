import type { Change } from "./change.ts";
import type { Version } from "./version.ts";

/** Holds the states too that no table has any more. */
export type KeptChange = Change<Version>;

/** However large they are, so many changes stay. */
const atLeast = 128;

/**
 * The newest changes of one table, oldest first. It grows to twice its capacity before the older half goes, so that
 * forgetting costs nothing per change; the older half goes earlier when the states that are no more take too much room.
 */
export class History {
  readonly #capacity: number;
  readonly #textCapacity: number;
  #changes: KeptChange[] = [];
  /** Characters of the states that no table holds any more. */
  #text = 0;
  /** Changes up to this revision are forgotten. */
  #forgotten: number;

  /** `capacity` in changes, `textCapacity` in characters. */
  constructor(capacity: number, textCapacity: number, forgotten: number) {
    this.#capacity = capacity;
    this.#textCapacity = textCapacity;
    this.#forgotten = forgotten;
  }

  get forgotten(): number {
    return this.#forgotten;
  }

  add(change: KeptChange): void {
    this.#changes.push(change);
    this.#text += textOf(change);
    if (this.#changes.length >= this.#capacity * 2) this.forget(this.#changes[this.#capacity - 1]?.revision ?? 0);
    while (this.#text > this.#textCapacity && this.#changes.length >= atLeast * 2)
      this.forget(this.#changes[this.#changes.length >>> 1]?.revision ?? 0);
  }

  /** Changes after `revision`, oldest first; `revision` must not be below {@link History.forgotten}. */
  after(revision: number): readonly KeptChange[] {
    return this.#changes.slice(this.#firstAfter(revision));
  }

  forget(revision: number): void {
    if (revision <= this.#forgotten) return;
    const first = this.#firstAfter(revision);
    for (const change of this.#changes.slice(0, first)) this.#text -= textOf(change);
    this.#changes = this.#changes.slice(first);
    this.#forgotten = revision;
  }

  /** Takes back everything after `revision`, as if it had never been. */
  takeBack(revision: number): void {
    const first = this.#firstAfter(revision);
    for (const change of this.#changes.slice(first)) this.#text -= textOf(change);
    this.#changes = this.#changes.slice(0, first);
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
