/** An Int32Array that grows; reads past the end give 0. */
export class GrowingArray {
  length = 0;
  #items: Int32Array;

  constructor(capacity: number) {
    this.#items = new Int32Array(Math.max(16, capacity));
  }

  push(value: number): void {
    if (this.length === this.#items.length) {
      const larger = new Int32Array(this.#items.length * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length++] = value;
  }

  at(index: number): number {
    return this.#items[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.#items[index] = value;
  }
}
