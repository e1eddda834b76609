import { keyOf, type KubeObject, type ObjectKey } from "../apis/object.ts";

/** The index values of an object; none when it is not in the index. */
export type IndexFunction<Type extends KubeObject = KubeObject> = (object: Type) => readonly string[];

/** In-memory objects of one type, by namespace and name and by named indexes. */
export class ObjectStore {
  readonly #namespaces = new Map<string, Map<string, KubeObject>>();
  readonly #indexes = new Map<string, { readonly of: IndexFunction; readonly entries: Map<string, Set<KubeObject>> }>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.#namespaces.get(key.namespace ?? "")?.get(key.name);
  }

  /** Stores `object` and returns the one it replaces. */
  put(object: KubeObject): KubeObject | undefined {
    const before = this.remove(keyOf(object));
    const { namespace = "", name = "" } = object.metadata;
    let held = this.#namespaces.get(namespace);
    if (held === undefined) this.#namespaces.set(namespace, (held = new Map()));
    held.set(name, object);
    this.#size++;
    for (const index of this.#indexes.values()) addTo(index, object);
    return before;
  }

  remove(key: ObjectKey): KubeObject | undefined {
    const namespace = key.namespace ?? "";
    const held = this.#namespaces.get(namespace);
    const before = held?.get(key.name);
    if (held === undefined || before === undefined) return undefined;
    held.delete(key.name);
    if (held.size === 0) this.#namespaces.delete(namespace);
    this.#size--;
    for (const index of this.#indexes.values()) removeFrom(index, before);
    return before;
  }

  /** In the API server's order: by namespace, then name. */
  list(namespace?: string, keeps: (object: KubeObject) => boolean = () => true): readonly KubeObject[] {
    return sorted(namespace === undefined ? this.all() : (this.#namespaces.get(namespace)?.values() ?? []), keeps);
  }

  /** How many objects `list` returns, without reading them. */
  sizeIn(namespace?: string): number {
    return namespace === undefined ? this.#size : (this.#namespaces.get(namespace)?.size ?? 0);
  }

  *all(): Generator<KubeObject, void, undefined> {
    for (const held of this.#namespaces.values()) yield* held.values();
  }

  /** A name must always stand for the same function: adding it again has no effect. */
  addIndex(name: string, of: IndexFunction): void {
    if (this.#indexes.has(name)) return;
    const index = { of, entries: new Map<string, Set<KubeObject>>() };
    this.#indexes.set(name, index);
    for (const object of this.all()) addTo(index, object);
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  /** How many objects `byIndex` returns, without reading them. */
  indexSize(name: string, value: string): number {
    return this.#indexes.get(name)?.entries.get(value)?.size ?? 0;
  }

  byIndex(name: string, value: string, keeps: (object: KubeObject) => boolean = () => true): readonly KubeObject[] {
    return sorted(this.#indexes.get(name)?.entries.get(value) ?? [], keeps);
  }
}

/** What is not kept is not sorted: many objects of other namespaces may have the same label. */
function sorted(objects: Iterable<KubeObject>, keeps: (object: KubeObject) => boolean): readonly KubeObject[] {
  const found: KubeObject[] = [];
  for (const object of objects) if (keeps(object)) found.push(object);
  return found.length < 2 ? found : found.toSorted(byKey);
}

interface Index {
  readonly of: IndexFunction;
  readonly entries: Map<string, Set<KubeObject>>;
}

function addTo({ of, entries }: Index, object: KubeObject): void {
  for (const value of of(object)) {
    const held = entries.get(value);
    if (held === undefined) entries.set(value, new Set([object]));
    else held.add(object);
  }
}

function removeFrom({ of, entries }: Index, object: KubeObject): void {
  for (const value of of(object)) {
    const held = entries.get(value);
    held?.delete(object);
    if (held?.size === 0) entries.delete(value);
  }
}

/** Compares code units instead of using a locale, so that the order is the same everywhere. */
function byKey({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const { namespace: left = "", name: first = "" } = a;
  const { namespace: right = "", name: second = "" } = b;
  if (left === right) return first < second ? -1 : first > second ? 1 : 0;
  // Compares with the slash, which sorts after the dash that many namespaces contain.
  return `${left}/` < `${right}/` ? -1 : 1;
}
