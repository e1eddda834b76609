import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";

/** Requests that a connection may have sent ahead before the server stops reading from it. */
const aheadLimit = 100;

/**
 * One request of a connection at a time, in their order, as Go's servers do: however many a client sends ahead, those
 * of other clients take turns with them.
 */
export class Pipelined {
  readonly #latest = new WeakMap<Duplex, Promise<void>>();
  readonly #waiting = new WeakMap<Duplex, number>();

  /** Begins at once when nothing before it is unanswered; never when the connection closes earlier. */
  serve(socket: Duplex, begin: () => Promise<void>): Promise<void> {
    const before = this.#latest.get(socket);
    const served = before === undefined ? begin() : this.#inOrder(socket, before, begin);
    const ended = served.finally(() => {
      if (this.#latest.get(socket) === ended) this.#latest.delete(socket);
    });
    this.#latest.set(socket, ended);
    return ended;
  }

  async #inOrder(socket: Duplex, before: Promise<void>, begin: () => Promise<void>): Promise<void> {
    const count = (this.#waiting.get(socket) ?? 0) + 1;
    this.#waiting.set(socket, count);
    if (count === aheadLimit) socket.pause();
    await before;
    const left = (this.#waiting.get(socket) ?? 1) - 1;
    this.#waiting.set(socket, left);
    if (left === aheadLimit - 1) readOn(socket);
    // Small responses are handed to the kernel at once: without a pause, one connection's backlog would be one turn.
    await setImmediate();
    if (!socket.destroyed) await begin();
  }
}

/** Node itself pauses a connection that does not take its response, and goes on when it does. */
function readOn(socket: Duplex): void {
  if (socket.writableNeedDrain) socket.once("drain", () => socket.resume());
  else socket.resume();
}
