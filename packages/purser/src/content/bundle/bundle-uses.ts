/** What was requested so long before the last request of the same object is of no use to it any more. */
const keptMs = 60 * 60 * 1000;

/**
 * Which bundles are in use. An object holds what it asked for during the hour before its last request, however long ago
 * that is: at rest it asks for nothing. What nobody holds is in use for an hour after it was asked for.
 */
export class BundleUses {
  /** Times of the last requests, in milliseconds, by identity of the bundle. */
  readonly #asked = new Map<string, number>();
  readonly #ofHolder = new Map<string, Map<string, number>>();

  asked(id: string, holder: string | undefined, now: number): void {
    this.#asked.set(id, now);
    if (holder === undefined) return;
    const held = this.#ofHolder.get(holder) ?? new Map<string, number>();
    this.#ofHolder.set(holder, held.set(id, now));
  }

  /** The object does not exist any more. */
  release(holder: string): void {
    this.#ofHolder.delete(holder);
  }

  /** The identities that are not in use any more, each once. */
  givenUp(now: number): readonly string[] {
    const held = new Set([...this.#ofHolder.values()].flatMap(stillHeld));
    const ids = [...this.#asked].filter(([id, at]) => now - at >= keptMs && !held.has(id)).map(([id]) => id);
    for (const id of ids) this.#asked.delete(id);
    return ids;
  }
}

/** Forgets what the object does not hold any more. */
function stillHeld(times: Map<string, number>): readonly string[] {
  const last = Math.max(...times.values());
  for (const [id, at] of times) if (last - at >= keptMs) times.delete(id);
  return [...times.keys()];
}
