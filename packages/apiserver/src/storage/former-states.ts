import type { Clock } from "@purser/kubernetes/clock";
import type { Storage } from "./storage.ts";

/** kube-apiserver compacts etcd to the newest revision of this long ago. */
const keptMs = 300_000;
/** Precision of the age of a revision. */
const markMs = 15_000;

/** Drops former states older than five minutes, which lists and watches of kube-apiserver could not request either. */
export class FormerStates {
  readonly #storage: Storage;
  readonly #clock: Clock;
  /** The newest revisions at some times, oldest first. */
  #marks: readonly { readonly at: number; readonly revision: number }[] = [];

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /**
   * Call it periodically.
   * @returns how many characters of former states it has dropped, 0 for none.
   */
  forgetOld(): number {
    const now = this.#clock.monotonic();
    const newest = this.#marks.at(-1);
    if (newest === undefined || now - newest.at >= markMs)
      this.#marks = [...this.#marks, { at: now, revision: this.#storage.published() }];
    const old = this.#marks.findLast(({ at }) => now - at >= keptMs);
    if (old === undefined) return 0;
    this.#marks = this.#marks.filter(({ at }) => at > old.at);
    return this.#storage.forgetFormer(old.revision);
  }
}
