import { groupResource, type ResourceType } from "../../apis/resource-type.ts";
import type { InformerLease } from "../informer-cache.ts";

type Lease = Pick<InformerLease, "release" | "refused">;

interface HeldWatch {
  readonly lease: Lease;
  readonly keys: Set<string>;
  /** Why the type may not be followed, once the server has refused it. */
  refusal?: string;
}

const nameOf = (type: ResourceType): string => `${groupResource(type)}/${type.version}`;

/** The watches that plans request: each type is watched once, while at least one key requests it. */
export class WakingWatches {
  readonly #start: (type: ResourceType) => Lease;
  readonly #refused: (key: string, text: string) => void;
  readonly #held = new Map<string, HeldWatch>();

  /** @param refused called once for each key and type that may not be listed or watched, with the server's text */
  constructor(start: (type: ResourceType) => Lease, refused: (key: string, text: string) => void) {
    this.#start = start;
    this.#refused = refused;
  }

  /** From now on objects of exactly these types requeue `key`. */
  hold(key: string, types: readonly ResourceType[]): void {
    const wanted = new Map(types.map((type) => [nameOf(type), type]));
    for (const [name, { keys, lease }] of this.#held) {
      if (wanted.has(name) || !keys.delete(key) || keys.size > 0) continue;
      this.#held.delete(name);
      lease.release();
    }
    for (const [name, type] of wanted) {
      const held = this.#held.get(name) ?? this.#begin(name, type);
      if (held.keys.has(key)) continue;
      held.keys.add(key);
      if (held.refusal !== undefined) this.#refused(key, held.refusal);
    }
  }

  #begin(name: string, type: ResourceType): HeldWatch {
    const held: HeldWatch = { lease: this.#start(type), keys: new Set() };
    this.#held.set(name, held);
    void held.lease.refused().then((text) => {
      if (text === undefined) return;
      held.refusal = text;
      for (const key of held.keys) this.#refused(key, text);
    });
    return held;
  }

  release(): void {
    for (const { lease } of this.#held.values()) lease.release();
    this.#held.clear();
  }
}
