/** A list of stop functions that run in reverse order, at the end or when a start fails half-way. */
export class Shutdown {
  readonly #steps: (() => Promise<void>)[] = [];

  add(stop: () => Promise<void>): void {
    this.#steps.push(stop);
  }

  /**
   * Runs all stop functions that were added since the last run, even if one of them fails.
   * @throws the error of the first function that failed, after all have run
   */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of this.#steps.splice(0).toReversed())
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  }
}
