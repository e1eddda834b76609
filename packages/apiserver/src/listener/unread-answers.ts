/** One answer on its way to a client. */
export interface UnreadAnswer {
  /** These bytes are kept until they are let go; answers may share them. */
  hold(bytes: object, size: number): void;
  /** The bytes are not needed any more: the client takes what it gets. */
  release(bytes: object): void;
  /** Nothing of it is kept any more. */
  close(): void;
}

interface Held {
  answers: number;
  readonly size: number;
}

/**
 * What clients have yet to read, of all connections together. When it is more than may be, the answer whose client has
 * taken nothing for longest is cut off, and the next one, until the rest fits: kube-apiserver ends watchers that cannot keep up
 * likewise.
 */
export class UnreadAnswers {
  readonly #limit: number;
  readonly #held = new Map<object, Held>();
  /** In the order in which their clients last took something. */
  readonly #open = new Set<() => void>();
  #size = 0;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that are kept for anybody; what several answers share counts once. */
  get size(): number {
    return this.#size;
  }

  /** `cutOff` ends the connection at once. */
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
        // It took something: others have waited longer now.
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
