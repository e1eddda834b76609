import type { Clock } from "../../clock.ts";
import type { Entropy } from "../../entropy.ts";
import { backoffMs, type BackoffLimits } from "./backoff.ts";

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Backoff of failing keys. Default 10 ms doubling to two minutes. */
  readonly backoff?: BackoffLimits;
  /** Called with the number of ready keys whenever it changes. */
  readonly onDepth?: (depth: number) => void;
  /** Called for each key that is taken with how long it was ready before. */
  readonly onTaken?: (waitedMs: number) => void;
}

/** What the queue knows of a key. */
export interface QueuedKey {
  readonly key: string;
  readonly state: "running" | "ready" | "waiting";
  /** Consecutive failed runs. */
  readonly failures: number;
  /** Negative: it should have run by now. */
  readonly dueInMs?: number;
}

/** From this many consecutive failures on, a change runs the key only after `calmMs`, not immediately. */
const failuresBeforeCalm = 5;
const calmMs = 1000;

/**
 * A queue of keys, each of which runs at most once at a time: one added while it runs runs again afterwards. First in,
 * first out; failing keys wait separately, so that they do not delay the others.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #backoff: BackoffLimits;
  /** Since when each key is ready. Insertion order is the order of the queue. */
  readonly #ready = new Map<string, number>();
  /** Since when each running key was ready before it was taken. */
  readonly #running = new Map<string, number>();
  readonly #dirty = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #due = new Map<string, number>();
  readonly #takers: (() => void)[] = [];
  readonly #idlers = new Set<() => void>();
  #alarm: { readonly at: number; readonly cancel: AbortController } | undefined;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? { firstMs: 10, longestMs: 120_000 };
  }

  /** Runs `key` as soon as possible. */
  add(key: string): void {
    if (this.#closed) return;
    if ((this.#failures.get(key) ?? 0) >= failuresBeforeCalm) this.addAfter(key, calmMs);
    else this.#ring(key);
  }

  /** Runs `key` after `delayMs`; the earliest requested time counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return;
    const at = this.#options.clock.monotonic() + Math.max(0, delayMs);
    const before = this.#due.get(key);
    if (before !== undefined && before <= at) return;
    this.#due.set(key, at);
    this.#arm(at);
  }

  /** Runs `key` after its backoff, or after `atLeastMs` when that is longer. */
  retry(key: string, atLeastMs = 0): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.addAfter(key, Math.max(atLeastMs, backoffMs(this.#backoff, failures, this.#options.entropy)));
  }

  /** How long ago a running key became ready. */
  waitedMs(key: string): number {
    const now = this.#options.clock.monotonic();
    return now - (this.#running.get(key) ?? now);
  }

  /** A running key whose pass has not begun: the pass will see the changes that were added until now. */
  begin(key: string): void {
    this.#dirty.delete(key);
  }

  /** Resets the key's failures. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, which counts as running until `release`. Undefined when the queue is closed. */
  async take(): Promise<string | undefined> {
    while (!this.#closed) {
      const [first] = this.#ready;
      if (first !== undefined) {
        const [key, since] = first;
        this.#ready.delete(key);
        this.#running.set(key, since);
        // The pass decides anew about the next time.
        this.#due.delete(key);
        this.#tellDepth();
        this.#options.onTaken?.(this.#options.clock.monotonic() - since);
        return key;
      }
      await new Promise<void>((resolve) => this.#takers.push(resolve));
    }
    return undefined;
  }

  /** Ends a key's run. */
  release(key: string): void {
    this.#running.delete(key);
    if (this.#dirty.delete(key)) this.#ring(key);
    this.#wakeIdlers();
  }

  /** Ready keys; running and delayed ones are not counted. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Every key that runs, waits or failed; times are in milliseconds from now. */
  snapshot(): readonly QueuedKey[] {
    const now = this.#options.clock.monotonic();
    const keys = new Set([
      ...this.#running.keys(),
      ...this.#ready.keys(),
      ...this.#due.keys(),
      ...this.#failures.keys(),
    ]);
    return Array.from(keys, (key) => {
      const due = this.#due.get(key);
      return {
        key,
        state: this.#running.has(key) ? "running" : this.#ready.has(key) ? "ready" : "waiting",
        failures: this.failures(key),
        ...(due === undefined ? {} : { dueInMs: Math.round(due - now) }),
      };
    });
  }

  /** Resolves when nothing is ready, running or due. Keys that are due later do not count. */
  async idle(): Promise<void> {
    while (!this.isIdle()) await new Promise<void>((resolve) => this.#idlers.add(resolve));
  }

  isIdle(): boolean {
    if (this.#closed) return this.#running.size === 0;
    const now = this.#options.clock.monotonic();
    for (const at of this.#due.values()) if (at <= now) return false;
    return this.#ready.size === 0 && this.#running.size === 0;
  }

  /** Resolves all waiting takers and clears the queue. */
  close(): void {
    this.#closed = true;
    this.#ready.clear();
    this.#dirty.clear();
    this.#due.clear();
    this.#alarm?.cancel.abort();
    for (const wake of this.#takers.splice(0)) wake();
    this.#tellDepth();
    this.#wakeIdlers();
  }

  #ring(key: string): void {
    if (this.#running.has(key)) {
      this.#dirty.add(key);
      return;
    }
    if (this.#ready.has(key)) return;
    this.#ready.set(key, this.#options.clock.monotonic());
    this.#tellDepth();
    this.#takers.shift()?.();
  }

  /** One timer for all delays, set to the earliest. */
  #arm(at: number): void {
    if (this.#alarm !== undefined && this.#alarm.at <= at) return;
    this.#alarm?.cancel.abort();
    const alarm = { at, cancel: new AbortController() };
    this.#alarm = alarm;
    this.#options.clock.sleep(at - this.#options.clock.monotonic(), alarm.cancel.signal).then(
      () => this.#fire(),
      () => {},
    );
  }

  #fire(): void {
    this.#alarm = undefined;
    const now = this.#options.clock.monotonic();
    // Timers may fire a fraction of a millisecond early.
    const due = [...this.#due].filter(([, at]) => at <= now + 1).toSorted(([, a], [, b]) => a - b);
    for (const [key] of due) {
      this.#due.delete(key);
      this.#ring(key);
    }
    const next = [...this.#due.values()].reduce((earliest, at) => Math.min(earliest, at), Infinity);
    if (next < Infinity) this.#arm(next);
    this.#wakeIdlers();
  }

  #tellDepth(): void {
    this.#options.onDepth?.(this.#ready.size);
  }

  #wakeIdlers(): void {
    if (this.#idlers.size === 0 || !this.isIdle()) return;
    for (const wake of this.#idlers) wake();
    this.#idlers.clear();
  }
}
