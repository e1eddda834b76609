/** So many objects one pass may look at for every pass that is made meanwhile. */
const objectsPerPass = 8;

/** Somebody who has only such things to do as are to wait. */
interface Rest {
  readonly due: number;
  readonly end: () => void;
}

/**
 * Shares the process out among the loops. A controller that looks at all pods of an owner after each change of one of
 * them would do work that grows with the square of their number. So a key rests after a pass that looked at many
 * objects: meanwhile its changes gather, others get on, and the work stays in proportion to the number of passes.
 *
 * It is a clock that counts passes. When nobody works it jumps ahead to the first who is due, so that nothing waits
 * for its own sake, and small things never wait.
 */
export class Pace {
  #passes = 0;
  #working = 0;
  readonly #resting = new Set<Rest>();

  /** From when on a key may be looked at again, in passes; undefined when at once. */
  restAfter(looked: number): number | undefined {
    const passes = Math.floor(looked / objectsPerPass);
    return passes === 0 ? undefined : this.#passes + passes;
  }

  isOver(due: number): boolean {
    return due <= this.#passes;
  }

  /** A loop has something to do, until it calls {@link end}. */
  begin(): void {
    this.#working++;
  }

  end(): void {
    this.#working--;
    if (this.#working > 0) return;
    const next = Math.min(...[...this.#resting].map(({ due }) => due));
    if (next !== Infinity) this.#advance(next);
  }

  /** A pass has been made. */
  count(): void {
    this.#advance(this.#passes + 1);
  }

  /** Resolves at `due`, or earlier when `interrupt` gets the way to end it and somebody takes that. */
  async until(due: number, interrupt: (end: () => void) => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const rest: Rest = {
      due,
      end: () => {
        // It works again from this moment on, not only when its promise has been looked at.
        if (this.#resting.delete(rest)) this.begin();
        resolve();
      },
    };
    this.#resting.add(rest);
    interrupt(rest.end);
    this.end();
    await promise;
  }

  #advance(passes: number): void {
    this.#passes = Math.max(this.#passes, passes);
    for (const rest of this.#resting) if (this.isOver(rest.due)) rest.end();
  }
}
