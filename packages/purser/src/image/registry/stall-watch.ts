import type { Clock } from "@purser/kubernetes/clock";
import { noLongerNeeded } from "../time-limit.ts";
import { seconds } from "./answer.ts";
import type { RegistryLimits } from "./registry-limits.ts";

/**
 * Ends a transfer that brings too little in a period in which it was waited for. Time in which the reader was busy does
 * not count, so a slow disk is no slow registry.
 */
export class StallWatch {
  readonly #clock: Clock;
  readonly #limits: RegistryLimits;
  readonly #end: () => void;
  readonly #stopped = new AbortController();
  #isStalled = false;
  #bytes = 0;
  #waitedMs = 0;
  #waitingSince: number | undefined;

  constructor(clock: Clock, limits: RegistryLimits, end: () => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#end = end;
    this.#watch().catch(() => undefined);
  }

  get isStalled(): boolean {
    return this.#isStalled;
  }

  /** What was measured, for a message. */
  get measure(): string {
    return `${this.#bytes} bytes in ${seconds(this.#waitedMs)}`;
  }

  /** Counts the time of `read` as waiting. */
  async during<Value>(read: () => Promise<Value>): Promise<Value> {
    this.#waitingSince = this.#clock.monotonic();
    try {
      return await read();
    } finally {
      this.#settle();
      this.#waitingSince = undefined;
    }
  }

  received(bytes: number): void {
    this.#bytes += bytes;
  }

  stop(): void {
    this.#stopped.abort(noLongerNeeded);
  }

  #settle(): void {
    if (this.#waitingSince === undefined) return;
    const now = this.#clock.monotonic();
    this.#waitedMs += now - this.#waitingSince;
    this.#waitingSince = now;
  }

  async #watch(): Promise<void> {
    const { blobWindowMs, blobWindowBytes } = this.#limits;
    for (;;) {
      await this.#clock.sleep(blobWindowMs, this.#stopped.signal);
      this.#settle();
      // Between two reads there is always a moment that is not waiting.
      if (this.#waitedMs >= blobWindowMs * 0.9 && this.#bytes < blobWindowBytes) {
        this.#isStalled = true;
        this.#end();
        return;
      }
      this.#bytes = 0;
      this.#waitedMs = 0;
    }
  }
}
