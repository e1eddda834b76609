interface Flight<Value> {
  readonly shared: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Runs one operation for all who ask for the same key at the same time. It is aborted when the last of them has gone; one
 * that aborts leaves the others theirs.
 */
export class SingleFlight<Value> {
  readonly #flights = new Map<string, Flight<Value>>();

  /** @returns whether this call started the operation, and its result; rejects with the signal's reason when it aborts. */
  async join(
    key: string,
    signal: AbortSignal,
    start: (signal: AbortSignal) => Promise<Value>,
  ): Promise<{ readonly started: boolean; readonly value: Value }> {
    signal.throwIfAborted();
    const running = this.#flights.get(key);
    const flight = running ?? this.#start(key, start);
    flight.waiting++;
    let onAbort = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason as Error);
      signal.addEventListener("abort", onAbort);
    });
    try {
      return { started: running === undefined, value: await Promise.race([flight.shared, aborted]) };
    } finally {
      signal.removeEventListener("abort", onAbort);
      flight.waiting--;
      if (flight.waiting === 0) {
        // Nobody may join an operation that is being aborted.
        if (this.#flights.get(key) === flight) this.#flights.delete(key);
        flight.controller.abort(signal.reason);
      }
    }
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<Value>): Flight<Value> {
    const controller = new AbortController();
    const shared = start(controller.signal);
    const flight: Flight<Value> = { shared, controller, waiting: 0 };
    this.#flights.set(key, flight);
    const forget = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    shared.then(forget, forget);
    return flight;
  }
}

/** At most so many at once; the others wait in their order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Rejects with the signal's reason when it aborts before there is a slot, or with the error of `run`. */
  async use<Value>(signal: AbortSignal, run: () => Promise<Value>): Promise<Value> {
    await this.#take(signal);
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason as Error);
      };
      const go = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(go);
    });
  }
}
