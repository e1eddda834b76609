/** The longest turn of the event loop since `start`, in thread CPU: what other requests wait at most on a processor of their own. */
export class TurnMeter {
  #isRunning = false;
  #longestMs = 0;
  readonly #onTurn: ((cpuMs: number) => void) | undefined;

  /** `onTurn` is called after each turn with its thread CPU in milliseconds. */
  constructor(onTurn?: (cpuMs: number) => void) {
    this.#onTurn = onTurn;
  }

  /** Begins anew. The event loop does not sleep until `stop`. */
  start(): void {
    this.#longestMs = 0;
    if (this.#isRunning) return;
    this.#isRunning = true;
    let before = process.threadCpuUsage();
    const turn = (): void => {
      if (!this.#isRunning) return;
      const used = process.threadCpuUsage(before);
      before = process.threadCpuUsage();
      const cpuMs = (used.user + used.system) / 1000;
      this.#longestMs = Math.max(this.#longestMs, cpuMs);
      this.#onTurn?.(cpuMs);
      setImmediate(turn);
    };
    setImmediate(turn);
  }

  /** @returns thread CPU of the longest turn, in milliseconds */
  stop(): number {
    this.#isRunning = false;
    return this.#longestMs;
  }
}
