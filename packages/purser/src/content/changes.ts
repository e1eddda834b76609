import type { ContentKey } from "../catalog/content-state.ts";

/** Hands every announced key to every listener. A listener that is slow gets each key once, however often it changed. */
export class Changes {
  readonly #listeners = new Set<Listener>();

  announce(key: ContentKey): void {
    for (const listener of this.#listeners) listener.push(key);
  }

  async *listen(signal: AbortSignal): AsyncGenerator<ContentKey, void, void> {
    const listener = new Listener();
    this.#listeners.add(listener);
    const stop = (): void => listener.wake();
    signal.addEventListener("abort", stop);
    try {
      while (!signal.aborted) {
        const key = listener.take();
        if (key === undefined) await listener.changed();
        else yield key;
      }
    } finally {
      signal.removeEventListener("abort", stop);
      this.#listeners.delete(listener);
    }
  }
}

class Listener {
  readonly #pending = new Map<string, ContentKey>();
  #wake: (() => void) | undefined;

  push(key: ContentKey): void {
    this.#pending.set(JSON.stringify(key), key);
    this.wake();
  }

  take(): ContentKey | undefined {
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
