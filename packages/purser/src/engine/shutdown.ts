/** What was started, to be stopped in reverse: by whoever asks for the end, and when a start breaks off half-way. */
export class Shutdown {
  readonly #steps: (() => Promise<void>)[] = [];

  add(stop: () => Promise<void>): void {
    this.#steps.push(stop);
  }

  /**
   * Stops everything that was added since the last run. A step that fails keeps no other from being taken.
   * @throws what the first failing step threw, after the last step
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
