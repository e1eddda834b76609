import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asKubeObject } from "@purser/kubernetes/apis/object";
import { InvariantError } from "@purser/kubernetes/invariant";
import { parseJson } from "@purser/kubernetes/text/json-document";
import type { HotTrees } from "./hot-trees.ts";
import type { StorageKey, StoredVersion } from "./storage.ts";

/** What the versions of one table have in common. */
export interface Shelf {
  readonly trees: HotTrees;
  /** The text that lies in the journal under this key; absent when texts stay in memory. */
  readonly read?: (key: StorageKey) => string | undefined;
  /** The same for the first `limit` keys of a range. */
  readonly readRange?: (first: StorageKey, last: StorageKey, limit: number) => ReadonlyMap<StorageKey, string>;
  /** A scan of the table may keep trees: it is small. */
  readonly small: boolean;
}

/** From this length on a tree that is still referenced is reused: parsing such a text takes longer than a turn may. */
const largeText = 64 * 1024;

/** So many rows are read faster together than one by one. */
const worthGathering = 4;

/** Of trees whose text is large: to write it once more takes longer than to look it up. */
const versionsOfTrees = new WeakMap<KubeObject, Version>();

/** The text of a large tree that is stored; undefined for all others. */
export function storedText(tree: object): string | undefined {
  return versionsOfTrees.get(tree as KubeObject)?.text;
}

/** JSON that is known to be a Kubernetes object; integers beyond a double keep their digits. */
export function readObject(text: string): KubeObject | undefined {
  return asKubeObject(parseJson(text));
}

/**
 * One immutable state of one object. What stays in memory is its key and its labels; the tree is parsed from the text on
 * first use and kept while it is in use. The text stays in memory too, unless the journal has it.
 */
export class Version implements StoredVersion {
  readonly key: StorageKey;
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Length of the text. */
  readonly size: number;
  /** When it was last used; of {@link HotTrees}. */
  round = 0;
  readonly #shelf: Shelf;
  #tree: KubeObject | undefined;
  /** The evicted tree of a large text, as long as other code references it. */
  #passed: WeakRef<KubeObject> | undefined;
  #text: string | undefined;
  /** The journal has exactly this text under this key. */
  #written = false;

  constructor(shelf: Shelf, key: StorageKey, revision: number, tree: KubeObject, text: string) {
    this.#shelf = shelf;
    this.key = key;
    this.revision = revision;
    this.labels = tree.metadata.labels;
    this.size = text.length;
    this.#text = text;
    this.#tree = tree;
    if (text.length >= largeText) versionsOfTrees.set(tree, this);
  }

  /** A state whose text already lies in the journal; nothing of it stays in memory. */
  static written(shelf: Shelf, key: StorageKey, tree: KubeObject, text: string): Version {
    const version = new Version(shelf, key, Number(tree.metadata.resourceVersion ?? "0"), tree, text);
    version.settle();
    version.cool();
    return version;
  }

  get object(): KubeObject {
    this.#shelf.trees.use(this);
    return (this.#tree ??= this.#parse());
  }

  /** The tree for one look: it is not kept when it was not there already and the table is large. */
  get passing(): KubeObject {
    return this.#shelf.small ? this.object : (this.#tree ?? this.#parse());
  }

  get text(): string {
    if (this.#text !== undefined) return this.#text;
    const text = this.#shelf.read?.(this.key);
    if (text === undefined) throw new InvariantError(`the journal lost ${this.key} of revision ${this.revision}`);
    return text;
  }

  /** Texts of these versions, given in key order, from one read of the journal; undefined when too few are missing in memory. */
  static gathered(versions: readonly Version[]): ReadonlyMap<StorageKey, string> | undefined {
    const absent = versions.filter((version) => version.#text === undefined);
    const [first, last] = [absent[0], absent.at(-1)];
    if (first === undefined || last === undefined || absent.length < worthGathering) return undefined;
    return first.#shelf.readRange?.(first.key, last.key, absent.length * 2);
  }

  /** The text, which may be among `gathered` ones. To be asked in the turn in which they were read. */
  textAmong(gathered: ReadonlyMap<StorageKey, string> | undefined): string {
    return this.#text ?? gathered?.get(this.key) ?? this.text;
  }

  /** Records that the journal has the text now. */
  settle(): void {
    if (this.#shelf.read === undefined) return;
    this.#written = true;
    if (this.#tree === undefined) this.#text = undefined;
  }

  /** Another state takes its place: its text must be here before the journal is overwritten. */
  supersede(): void {
    this.#text = this.text;
    this.#written = false;
  }

  /** Evicts the idle parsed tree, and the text when the journal has it. */
  cool(): void {
    if (this.#tree !== undefined) this.#remember(this.#tree);
    this.#tree = undefined;
    if (this.#written) this.#text = undefined;
  }

  #remember(tree: KubeObject): void {
    if (this.size >= largeText) this.#passed = new WeakRef(tree);
  }

  #parse(): KubeObject {
    const held = this.#passed?.deref();
    if (held !== undefined) return held;
    const tree = readObject(this.text);
    if (tree === undefined)
      throw new InvariantError(`${this.key} of revision ${this.revision} is no Kubernetes object`);
    this.#remember(tree);
    if (this.size >= largeText) versionsOfTrees.set(tree, this);
    return tree;
  }
}

/** The text of each; those of stored ones that lie side by side are read together. */
export function textsTogether(items: readonly Pick<StoredVersion, "text">[]): readonly string[] {
  const gathered = Version.gathered(items.filter((item) => item instanceof Version));
  return items.map((item) => (item instanceof Version ? item.textAmong(gathered) : item.text));
}
