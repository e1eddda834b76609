/** True when the first item must be sorted before the second. */
type Less<Item> = (a: Item, b: Item) => boolean;

/**
 * Sorts in place exactly as `sort.Slice` of Go 1.26 does, including where it puts equal items: an unstable
 * pattern-defeating quicksort whose few random choices depend on the length alone.
 */
export function goSort<Item>(items: Item[], less: Less<Item>): void {
  new Sorter(items, less).pdq(0, items.length, 32 - Math.clz32(items.length));
}

type Hint = "unknown" | "increasing" | "decreasing";

class Sorter<Item> {
  readonly #items: Item[];
  readonly #before: Less<Item>;

  constructor(items: Item[], before: Less<Item>) {
    this.#items = items;
    this.#before = before;
  }

  #less(a: number, b: number): boolean {
    return this.#before(this.#items[a] as Item, this.#items[b] as Item);
  }

  #swap(a: number, b: number): void {
    const items = this.#items;
    [items[a], items[b]] = [items[b] as Item, items[a] as Item];
  }

  pdq(from: number, to: number, budget: number): void {
    let a = from;
    let b = to;
    let limit = budget;
    let wasBalanced = true;
    let wasPartitioned = true;
    for (;;) {
      const length = b - a;
      if (length <= 12) return this.#insertion(a, b);
      if (limit === 0) return this.#heap(a, b);
      if (!wasBalanced) {
        this.#breakPatterns(a, b);
        limit--;
      }
      let [pivot, hint] = this.#choosePivot(a, b);
      if (hint === "decreasing") {
        for (let i = a, j = b - 1; i < j; i++, j--) this.#swap(i, j);
        pivot = b - 1 - (pivot - a);
        hint = "increasing";
      }
      if (wasBalanced && wasPartitioned && hint === "increasing" && this.#partialInsertion(a, b)) return;
      if (a > 0 && !this.#less(a - 1, pivot)) {
        a = this.#partitionEqual(a, b, pivot);
        continue;
      }
      const [middle, alreadyPartitioned] = this.#partition(a, b, pivot);
      wasPartitioned = alreadyPartitioned;
      const left = middle - a;
      const right = b - middle;
      const balance = Math.floor(length / 8);
      if (left < right) {
        wasBalanced = left >= balance;
        this.pdq(a, middle, limit);
        a = middle + 1;
      } else {
        wasBalanced = right >= balance;
        this.pdq(middle + 1, b, limit);
        b = middle;
      }
    }
  }

  #insertion(a: number, b: number): void {
    for (let i = a + 1; i < b; i++) for (let j = i; j > a && this.#less(j, j - 1); j--) this.#swap(j, j - 1);
  }

  #siftDown(low: number, high: number, first: number): void {
    for (let root = low; ;) {
      let child = 2 * root + 1;
      if (child >= high) return;
      if (child + 1 < high && this.#less(first + child, first + child + 1)) child++;
      if (!this.#less(first + root, first + child)) return;
      this.#swap(first + root, first + child);
      root = child;
    }
  }

  #heap(a: number, b: number): void {
    const high = b - a;
    for (let i = (high - 1) >> 1; i >= 0; i--) this.#siftDown(i, high, a);
    for (let i = high - 1; i >= 0; i--) {
      this.#swap(a, a + i);
      this.#siftDown(0, i, a);
    }
  }

  #partition(a: number, b: number, pivot: number): readonly [number, boolean] {
    this.#swap(a, pivot);
    let i = a + 1;
    let j = b - 1;
    while (i <= j && this.#less(i, a)) i++;
    while (i <= j && !this.#less(j, a)) j--;
    if (i > j) {
      this.#swap(j, a);
      return [j, true];
    }
    this.#swap(i++, j--);
    for (;;) {
      while (i <= j && this.#less(i, a)) i++;
      while (i <= j && !this.#less(j, a)) j--;
      if (i > j) break;
      this.#swap(i++, j--);
    }
    this.#swap(j, a);
    return [j, false];
  }

  #partitionEqual(a: number, b: number, pivot: number): number {
    this.#swap(a, pivot);
    let i = a + 1;
    let j = b - 1;
    for (;;) {
      while (i <= j && !this.#less(a, i)) i++;
      while (i <= j && this.#less(a, j)) j--;
      if (i > j) return i;
      this.#swap(i++, j--);
    }
  }

  #partialInsertion(a: number, b: number): boolean {
    let i = a + 1;
    for (let step = 0; step < 5; step++) {
      while (i < b && !this.#less(i, i - 1)) i++;
      if (i === b) return true;
      if (b - a < 50) return false;
      this.#swap(i, i - 1);
      if (i - a >= 2) for (let j = i - 1; j >= 1 && this.#less(j, j - 1); j--) this.#swap(j, j - 1);
      if (b - i >= 2) for (let j = i + 1; j < b && this.#less(j, j - 1); j++) this.#swap(j, j - 1);
    }
    return false;
  }

  /** Xorshift seeded with the length: the same choice for every run. */
  #breakPatterns(a: number, b: number): void {
    const length = b - a;
    if (length < 8) return;
    let random = BigInt(length);
    const modulus = 1n << BigInt(32 - Math.clz32(length));
    const index = a + Math.floor(length / 4) * 2 - 1;
    for (let i = 0; i < 3; i++) {
      random ^= BigInt.asUintN(64, random << 13n);
      random ^= random >> 7n;
      random ^= BigInt.asUintN(64, random << 17n);
      let other = Number(random & (modulus - 1n));
      if (other >= length) other -= length;
      this.#swap(index + i, a + other);
    }
  }

  #choosePivot(a: number, b: number): [number, Hint] {
    const length = b - a;
    const quarter = Math.floor(length / 4);
    let swaps = 0;
    const median = (x: number, y: number, z: number): number => {
      const order = (p: number, q: number): [number, number] => {
        if (!this.#less(q, p)) return [p, q];
        swaps++;
        return [q, p];
      };
      let [low, middle] = order(x, y);
      let high = z;
      [middle, high] = order(middle, high);
      [low, middle] = order(low, middle);
      return middle;
    };
    let i = a + quarter;
    let j = a + quarter * 2;
    let k = a + quarter * 3;
    if (length >= 8) {
      if (length >= 50) {
        i = median(i - 1, i, i + 1);
        j = median(j - 1, j, j + 1);
        k = median(k - 1, k, k + 1);
      }
      j = median(i, j, k);
    }
    if (swaps === 0) return [j, "increasing"];
    return swaps === 12 ? [j, "decreasing"] : [j, "unknown"];
  }
}
