/** A response that is being sent. */
export interface UnreadAnswer {
  /** Counts bytes as pending until they are released; responses may share them. */
  hold(bytes: object, size: number): void;
  /** Releases the bytes, which counts as progress of the client. */
  release(bytes: object): void;
  /** Releases everything. */
  close(): void;
}

interface Held {
  answers: number;
  readonly size: number;
}

/**
 * Limits the pending bytes of all connections together. Above the limit the response whose client made no progress for
 * longest is cut off, then the next one, until the rest fits; kube-apiserver likewise ends watches that cannot keep up.
 */
export class UnreadAnswers {
  readonly #limit: number;
  readonly #held = new Map<object, Held>();
  /** In the order of their clients' last progress. */
  readonly #open = new Set<() => void>();
  #size = 0;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Total pending bytes; bytes shared by several responses count once. */
  get size(): number {
    return this.#size;
  }

  /** `cutOff` closes the connection immediately. */
  open(cutOff: () => void): UnreadAnswer {
    const own = new Set<object>();
    const close = (): void => {
      this.#open.delete(end);
      for (const bytes of own) this.#release(bytes);
      own.clear();
    };
    const end = (): void => {
      close();
      cutOff();
    };
    return {
      hold: (bytes, size) => {
        if (own.has(bytes)) return;
        own.add(bytes);
        this.#hold(bytes, size);
        this.#open.add(end);
        this.#trim();
      },
      release: (bytes) => {
        if (own.delete(bytes)) this.#release(bytes);
        // Moves it to the end: it made progress.
        this.#open.delete(end);
        if (own.size > 0) this.#open.add(end);
      },
      close,
    };
  }

  #hold(bytes: object, size: number): void {
    const held = this.#held.get(bytes);
    if (held === undefined) {
      this.#held.set(bytes, { answers: 1, size });
      this.#size += size;
    } else held.answers++;
  }

  #release(bytes: object): void {
    const held = this.#held.get(bytes);
    if (held === undefined || --held.answers > 0) return;
    this.#held.delete(bytes);
    this.#size -= held.size;
  }

  #trim(): void {
    for (const end of this.#open) {
      if (this.#size <= this.#limit) return;
      end();
    }
  }
}
