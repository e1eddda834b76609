import type { Clock } from "@purser/kubernetes/clock";
import type { Controller } from "@purser/kubernetes/kube/controller/controller";

/** Passes over namespaces that will make InstallPlans: known before they begin and until one of them succeeds. */
export class NamespacePasses {
  readonly #clock: Clock;
  readonly #due = new Set<string>();
  readonly #running = new Set<string>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A pass over the namespace has been requested. */
  expect(namespace: string): void {
    this.#due.add(namespace);
  }

  /** The controller, whose keys are namespaces, with its passes observed. */
  observing(controller: Controller): Controller {
    return {
      ...controller,
      reconcile: async (key, context) => {
        const { name } = key;
        const isExpected = this.#due.delete(name);
        if (isExpected) this.#running.add(name);
        try {
          return await controller.reconcile(key, context);
        } catch (error) {
          // It is retried, and makes then what it has not made.
          if (isExpected) this.#due.add(name);
          throw error;
        } finally {
          this.#running.delete(name);
          this.#release(name);
        }
      },
    };
  }

  /**
   * Resolves when no such pass over the namespace is expected or running, or after `limitMs`. Rejects when the signal
   * aborts first.
   */
  async over(namespace: string, limitMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isAhead(namespace)) return;
    const limit = new AbortController();
    const waiting = this.#waiting.get(namespace) ?? new Set();
    this.#waiting.set(namespace, waiting);
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    try {
      await Promise.race([promise, this.#clock.sleep(limitMs, AbortSignal.any([signal, limit.signal]))]);
    } finally {
      limit.abort();
      waiting.delete(resolve);
      if (waiting.size === 0) this.#waiting.delete(namespace);
    }
  }

  #isAhead(namespace: string): boolean {
    return this.#due.has(namespace) || this.#running.has(namespace);
  }

  #release(namespace: string): void {
    if (this.#isAhead(namespace)) return;
    for (const resolve of this.#waiting.get(namespace) ?? []) resolve();
  }
}
