import type { StorageKey } from "./storage.ts";
import type { Version } from "./version.ts";

/** The present versions of one kind in key order: a hash for lookups, a sorted array of keys for ranges. */
export class Table {
  #versions: Map<StorageKey, Version>;
  #keys: StorageKey[];
  #length = 0;
  /** Another table has the same map and array. */
  #shared = false;

  constructor(source?: Table) {
    this.#versions = new Map(source === undefined ? [] : source.#versions);
    this.#keys = source === undefined ? [] : [...source.#keys];
    this.#length = source === undefined ? 0 : source.#length;
  }

  /** The same content for somebody else, at no cost: whoever changes it first takes a copy. */
  share(): Table {
    const other = new Table();
    other.#versions = this.#versions;
    other.#keys = this.#keys;
    other.#length = this.#length;
    this.#shared = true;
    other.#shared = true;
    return other;
  }

  #own(): void {
    if (!this.#shared) return;
    this.#versions = new Map(this.#versions);
    this.#keys = [...this.#keys];
    this.#shared = false;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** Of all texts together, in characters. */
  get length(): number {
    return this.#length;
  }

  get(key: StorageKey): Version | undefined {
    return this.#versions.get(key);
  }

  put(version: Version): void {
    this.#own();
    const { key } = version;
    const before = this.#versions.get(key);
    if (before === undefined) this.#keys.splice(this.#firstFrom(key), 0, key);
    this.#versions.set(key, version);
    this.#length += version.size - (before?.size ?? 0);
  }

  remove(key: StorageKey): void {
    const before = this.#versions.get(key);
    if (before === undefined) return;
    this.#own();
    this.#versions.delete(key);
    this.#keys.splice(this.#firstFrom(key), 1);
    this.#length -= before.size;
  }

  /** Those of one namespace (or all), whose keys sort after `after`. */
  list(namespace: string | undefined, after: StorageKey | undefined): readonly Version[] {
    const prefix = namespace === undefined ? "" : `${namespace}/`;
    let at = this.#firstFrom(prefix);
    if (after !== undefined) at = Math.max(at, this.#firstAfter(after));
    const found: Version[] = [];
    for (; at < this.#keys.length; at++) {
      const key = this.#keys[at] ?? "";
      if (!key.startsWith(prefix)) break;
      const version = this.#versions.get(key);
      if (version !== undefined) found.push(version);
    }
    return found;
  }

  versions(): Iterable<Version> {
    return this.#versions.values();
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
