import type { Clock } from "./clock.ts";

interface Sleeper {
  readonly due: number;
  readonly order: number;
  readonly wake: () => void;
}

/**
 * A clock that only `advance` moves; sleepers with equal due times wake in the order of their calls.
 * @testOnly so that a test replays
 */
export class VirtualClock implements Clock {
  #now: number;
  /** What the wall shows beyond the time that has passed. */
  #shift = 0;
  readonly #start: number;
  #order = 0;
  readonly #sleepers = new Set<Sleeper>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
    this.#start = startMs;
  }

  now(): number {
    return this.#now + this.#shift;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const sleeper: Sleeper = {
        due: this.#now + Math.max(0, durationMs),
        order: this.#order++,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal.removeEventListener("abort", abort);
          resolve();
        },
      };
      const abort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Somebody sets the wall clock back: sleepers and `monotonic` do not notice. */
  setBack(byMs: number): void {
    this.#shift -= byMs;
  }

  /** Due time of the next sleeper as `now` will show it; undefined when there is none. */
  nextDue(): number | undefined {
    let next: number | undefined;
    for (const { due } of this.#sleepers) if (next === undefined || due < next) next = due;
    return next === undefined ? undefined : next + this.#shift;
  }

  /** Moves time forward and wakes all due sleepers, earliest first. Their code runs after this returns. */
  advance(durationMs: number): void {
    this.#now += durationMs;
    const due = [...this.#sleepers].filter((sleeper) => sleeper.due <= this.#now);
    for (const sleeper of due.sort((a, b) => a.due - b.due || a.order - b.order)) sleeper.wake();
  }
}
