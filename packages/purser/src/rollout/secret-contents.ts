import type { Secret } from "@purser/kubernetes/apis/core";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";

/** Characters of Secret data whose objects are kept, beyond that the ones that nobody asked for longest are read again. */
const capacity = 8 * 2 ** 20;

type Objects = Map<string, Result<JsonObject, string>>;

/**
 * The objects that immutable Secrets hold, by key, for the passes of a rollout: reading, hashing and comparing megabytes
 * once is enough. A Secret that was made again under its name is another one.
 */
export class SecretContents {
  readonly #kept = new Map<string, { readonly name: string; readonly size: number; readonly objects: Objects }>();
  #size = 0;

  /** What has been read of this Secret; the caller adds what it reads. Empty at first, and for a Secret of no server. */
  of({ metadata, data = {} }: Secret): Objects {
    const { uid, resourceVersion, namespace = "", name = "" } = metadata;
    if (uid === undefined || resourceVersion === undefined) return new Map();
    const state = `${uid} ${resourceVersion}`;
    const known = this.#kept.get(state);
    this.#drop(state);
    const entry = known ?? {
      name: `${namespace}/${name}`,
      size: Object.values(data).reduce((sum, text) => sum + text.length, 0),
      objects: new Map(),
    };
    this.#kept.set(state, entry);
    this.#size += entry.size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= capacity) break;
      this.#drop(oldest);
    }
    return entry.objects;
  }

  /** Drops what was read of the Secrets with these names, as `namespace/name`: their rollout has come to its end. */
  forget(names: ReadonlySet<string>): void {
    for (const [state, { name }] of this.#kept) if (names.has(name)) this.#drop(state);
  }

  #drop(state: string): void {
    this.#size -= this.#kept.get(state)?.size ?? 0;
    this.#kept.delete(state);
  }
}
