import { apiVersionOf, type GroupVersionKind } from "../apis/resource-type.ts";

/** How long a miss counts: APIs that are part of the API server itself come without an event, when it is upgraded. */
const keptMs = 60_000;
/** So long after a change of a group the API server may not serve yet what it has accepted. */
const unsettledMs = 10_000;
/** Whoever may write CSVs decides how many kinds are asked for. */
const mostKept = 1_000;

/** Kinds that were not served when they were looked up, until their group changes. */
export class KeptMisses {
  readonly #missed = new Map<string, number>();
  readonly #changed = new Map<string, number>();

  has(gvk: GroupVersionKind, now: number): boolean {
    const at = this.#missed.get(nameOf(gvk));
    return at !== undefined && now - at < keptMs;
  }

  note(gvk: GroupVersionKind, now: number): void {
    const changed = this.#changed.get(gvk.group);
    if (changed !== undefined && now - changed < unsettledMs) return;
    if (this.#missed.size >= mostKept) this.#missed.clear();
    this.#missed.set(nameOf(gvk), now);
  }

  /** @param group of which a definition or APIService changed; undefined: any may have */
  changed(group: string | undefined, now: number): void {
    if (group === undefined) {
      this.#missed.clear();
      return;
    }
    for (const name of this.#missed.keys()) if (name.startsWith(`${group}/`)) this.#missed.delete(name);
    if (this.#changed.size >= mostKept) this.#changed.clear();
    this.#changed.set(group, now);
  }
}

const nameOf = (gvk: GroupVersionKind): string => `${apiVersionOf(gvk)} ${gvk.kind}`;
