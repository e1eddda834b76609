import { setImmediate } from "node:timers";
import type { Steps } from "../steps.ts";

/**
 * Work that one turn of the event loop takes on, in characters of JSON text: about 10 ms. Whoever waits for an answer
 * meanwhile waits for one turn, however much others ask for.
 */
export const workPerTurn = 128 * 1024;

interface Waiting {
  readonly work: number;
  readonly begin: () => void;
}

/**
 * Shares the event loop out among requests and controllers. Each piece of work whose size a client decides is
 * announced before it is done: it begins at once while there is room in this turn, or in a later one, in the order of
 * the announcements. A piece that is larger than a whole turn gets one to itself.
 */
export class Turns {
  #done = 0;
  #isScheduled = false;
  #waiting: Waiting[] = [];

  /** Undefined when the work, in characters of JSON text, may begin now; otherwise resolves in its turn. */
  before(work: number): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#hasRoom(work)) {
      this.#take(work);
      return undefined;
    }
    return new Promise((begin) => this.#waiting.push({ work, begin }));
  }

  /** Counts work that has been done already, so that this turn ends earlier. */
  add(work: number): void {
    this.#take(work);
  }

  /** Runs the steps, each after the first in its turn. @param work of one step, in characters of JSON text */
  async through<Value>(steps: Steps<Value>, work = workPerTurn): Promise<Value> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await this.before(work);
    }
  }

  #hasRoom(work: number): boolean {
    return this.#done === 0 || this.#done + work <= workPerTurn;
  }

  #take(work: number): void {
    this.#done += work;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#done = 0;
    this.#isScheduled = false;
    let begun = 0;
    for (const { work, begin } of this.#waiting) {
      if (!this.#hasRoom(work)) break;
      this.#take(work);
      begun++;
      begin();
    }
    this.#waiting = this.#waiting.slice(begun);
  }
}

/** A process has one event loop. */
export const turns = new Turns();
