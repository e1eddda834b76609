import type { KubeObject } from "../../apis/object.ts";
import type { StorageKey } from "./storage.ts";

/** Objects of one kind in key order: a hash for lookups, a sorted array of keys for ranges. */
export class Table {
  readonly #objects: Map<StorageKey, KubeObject>;
  #keys: StorageKey[];

  constructor(source?: Table) {
    this.#objects = new Map(source === undefined ? [] : source.#objects);
    this.#keys = source === undefined ? [] : [...source.#keys];
  }

  get size(): number {
    return this.#keys.length;
  }

  get(key: StorageKey): KubeObject | undefined {
    return this.#objects.get(key);
  }

  put(key: StorageKey, object: KubeObject): void {
    if (!this.#objects.has(key)) this.#keys.splice(this.#firstFrom(key), 0, key);
    this.#objects.set(key, object);
  }

  remove(key: StorageKey): void {
    if (this.#objects.delete(key)) this.#keys.splice(this.#firstFrom(key), 1);
  }

  /** Objects of one namespace (or all), whose keys sort after `after`. */
  list(namespace: string | undefined, after: StorageKey | undefined): readonly KubeObject[] {
    const prefix = namespace === undefined ? "" : `${namespace}/`;
    let at = this.#firstFrom(prefix);
    if (after !== undefined) at = Math.max(at, this.#firstAfter(after));
    const found: KubeObject[] = [];
    for (; at < this.#keys.length; at++) {
      const key = this.#keys[at] ?? "";
      if (!key.startsWith(prefix)) break;
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  entries(): Iterable<[StorageKey, KubeObject]> {
    return this.#objects.entries();
  }

  /** Index of the first key that does not sort before `key`. */
  #firstFrom(key: StorageKey): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #firstAfter(key: StorageKey): number {
    const at = this.#firstFrom(key);
    return this.#keys[at] === key ? at + 1 : at;
  }
}
