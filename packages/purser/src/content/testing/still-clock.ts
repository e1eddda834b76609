import type { Clock } from "@purser/kubernetes/clock";

/** A clock on which time passes only when the test says so, for code that waits on real sockets. */
export class StillClock implements Clock {
  #now = 0;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  /** How many are asleep, with the shortest time that is left. */
  get waiting(): readonly number[] {
    return [...this.#sleepers].map(({ until }) => until - this.#now).sort((a, b) => a - b);
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) if (sleeper.until <= this.#now) sleeper.wake();
  }

  sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const stop = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason as Error);
      };
      const sleeper = {
        until: this.#now + durationMs,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal.removeEventListener("abort", stop);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", stop, { once: true });
    });
  }
}
