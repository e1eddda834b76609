import type { StoredChange } from "../../storage/storage.ts";

/** A watcher with changes that were not sent to it yet. */
export interface Behind {
  /** Ends the watch and forgets what waits for it. */
  drop(): void;
}

/**
 * The changes that wait for all watchers together. Watchers share them, so each counts once; when they exceed
 * the limit, the watcher that has read nothing for longest is dropped, then the next one, until they fit.
 */
export class WatchBacklog {
  readonly #limit: number;
  readonly #waiting = new Map<StoredChange, number>();
  /** In the order in which they last read something. */
  readonly #behind = new Set<Behind>();
  #size = 0;

  /** `limit` in characters of JSON text. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Characters of the changes that wait for at least one watcher. */
  get size(): number {
    return this.#size;
  }

  add(watcher: Behind, change: StoredChange): void {
    const watchers = this.#waiting.get(change) ?? 0;
    if (watchers === 0) this.#size += sizeOf(change);
    this.#waiting.set(change, watchers + 1);
    this.#behind.add(watcher);
  }

  /** Drops the slowest watchers while there is too much. */
  trim(): void {
    for (const slowest of this.#behind) {
      if (this.#size <= this.#limit) return;
      slowest.drop();
    }
  }

  /** The watcher took the change, or will never take it; `isBehind`: others wait for it still. */
  remove(watcher: Behind, change: StoredChange, isBehind: boolean): void {
    const watchers = this.#waiting.get(change) ?? 0;
    if (watchers > 1) this.#waiting.set(change, watchers - 1);
    else if (this.#waiting.delete(change)) this.#size -= sizeOf(change);
    this.#behind.delete(watcher);
    if (isBehind) this.#behind.add(watcher);
  }
}

function sizeOf({ versionBefore, versionShown }: StoredChange): number {
  return (versionBefore?.size ?? 0) + versionShown.size;
}
