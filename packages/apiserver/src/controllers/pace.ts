/** A pass may read this many objects for each other pass made meanwhile. */
const objectsPerPass = 8;

/** A loop all of whose keys are deferred. */
interface Deferral {
  readonly due: number;
  readonly end: () => void;
}

/**
 * Fair sharing of the process between controller loops. A controller that reads all pods of an owner after each change
 * of one of them does work that grows with the square of their number. So a key is deferred after a pass that read many
 * objects: its changes accumulate and are handled by one pass, and the total work stays proportional to the number of
 * passes. Deferral is measured in passes of all loops. When no loop is working, the earliest deferred key becomes due
 * immediately; keys with small passes are never deferred.
 */
export class Pace {
  #passes = 0;
  #working = 0;
  readonly #deferrals = new Set<Deferral>();

  /** The pass count from which on the key may be reconciled again; undefined for immediately. */
  deferUntil(objectsRead: number): number | undefined {
    const passes = Math.floor(objectsRead / objectsPerPass);
    return passes === 0 ? undefined : this.#passes + passes;
  }

  isOver(due: number): boolean {
    return due <= this.#passes;
  }

  /** A loop starts working; {@link end} is called when it has nothing to do. */
  begin(): void {
    this.#working++;
  }

  end(): void {
    this.#working--;
    if (this.#working > 0) return;
    const next = Math.min(...[...this.#deferrals].map(({ due }) => due));
    if (next !== Infinity) this.#advance(next);
  }

  /** Counts a pass. */
  count(): void {
    this.#advance(this.#passes + 1);
  }

  /** Resolves at pass count `due`, or earlier when the callback handed to `interrupt` is called. */
  async until(due: number, interrupt: (end: () => void) => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const deferral: Deferral = {
      due,
      end: () => {
        // The loop counts as working from now on, not only after its promise has resolved.
        if (this.#deferrals.delete(deferral)) this.begin();
        resolve();
      },
    };
    this.#deferrals.add(deferral);
    interrupt(deferral.end);
    this.end();
    await promise;
  }

  #advance(passes: number): void {
    this.#passes = Math.max(this.#passes, passes);
    for (const deferral of this.#deferrals) if (this.isOver(deferral.due)) deferral.end();
  }
}
