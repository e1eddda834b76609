import type { StoredChange } from "./storage.ts";

/**
 * The newest changes of one table, oldest first. It grows to twice its capacity before the older half goes,
 * so that forgetting costs nothing per change.
 */
export class History {
  readonly #capacity: number;
  #changes: StoredChange[] = [];
  /** Changes up to this revision are forgotten. */
  #forgotten: number;

  constructor(capacity: number, forgotten: number) {
    this.#capacity = capacity;
    this.#forgotten = forgotten;
  }

  get forgotten(): number {
    return this.#forgotten;
  }

  add(change: StoredChange): void {
    this.#changes.push(change);
    if (this.#changes.length >= this.#capacity * 2) this.forget(this.#changes[this.#capacity - 1]?.revision ?? 0);
  }

  /** Changes after `revision`, oldest first; `revision` must not be below {@link History.forgotten}. */
  after(revision: number): readonly StoredChange[] {
    return this.#changes.slice(this.#firstAfter(revision));
  }

  forget(revision: number): void {
    if (revision <= this.#forgotten) return;
    this.#changes = this.#changes.slice(this.#firstAfter(revision));
    this.#forgotten = revision;
  }

  /** Takes back everything after `revision`, as if it had never been. */
  takeBack(revision: number): void {
    this.#changes = this.#changes.slice(0, this.#firstAfter(revision));
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
