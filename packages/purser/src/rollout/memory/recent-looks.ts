import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Clock } from "@purser/kubernetes/clock";

/** How long a look counts as recent. What changes meanwhile is seen by the pass after it, so it bounds the time of a repair. */
export const recentMs = 3_000;

/** Looks that are kept, of all roll-outs. */
const most = 5_000;

/** What is kept of an object that was as its revision wants it, and ready. */
export interface ReadyMember {
  readonly type: ResourceType;
  readonly rotateAt?: number;
}

/**
 * Which objects the passes of a roll-out found ready moments ago: each change of an object makes a pass, which would read again
 * all that came before it. Counts only until the revision has rolled out; who skips a read has to look again after `recentMs`.
 */
export class RecentLooks {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #seen = new Map<string, { readonly at: number; readonly ready: ReadyMember }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Of an object of a revision (by its uid); undefined when it was not ready, or that is too long ago. */
  of(revision: string, object: KubeObject): ReadyMember | undefined {
    const found = this.#seen.get(keyOf(revision, object));
    return found !== undefined && this.#clock.monotonic() - found.at < recentMs ? found.ready : undefined;
  }

  note(revision: string, object: KubeObject, ready: ReadyMember): void {
    const at = this.#clock.monotonic();
    const key = keyOf(revision, object);
    this.#seen.delete(key);
    this.#seen.set(key, { at, ready });
    for (const [oldest, { at: then }] of this.#seen) {
      if (this.#seen.size <= most && at - then < recentMs) break;
      this.#seen.delete(oldest);
    }
  }
}

const keyOf = (revision: string, { apiVersion, kind, metadata }: KubeObject): string =>
  `${revision} ${apiVersion} ${kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
