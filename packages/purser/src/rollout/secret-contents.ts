import type { Secret } from "@purser/kubernetes/apis/core";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";

/** Characters of Secret data whose objects are cached; above that the least recently used Secrets are evicted. */
const capacity = 8 * 2 ** 20;

type Objects = Map<string, Result<JsonObject, string>>;

/**
 * Caches the objects in immutable Secrets, by key, over the passes of a rollout, so that megabytes are parsed, hashed and
 * compared once. A Secret that was created again under the same name has an entry of its own.
 */
export class SecretContents {
  readonly #kept = new Map<string, { readonly name: string; readonly size: number; readonly objects: Objects }>();
  #size = 0;

  /** The objects read from this Secret so far, to which the caller adds. Not cached for a Secret without uid or resourceVersion. */
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

  /** Evicts the Secrets with these names (`namespace/name`), when their rollout has ended. */
  forget(names: ReadonlySet<string>): void {
    for (const [state, { name }] of this.#kept) if (names.has(name)) this.#drop(state);
  }

  #drop(state: string): void {
    this.#size -= this.#kept.get(state)?.size ?? 0;
    this.#kept.delete(state);
  }
}
