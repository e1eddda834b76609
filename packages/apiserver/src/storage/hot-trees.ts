/**
 * Total text length in characters of the versions whose parsed trees are kept in memory; the trees take about three
 * times as much.
 */
const capacity = 2 ** 20;
/** A table up to this size is kept completely, so that repeated reads parse nothing. */
export const smallTable = capacity / 4;

/** A version that can drop its parsed tree. */
interface Warm {
  /** Round of its last use; written by {@link HotTrees}. */
  round: number;
  /** Length of its text, in characters. */
  readonly size: number;
  cool(): void;
}

/**
 * Evicts parsed trees that were not used since the last but one time that half the capacity was used up. A use costs
 * one comparison, and no order is maintained.
 */
export class HotTrees {
  #older: Warm[] = [];
  #recent: Warm[] = [];
  #size = 0;
  #round = 1;

  use(version: Warm): void {
    if (version.round === this.#round) return;
    version.round = this.#round;
    this.#recent.push(version);
    this.#size += version.size;
    if (this.#size > capacity / 2) this.#turn();
  }

  #turn(): void {
    for (const version of this.#older) if (version.round < this.#round) version.cool();
    this.#older = this.#recent;
    this.#recent = [];
    this.#size = 0;
    this.#round++;
  }
}
