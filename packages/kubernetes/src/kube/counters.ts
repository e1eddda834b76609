export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Metrics by name and labels; the metrics endpoint reads a snapshot. */
export class Counters {
  readonly #values = new Map<string, { readonly name: string; readonly labels: Labels; value: number }>();

  /** Adds to a counter; the first addition creates it. */
  add(name: string, labels: Labels = {}, amount = 1): void {
    this.#slot(name, labels).value += amount;
  }

  /** Sets a gauge. */
  set(name: string, labels: Labels, value: number): void {
    this.#slot(name, labels).value = value;
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
    .map((label) => `${label}=${labels[label]}`);
  return [name, ...parts].join("\n");
}
