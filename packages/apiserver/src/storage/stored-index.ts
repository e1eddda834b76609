import type { KubeObject } from "@purser/kubernetes/apis/object";
import { formatKey, keyOf } from "@purser/kubernetes/apis/object";
import { invariant } from "@purser/kubernetes/invariant";
import type { Storage, StorageKey, StoredVersion, TableName } from "./storage.ts";

/**
 * Finds the objects of a table by something else than their key. It follows the table from the first question on,
 * so a change is found once it is durable; what it finds is what is stored at that moment.
 */
export class StoredIndex {
  readonly #storage: Storage;
  readonly #table: TableName;
  readonly #valuesOf: (object: KubeObject) => readonly string[];
  #keys: Map<string, Set<StorageKey>> | undefined;

  constructor(storage: Storage, table: TableName, valuesOf: (object: KubeObject) => readonly string[]) {
    this.#storage = storage;
    this.#table = table;
    this.#valuesOf = valuesOf;
  }

  /**
   * Objects under any of the values, each once and in key order. One whose change is not durable yet may be among
   * them without having the value any more: callers check the objects.
   */
  find(values: readonly string[]): readonly KubeObject[] {
    return this.versions(values).map(({ object }) => object);
  }

  /** As {@link find}, without reading the objects. */
  versions(values: readonly string[]): readonly StoredVersion[] {
    this.#keys ??= this.#followed();
    const keys = new Set<StorageKey>();
    for (const value of values) for (const key of this.#keys.get(value) ?? []) keys.add(key);
    return [...keys].sort(byCodeUnits).flatMap((key) => this.#storage.version(this.#table, key) ?? []);
  }

  #followed(): Map<string, Set<StorageKey>> {
    const keys = new Map<string, Set<StorageKey>>();
    const add = (object: KubeObject, key: StorageKey): void => {
      for (const value of this.#valuesOf(object)) {
        const held = keys.get(value);
        if (held === undefined) keys.set(value, new Set([key]));
        else held.add(key);
      }
    };
    const feed = this.#storage.feed(this.#table, this.#storage.published(), ({ key, before, after }) => {
      for (const value of before === undefined ? [] : this.#valuesOf(before)) {
        const held = keys.get(value);
        held?.delete(key);
        if (held?.size === 0) keys.delete(value);
      }
      if (after !== undefined) add(after, key);
    });
    invariant(feed.ok, "what is durable now is not compacted");
    const present = this.#storage.list(this.#table);
    for (const object of present.ok ? present.value : []) add(object, formatKey(keyOf(object)));
    return keys;
  }
}

/** As tables are ordered. */
function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
