import type { StorageKey } from "./storage.ts";
import type { Version } from "./version.ts";

/** The present versions of one kind: a hash for lookups, an array in key order for ranges. */
export class Table {
  #versions: Map<StorageKey, Version>;
  #sorted: Version[];
  #length = 0;
  /** Another table has the same map and array. */
  #shared = false;

  constructor(source?: Table) {
    this.#versions = new Map(source === undefined ? [] : source.#versions);
    this.#sorted = source === undefined ? [] : [...source.#sorted];
    this.#length = source === undefined ? 0 : source.#length;
  }

  /** A second table with the same content, without copying: the first one to change copies. */
  share(): Table {
    const other = new Table();
    other.#versions = this.#versions;
    other.#sorted = this.#sorted;
    other.#length = this.#length;
    this.#shared = true;
    other.#shared = true;
    return other;
  }

  #own(): void {
    if (!this.#shared) return;
    this.#versions = new Map(this.#versions);
    this.#sorted = [...this.#sorted];
    this.#shared = false;
  }

  get size(): number {
    return this.#sorted.length;
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
    const at = this.#firstFrom(key);
    if (before === undefined) this.#sorted.splice(at, 0, version);
    else this.#sorted[at] = version;
    this.#versions.set(key, version);
    this.#length += version.size - (before?.size ?? 0);
  }

  remove(key: StorageKey): void {
    const before = this.#versions.get(key);
    if (before === undefined) return;
    this.#own();
    this.#versions.delete(key);
    this.#sorted.splice(this.#firstFrom(key), 1);
    this.#length -= before.size;
  }

  /** Those of one namespace (or all), whose keys sort after `after`. */
  list(namespace: string | undefined, after: StorageKey | undefined): readonly Version[] {
    // A slash ends the namespace, and a zero is the character after it.
    const from = namespace === undefined ? 0 : this.#firstFrom(`${namespace}/`);
    const to = namespace === undefined ? this.#sorted.length : this.#firstFrom(`${namespace}0`);
    return this.#sorted.slice(after === undefined ? from : Math.max(from, this.#firstAfter(after)), to);
  }

  versions(): Iterable<Version> {
    return this.#versions.values();
  }

  /** Index of the first key that does not sort before `key`. */
  #firstFrom(key: StorageKey): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle]?.key ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #firstAfter(key: StorageKey): number {
    const at = this.#firstFrom(key);
    return this.#sorted[at]?.key === key ? at + 1 : at;
  }
}
