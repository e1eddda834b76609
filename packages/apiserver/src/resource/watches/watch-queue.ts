import type { StoredChange } from "../../storage/storage.ts";
import type { Behind, WatchBacklog } from "./watch-backlog.ts";

/** What a watch sends: a change of an object, or a bookmark with the current revision. */
export type WatchEntry =
  | { readonly kind: "change"; readonly change: StoredChange }
  | { readonly kind: "bookmark"; readonly revision: number };

/**
 * What one watcher may be behind before it is dropped: it then reconnects, and writers never wait for it. Twice what
 * the history of a table keeps at most: all of that is handed over at once to a watcher that resumes.
 */
const capacity = 8192;

/** The changes that one watcher has yet to receive, in order. */
export class WatchQueue implements Behind {
  readonly #backlog: WatchBacklog;
  #waiting: WatchEntry[] = [];
  #head = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  #isFollowing = false;
  #pushed = 0;
  readonly #closed = new AbortController();
  readonly #closers: (() => void)[] = [];

  /** `signal` ends the watch: the client left or the server stops. */
  constructor(signal: AbortSignal, backlog: WatchBacklog) {
    this.#backlog = backlog;
    const close = (): void => this.close();
    signal.addEventListener("abort", close, { once: true });
    this.onClose(() => signal.removeEventListener("abort", close));
    if (signal.aborted) this.close();
  }

  /** Aborts when the watch is closed. */
  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  /** Number of entries pushed so far. */
  get pushed(): number {
    return this.#pushed;
  }

  push(entry: WatchEntry): void {
    if (this.#ended) return;
    if (this.#waiting.length - this.#head >= capacity) {
      this.drop();
      return;
    }
    this.#pushed++;
    this.#waiting.push(entry);
    if (entry.kind === "change") this.#backlog.add(this, entry.change);
    if (this.#isFollowing) this.#backlog.trim();
    this.#wake?.();
  }

  /** Entries pushed before this call are the history that the watch resumes from: no watcher is dropped for them. */
  follow(): void {
    this.#isFollowing = true;
  }

  /** Ends the watch; waiting changes are dropped. */
  drop(): void {
    this.#forget();
    this.end();
  }

  #forget(): void {
    for (const entry of this.#waiting.slice(this.#head))
      if (entry.kind === "change") this.#backlog.remove(this, entry.change, false);
    this.#waiting = [];
    this.#head = 0;
  }

  /** Accepts no further entries; waiting ones are still delivered. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Runs `closer` when the watch is closed; at once when it is closed already. */
  onClose(closer: () => void): void {
    if (this.#closed.signal.aborted) closer();
    else this.#closers.push(closer);
  }

  /** Undefined at the end. */
  async next(): Promise<WatchEntry | undefined> {
    while (this.#head >= this.#waiting.length) {
      if (this.#ended) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
    const entry = this.#waiting[this.#head++];
    if (entry?.kind === "change") this.#backlog.remove(this, entry.change, this.#head < this.#waiting.length);
    // Delivered entries are not kept: a change holds the texts of two states.
    if (this.#head > 32 || this.#head === this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }

  close(): void {
    this.#forget();
    this.end();
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    for (const closer of this.#closers) closer();
  }
}
