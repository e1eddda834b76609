import type { KubeObject } from "../../apis/object.ts";
import { groupResource, type ResourceType } from "../../apis/resource-type.ts";
import type { Storage } from "../storage/storage.ts";
import { StoredIndex } from "../storage/stored-index.ts";

/** A question about all objects of a kind that is asked too often to look at all of them each time. */
export interface Lookup<Type extends KubeObject> {
  readonly type: ResourceType<Type>;
  /** Under what an object is found. */
  readonly valuesOf: (object: Type) => readonly string[];
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
    let index = this.#indexes.get(lookup);
    if (index === undefined) {
      index = new StoredIndex(this.#storage, groupResource(lookup.type), (object) => lookup.valuesOf(object as Type));
      this.#indexes.set(lookup, index);
    }
    return index.find(...values) as readonly Type[];
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
