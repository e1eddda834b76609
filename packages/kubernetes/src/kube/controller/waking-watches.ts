import { groupResource, type ResourceType } from "../../apis/resource-type.ts";
import type { InformerLease } from "../informer-cache.ts";

interface HeldWatch {
  readonly lease: Pick<InformerLease, "release">;
  readonly keys: Set<string>;
}

const nameOf = (type: ResourceType): string => `${groupResource(type)}/${type.version}`;

/** The watches that plans request: each type is watched once, while at least one key requests it. */
export class WakingWatches {
  readonly #start: (type: ResourceType) => Pick<InformerLease, "release">;
  readonly #held = new Map<string, HeldWatch>();

  constructor(start: (type: ResourceType) => Pick<InformerLease, "release">) {
    this.#start = start;
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
      const held = this.#held.get(name) ?? { lease: this.#start(type), keys: new Set() };
      held.keys.add(key);
      this.#held.set(name, held);
    }
  }

  release(): void {
    for (const { lease } of this.#held.values()) lease.release();
    this.#held.clear();
  }
}
