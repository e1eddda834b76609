import type { Labels, Sample } from "../metric-sample.ts";

/** Receives every value of a distribution, such as a duration in seconds. */
export type Observer = (name: string, labels: Labels, value: number) => void;

/** Metrics by name and labels; the metrics endpoint reads a snapshot. */
export class Counters {
  readonly #values = new Map<string, { readonly name: string; readonly labels: Labels; value: number }>();
  readonly #observers = new Set<Observer>();

  /** Adds to a counter; the first addition creates it, also with 0. */
  add(name: string, labels: Labels = {}, amount = 1): void {
    this.#slot(name, labels).value += amount;
  }

  /** Sets a gauge. */
  set(name: string, labels: Labels, value: number): void {
    this.#slot(name, labels).value = value;
  }

  /** One value of a distribution. Nothing is kept here: without an observer it is lost. */
  observe(name: string, labels: Labels, value: number): void {
    for (const observer of this.#observers) observer(name, labels, value);
  }

  /** Calls `observer` from now on with every value that {@link observe} is given. */
  observedBy(observer: Observer): void {
    this.#observers.add(observer);
  }

  /** Forgets a series. */
  remove(name: string, labels: Labels): void {
    this.#values.delete(slotKey(name, labels));
  }

  /** The current value; 0 when it was never set. */
  value(name: string, labels: Labels = {}): number {
    return this.#values.get(slotKey(name, labels))?.value ?? 0;
  }

  snapshot(): readonly Sample[] {
    return Array.from(this.#values.values(), ({ name, labels, value }) => ({ name, labels, value }));
  }

  #slot(name: string, labels: Labels): { value: number } {
    const key = slotKey(name, labels);
    let slot = this.#values.get(key);
    if (slot === undefined) {
      slot = { name, labels, value: 0 };
      this.#values.set(key, slot);
    }
    return slot;
  }
}

function slotKey(name: string, labels: Labels): string {
  const parts = Object.keys(labels)
    .toSorted()
    .map((label) => JSON.stringify([label, labels[label]]));
  return [name, ...parts].join("\n");
}
