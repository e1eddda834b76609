import { SeededEntropy } from "@purser/kubernetes/entropy";

/** Seeded random choices. */
export class Draw {
  readonly #entropy: SeededEntropy;

  constructor(seed: number) {
    this.#entropy = new SeededEntropy(seed);
  }

  /** An integer below `bound`. */
  below(bound: number): number {
    return Math.floor(this.#entropy.fraction() * bound);
  }

  chance(probability: number): boolean {
    return this.#entropy.fraction() < probability;
  }

  one<T>(list: readonly [T, ...T[]]): T;
  one<T>(list: readonly T[]): T | undefined;
  one<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)];
  }

  /** Between `least` and `most` items, in the order of the list. */
  some<T>(list: readonly T[], least: number, most: number): readonly T[] {
    const count = Math.min(list.length, least + this.below(most - least + 1));
    const left = list.map((_, index) => index);
    const taken: number[] = [];
    while (taken.length < count) taken.push(...left.splice(this.below(left.length), 1));
    return taken.toSorted((a, b) => a - b).flatMap((index) => list.slice(index, index + 1));
  }

  /** One of the values, by weight. */
  weighted<T>(options: readonly (readonly [weight: number, value: T])[]): T | undefined {
    let at = this.#entropy.fraction() * options.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of options) {
      at -= weight;
      if (at < 0) return value;
    }
    return options.at(-1)?.[1];
  }
}
