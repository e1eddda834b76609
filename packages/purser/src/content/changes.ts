/** Hands every announced value to every listener. A listener that is slow gets equal values once, however often they came. */
export class Changes<Value> {
  readonly #listeners = new Set<Listener<Value>>();

  announce(value: Value): void {
    for (const listener of this.#listeners) listener.push(value);
  }

  /** Listens from this call on, not only from the first value that is asked for; ends when the signal aborts. */
  listen(signal: AbortSignal): AsyncGenerator<Value, void, void> {
    const listener = new Listener<Value>();
    this.#listeners.add(listener);
    const stop = (): void => {
      this.#listeners.delete(listener);
      listener.wake();
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    return valuesOf(listener, signal, () => {
      signal.removeEventListener("abort", stop);
      stop();
    });
  }
}

async function* valuesOf<Value>(
  listener: Listener<Value>,
  signal: AbortSignal,
  end: () => void,
): AsyncGenerator<Value, void, void> {
  try {
    while (!signal.aborted) {
      const value = listener.take();
      if (value === undefined) await listener.changed();
      else yield value;
    }
  } finally {
    end();
  }
}

class Listener<Value> {
  readonly #pending = new Map<string, Value>();
  #wake: (() => void) | undefined;

  push(value: Value): void {
    this.#pending.set(JSON.stringify(value), value);
    this.wake();
  }

  take(): Value | undefined {
    const [first] = this.#pending;
    if (first === undefined) return undefined;
    this.#pending.delete(first[0]);
    return first[1];
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
