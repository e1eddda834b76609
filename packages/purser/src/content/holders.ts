/** Which objects hold which content, so that content is given up when the last of its objects is deleted or asks for other content. */
export class Holders {
  /** Identity of the content by holder. */
  readonly #held = new Map<string, string>();
  /** When the last holder of the identity went, or when it was asked for last since then; milliseconds. */
  readonly #unheldSince = new Map<string, number>();

  hold(holder: string, id: string, now: number): void {
    const before = this.#held.get(holder);
    this.#held.set(holder, id);
    this.#unheldSince.delete(id);
    if (before !== undefined && before !== id) this.#gaveUp(before, now);
  }

  release(holder: string, now: number): void {
    const before = this.#held.get(holder);
    this.#held.delete(holder);
    if (before !== undefined) this.#gaveUp(before, now);
  }

  /** Somebody without an object asked: content that is given up stays for a while longer. */
  asked(id: string, now: number): void {
    if (this.#unheldSince.has(id)) this.#unheldSince.set(id, now);
  }

  /** The identities that had no holder for this long, each once. */
  givenUp(now: number, afterMs: number): readonly string[] {
    const ids = [...this.#unheldSince].filter(([, since]) => now - since >= afterMs).map(([id]) => id);
    for (const id of ids) this.#unheldSince.delete(id);
    return ids;
  }

  #gaveUp(id: string, now: number): void {
    if (![...this.#held.values()].includes(id)) this.#unheldSince.set(id, now);
  }
}
