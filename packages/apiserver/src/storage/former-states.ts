import type { Clock } from "@purser/kubernetes/clock";
import type { Storage } from "./storage.ts";

/** kube-apiserver compacts etcd up to what was the newest revision so long ago. */
const keptMs = 300_000;
/** How exactly the age of a revision is known. */
const markMs = 15_000;

/**
 * Knows which changes are older than five minutes: former states that no list or watch of kube-apiserver could ask for
 * either.
 */
export class FormerStates {
  readonly #storage: Storage;
  readonly #clock: Clock;
  /** The newest revisions at some times, oldest first. */
  #marks: readonly { readonly at: number; readonly revision: number }[] = [];

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** To be called again and again. @returns how many characters of former states it has let go, 0 for none. */
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
