import type { KubeObject } from "@purser/kubernetes/apis/object";
import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Storage, StoredVersion } from "../storage/storage.ts";
import { StoredIndex } from "../storage/stored-index.ts";

/** A question about all objects of a kind that is asked too often to look at all of them each time. */
export interface Lookup<Type extends KubeObject> {
  readonly type: ResourceType<Type>;
  /** Under what an object is found. */
  readonly valuesOf: (object: Type) => readonly string[];
}

/**
 * A part of each object that somebody looks at again and again, though most of them have not changed. It is kept as
 * long as the object stays as it is, while whole objects are read anew once they have not been used for a while.
 */
export class Excerpts<Type extends KubeObject> {
  readonly #partOf: (object: Type) => Type;
  readonly #kept = new WeakMap<StoredVersion, Type>();

  constructor(partOf: (object: Type) => Type) {
    this.#partOf = partOf;
  }

  of(version: StoredVersion): Type {
    const kept = this.#kept.get(version);
    if (kept !== undefined) return kept;
    const part = this.#partOf(version.passing as Type);
    this.#kept.set(version, part);
    return part;
  }
}

/** The answers to lookups, shared by all controllers; each costs memory from the first question on. */
export class Lookups {
  readonly #storage: Storage;
  readonly #indexes = new Map<unknown, StoredIndex>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Objects under any of the values, in key order; the caller checks what must hold for certain. */
  find<Type extends KubeObject>(lookup: Lookup<Type>, values: readonly string[]): readonly Type[] {
    return this.#indexOf(lookup).find(...values) as readonly Type[];
  }

  /** As {@link find}, without reading the objects. */
  versions<Type extends KubeObject>(lookup: Lookup<Type>, values: readonly string[]): readonly StoredVersion[] {
    return this.#indexOf(lookup).versions(...values);
  }

  #indexOf<Type extends KubeObject>(lookup: Lookup<Type>): StoredIndex {
    let index = this.#indexes.get(lookup);
    if (index === undefined) {
      index = new StoredIndex(this.#storage, groupResource(lookup.type), (object) => lookup.valuesOf(object as Type));
      this.#indexes.set(lookup, index);
    }
    return index;
  }
}

/** The same lookup for each kind, made once. */
export function lookupOfEach(
  valuesOf: (object: KubeObject) => readonly string[],
): (type: ResourceType) => Lookup<KubeObject> {
  const made = new Map<string, Lookup<KubeObject>>();
  return (type) => {
    const table = groupResource(type);
    const lookup = made.get(table) ?? { type, valuesOf };
    made.set(table, lookup);
    return lookup;
  };
}
