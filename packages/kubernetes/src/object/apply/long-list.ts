/** Items of one part; a part that has twice as many is cut. */
const partLength = 512;

/**
 * A list that changes in its midst: thousands of insertions into a list of a million items would move all of them each time.
 * Indexes must lie within the list.
 */
export class LongList<Item> {
  readonly #parts: Item[][] = [];
  #length: number;

  constructor(items: readonly Item[]) {
    this.#length = items.length;
    for (let at = 0; at < items.length; at += partLength) this.#parts.push(items.slice(at, at + partLength));
  }

  get length(): number {
    return this.#length;
  }

  get(index: number): Item | undefined {
    const { part, at } = this.#placeOf(index);
    return part[at];
  }

  set(index: number, item: Item): void {
    const { part, at } = this.#placeOf(index);
    part[at] = item;
  }

  /** Before the item that stands there; at the end where none does. */
  insert(index: number, item: Item): void {
    const { part, at, number } = this.#placeOf(index);
    part.splice(at, 0, item);
    this.#length++;
    if (part.length >= 2 * partLength) this.#parts.splice(number, 1, part.slice(0, partLength), part.slice(partLength));
  }

  remove(index: number): void {
    const { part, at, number } = this.#placeOf(index);
    part.splice(at, 1);
    this.#length--;
    if (part.length === 0) this.#parts.splice(number, 1);
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const part of this.#parts) yield* part;
  }

  #placeOf(index: number): { readonly part: Item[]; readonly at: number; readonly number: number } {
    let at = index;
    for (const [number, part] of this.#parts.entries()) {
      const isLast = number === this.#parts.length - 1;
      if (at < part.length || isLast) return { part, at, number };
      at -= part.length;
    }
    const part: Item[] = [];
    this.#parts.push(part);
    return { part, at: 0, number: 0 };
  }
}
