/** Counts the cost of an evaluation; every step has a cost. */
export class CostMeter {
  spent = 0;
  readonly #limit: number;
  #pauseAt = costPerPause;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False when the limit is exceeded. */
  charge(cost: number): boolean {
    this.spent += cost;
    return this.spent <= this.#limit;
  }

  /** True when so much was spent since the last pause that it is time for another one. */
  isDue(): boolean {
    if (this.spent < this.#pauseAt) return false;
    this.#pauseAt = this.spent + costPerPause;
    return true;
  }
}

/** Some milliseconds. */
const costPerPause = 20_000;
