/** Units of work that make up one step. */
export const unitsPerStep = 16;

/**
 * Counts work, so that all steps cost about the same. One unit is the check of one bundle or an equal amount of other work,
 * such as some dozens of candidates or clauses.
 */
export class Pace {
  #done = 0;

  /** Adds work that was just done; true when the step is full and its generator has to yield. */
  spend(units: number): boolean {
    this.#done += units;
    if (this.#done < unitsPerStep) return false;
    this.#done = 0;
    return true;
  }
}

/** Candidates or members of a constraint that weigh as much as one bundle. */
export const cellsPerUnit = 64;
