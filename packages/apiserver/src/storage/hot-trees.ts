/** Texts of the versions whose trees stay in memory, in characters; the trees take about three times as much. */
const capacity = 2 ** 20;
/** A table up to this size is kept whole, so that reading it again and again parses nothing. */
export const smallTable = capacity / 4;

/** A version that can let its tree go. */
interface Warm {
  /** When it was last used; written by {@link HotTrees}. */
  round: number;
  /** Length of its text, in characters. */
  readonly size: number;
  cool(): void;
}

/**
 * Which versions keep their trees: those used since the last but one time that half the capacity was used up. It costs
 * a comparison per use, and no order has to be kept.
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
