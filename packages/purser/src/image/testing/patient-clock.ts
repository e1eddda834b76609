import type { Clock } from "@purser/kubernetes/clock";

/**
 * A clock on which pauses end at once, and limits never: sleeps below `limitMs` move the time and are recorded, longer
 * ones end only by their signal. So back-off costs a test no time, and no deadline depends on the speed of the machine.
 */
export class PatientClock implements Clock {
  readonly pauses: number[] = [];
  readonly #limitMs: number;
  #now: number;

  constructor(limitMs: number, startMs = Date.UTC(2026, 0, 1)) {
    this.#limitMs = limitMs;
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  advance(durationMs: number): void {
    this.#now += durationMs;
  }

  sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    if (durationMs < this.#limitMs) {
      this.pauses.push(durationMs);
      this.#now += durationMs;
      return Promise.resolve();
    }
    return new Promise((_resolve, reject) => {
      const abort = (): void => reject(signal.reason as Error);
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  }
}
