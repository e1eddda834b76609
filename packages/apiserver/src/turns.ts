import { allSteps, type Steps } from "@purser/kubernetes/steps";
import type { Turns } from "@purser/kubernetes/system/turns";

export { Turns, turns, workPerTurn } from "@purser/kubernetes/system/turns";

/**
 * The work of one request: it goes over the same object in several steps, and each may have to wait for its turn. What
 * is small never waits.
 */
export class RequestWork {
  readonly #turns: Turns;
  #size = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** The request handles that many more characters of JSON text, of its body or of a stored object. */
  holds(size: number): void {
    this.#size += size;
  }

  /** Whether its steps may have to wait for their turns. */
  get isLarge(): boolean {
    return this.#size >= smallWork;
  }

  /** To be awaited before a step over all that the request handles; undefined when it may begin at once. */
  nextStep(): Promise<void> | undefined {
    return this.#size < smallWork ? undefined : this.#turns.before(this.#size);
  }

  /** Runs the steps, each in its turn; those over what is small at once, without a promise. */
  through<Value>(steps: Steps<Value>): Promise<Value> | Value {
    return this.#size < smallWork ? allSteps(steps) : this.#inTurns(steps);
  }

  async #inTurns<Value>(steps: Steps<Value>): Promise<Value> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      const wait = this.nextStep();
      if (wait !== undefined) await wait;
    }
  }
}

/** Less than that costs about as much as the wait for a turn. */
const smallWork = 16 * 1024;
