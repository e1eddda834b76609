import { join } from "node:path";
import type { ContentKey, ContentState } from "../catalog/content-state.ts";
import { collectIndexes } from "../catalog-store/collect.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { Digest } from "@purser/kubernetes/digest";
import { bundlePath, isDirectory } from "./bundle-folder.ts";
import { CatalogFolder } from "./catalog-folder.ts";
import { Changes } from "./changes.ts";
import type { ContentStore } from "./content-store.ts";
import { fingerprint } from "./fingerprint.ts";
import { ParsedBundles, type Readings } from "./parsed-bundles.ts";

/** A catalog given on the command line: a folder or file, under the name that its objects carry. */
export interface RegisteredCatalog {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}

export interface FolderContentOptions {
  readonly catalogs: readonly RegisteredCatalog[];
  /** Folders of bundle directories, `<package>/<version>/{manifests,metadata}`; the first that has one wins. */
  readonly bundleFolders: readonly string[];
  /** Indexes are kept below it; it may vanish between runs. */
  readonly cacheDir: string;
  readonly clock: Clock;
  /** Entrance of the index builder when it does not lie beside the catalog store. */
  readonly builder?: string;
}

export interface FolderContent extends ContentStore {
  /** The opened index of a catalog's present or last good content; of former contents for a while. */
  index(digest: Digest): StoredIndex | undefined;
  stop(): Promise<void>;
}

/** Names under which folders stand in for images: nothing is ever pulled from there. */
export const localCatalogs = "local.purser.dev/catalogs";
/** A change shows after at most this long plus the time to settle and to build, within the promised 5 seconds. */
const pollMs = 2000;

/** The reference that a registered catalog is known by. */
export function localCatalogReference(name: string): string {
  return `${localCatalogs}/${name}:latest`;
}

/** Where the indexes of catalogs lie below a cache folder. */
export function indexFolder(cacheDir: string): string {
  return join(cacheDir, "indexes");
}

/** Content that lies in folders on this machine. Starts reading the catalogs at once; stop it to end. */
export function createContentStore(options: FolderContentOptions): FolderContent {
  return new FolderStore(options);
}

/** How often the indexes in use are marked and unused ones looked for, beside every change of what is in use. */
const collectEveryMs = 60 * 60 * 1000;

interface WatchedBundle {
  readonly key: ContentKey & { readonly kind: "bundle" };
  state: ContentState;
  /** What the state was read from; undefined until it was read. */
  seen: string | undefined;
  isRefreshing: boolean;
}

class FolderStore implements FolderContent {
  readonly #options: FolderContentOptions;
  readonly #changes = new Changes();
  #collected = { key: "", at: 0 };
  readonly #catalogs = new Map<string, CatalogFolder>();
  readonly #bundles = new Map<string, WatchedBundle>();
  readonly #directories = new Map<Digest, string>();
  readonly #parsed = new ParsedBundles();
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: FolderContentOptions) {
    this.#options = options;
    const { clock, builder } = options;
    for (const { name, path } of options.catalogs) {
      const catalog = new CatalogFolder({
        name,
        path,
        indexes: this.#indexes(),
        clock,
        ...(builder === undefined ? {} : { builder }),
        onChange: () => this.#changes.announce({ kind: "catalog", reference: localCatalogReference(name) }),
      });
      this.#catalogs.set(name, catalog);
    }
    this.#run(this.#watch());
  }

  need(key: ContentKey): ContentState {
    if (key.kind === "catalog") return this.#catalogState(key.reference);
    const id = JSON.stringify([key.packageName, key.version]);
    const known = this.#bundles.get(id);
    if (known !== undefined) return known.state;
    const bundle: WatchedBundle = {
      key,
      state: { kind: "pulling", since: this.#options.clock.now() },
      seen: undefined,
      isRefreshing: false,
    };
    this.#bundles.set(id, bundle);
    this.#run(this.#refreshBundle(bundle));
    return bundle.state;
  }

  changes(signal: AbortSignal): AsyncIterable<ContentKey> {
    return this.#changes.listen(AbortSignal.any([signal, this.#stopping.signal]));
  }

  async read<Reading extends keyof Readings>(reading: Reading, digest: Digest): Promise<Readings[Reading]> {
    const directory = this.#directories.get(digest);
    if (directory === undefined) throw new Error(`no bundle with digest ${digest} was found in any bundle folder`);
    return this.#parsed.read(reading, digest, directory);
  }

  index(digest: Digest): StoredIndex | undefined {
    for (const catalog of this.#catalogs.values()) {
      const found = catalog.indexes.find((index) => index.digest === digest);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the content store was stopped"));
    this.#parsed.stop();
    await Promise.allSettled(this.#running);
    for (const catalog of this.#catalogs.values()) catalog.close();
  }

  #indexes(): string {
    return indexFolder(this.#options.cacheDir);
  }

  #run(work: Promise<void>): void {
    const guarded = work
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) throw error;
      })
      .finally(() => this.#running.delete(guarded));
    this.#running.add(guarded);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await Promise.all([...this.#catalogs.values()].map((catalog) => catalog.refresh(signal)));
      await Promise.all([...this.#bundles.values()].map((bundle) => this.#refreshBundle(bundle)));
      this.#parsed.rest();
      // Only now is no index being built that nobody holds yet.
      this.#collect();
      await this.#options.clock.sleep(pollMs, signal);
    }
  }

  #catalogState(reference: string): ContentState {
    const match = /^local\.purser\.dev\/catalogs\/([^/:@]+)(?::latest)?(?:@(sha256:[0-9a-f]{64}))?$/.exec(reference);
    if (match === null)
      return {
        kind: "failed",
        cause: `the image ${reference} cannot be pulled: this version reads catalogs from folders only`,
        remedy: "Register the catalog with --catalog NAME=PATH.",
      };
    const [, name = "", digest] = match;
    const catalog = this.#catalogs.get(name);
    if (catalog === undefined)
      return {
        kind: "failed",
        cause: `no catalog named ${name} is registered with this process`,
        remedy: `Start it with --catalog ${name}=PATH.`,
      };
    const held = catalog.indexes.find((index) => index.digest === digest);
    return held === undefined ? catalog.state : { kind: "present", digest: held.digest };
  }

  #collect(): void {
    const held = [...this.#catalogs.values()].flatMap((catalog) => catalog.indexes.map((index) => index.digest));
    const now = this.#options.clock.now();
    const key = held.join();
    if (held.length === 0 || (key === this.#collected.key && now - this.#collected.at < collectEveryMs)) return;
    this.#collected = { key, at: now };
    collectIndexes(this.#indexes(), new Set(held), now);
  }

  async #refreshBundle(bundle: WatchedBundle): Promise<void> {
    if (bundle.isRefreshing) return;
    bundle.isRefreshing = true;
    try {
      await this.#lookAtBundle(bundle);
    } finally {
      bundle.isRefreshing = false;
    }
  }

  async #lookAtBundle(bundle: WatchedBundle): Promise<void> {
    const directories = await this.#candidates(bundle.key.packageName, bundle.key.version);
    const [directory] = directories;
    if (bundle.seen !== undefined && bundle.seen === (await this.#print(directory))) return;
    const state = directory === undefined ? this.#notFound(bundle.key) : await this.#readBundle(bundle, directory);
    if (directory === undefined) bundle.seen = "";
    const changed = JSON.stringify(state) !== JSON.stringify(bundle.state);
    bundle.state = state;
    if (changed) this.#changes.announce(bundle.key);
  }

  async #candidates(packageName: string, version: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const folder of this.#options.bundleFolders) {
      const path = bundlePath(folder, packageName, version);
      if (path !== undefined && (await isDirectory(path))) found.push(path);
    }
    return found;
  }

  #notFound({ packageName, version, reference }: WatchedBundle["key"]): ContentState {
    const folders = this.#options.bundleFolders;
    const [first = "DIR"] = folders;
    const looked = folders.length === 0 ? "no bundle folder is given" : `it is not in ${folders.join(", ")}`;
    const path = `${first}/${packageName}/${version}`;
    return {
      kind: "failed",
      cause: `bundle ${packageName} ${version} (${reference}) cannot be pulled: this version reads bundles from folders only, and ${looked}`,
      remedy:
        folders.length === 0
          ? `Unpack the bundle image into ${path}/ and start with --bundles ${first}.`
          : `Unpack the bundle image into ${path}/ (manifests/ and metadata/); it is found within 5 seconds.`,
    };
  }

  /** Empty for no directory. */
  async #print(directory: string | undefined): Promise<string> {
    return directory === undefined ? "" : `${directory}\n${await fingerprint(directory)}`;
  }

  async #readBundle(bundle: WatchedBundle, directory: string): Promise<ContentState> {
    try {
      const found = await this.#parsed.find(directory);
      bundle.seen = `${directory}\n${found.fingerprint}`;
      if (!found.digest.ok) return { kind: "failed", ...found.digest.problem };
      this.#directories.set(found.digest.value, directory);
      return { kind: "present", digest: found.digest.value };
    } catch (error) {
      const cause = `bundle directory ${directory} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      return {
        kind: "failed",
        cause,
        remedy: `Make ${directory} smaller or readable; it is looked at again within 5 seconds.`,
      };
    }
  }
}
