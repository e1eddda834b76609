import type { KubeObject } from "@purser/kubernetes/apis/object";
import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Storage, StoredVersion } from "../storage/storage.ts";
import { StoredIndex } from "../storage/stored-index.ts";

/** Definition of an index over all objects of a kind, for queries that are too frequent to scan the kind. */
export interface Lookup<Type extends KubeObject> {
  readonly type: ResourceType<Type>;
  /** The index values of an object. */
  readonly valuesOf: (object: Type) => readonly string[];
}

/**
 * Cached parts of objects that are read repeatedly while most of them are unchanged. An excerpt is kept as long as its
 * object version exists; whole objects are evicted when idle and parsed again.
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

/** The indexes of all lookups, shared by all controllers; each is built on first use. */
export class Lookups {
  readonly #storage: Storage;
  readonly #indexes = new Map<unknown, StoredIndex>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Objects with any of the values, in key order; may contain false positives that the caller has to filter out. */
  find<Type extends KubeObject>(lookup: Lookup<Type>, values: readonly string[]): readonly Type[] {
    return this.#indexOf(lookup).find(values) as readonly Type[];
  }

  /** As {@link find}, without parsing the objects. */
  versions<Type extends KubeObject>(lookup: Lookup<Type>, values: readonly string[]): readonly StoredVersion[] {
    return this.#indexOf(lookup).versions(values);
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

/** Creates one lookup per kind and caches it. */
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
