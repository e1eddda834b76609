import type { ContentState } from "../catalog/content-state.ts";
import type { CatalogProblem } from "../catalog/problem.ts";
import { buildIndex } from "../catalog-store/build.ts";
import { openIndex, type StoredIndex } from "../catalog-store/open.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { formatPlace } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { fingerprint } from "./fingerprint.ts";
import { KeptIndex } from "./kept-index.ts";

export interface CatalogFolderOptions {
  readonly name: string;
  /** Folder or file. */
  readonly path: string;
  /** Folder of the indexes and of what is remembered of catalogs. */
  readonly indexes: string;
  readonly clock: Clock;
  readonly builder?: string;
  /** Called with the state before and the index that it serves, whenever the state changed. */
  readonly onChange: () => void;
}

/** Writers get this long to finish a change before it is read. */
const settleMs = 400;
const longestSettleMs = 2000;
/** Indexes of former contents stay open for those who are still reading them. */
const generationsKept = 2;

/** One catalog on disk: notices changes, builds its index, keeps the last good one when a change is broken. */
export class CatalogFolder {
  readonly #options: CatalogFolderOptions;
  /** A restart finds the index of an unchanged catalog without reading the catalog. */
  readonly #memory: KeptIndex;
  #state: ContentState;
  #seen: string | undefined;
  /** Newest first. */
  #open: StoredIndex[] = [];
  #busy = false;

  constructor(options: CatalogFolderOptions) {
    this.#options = options;
    this.#memory = new KeptIndex(options.indexes, options.path);
    this.#state = { kind: "pulling", since: options.clock.now() };
  }

  get state(): ContentState {
    return this.#state;
  }

  /** Every index that may still be asked for. */
  get indexes(): readonly StoredIndex[] {
    return this.#open;
  }

  /** Reads the catalog when it changed since it was last read. Rejects only when the signal aborts. */
  async refresh(signal: AbortSignal): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      const found = await fingerprint(this.#options.path);
      if (found === this.#seen) return;
      await this.#read(this.#seen === undefined ? found : await this.#settled(found, signal), signal);
    } finally {
      this.#busy = false;
    }
  }

  close(): void {
    for (const index of this.#open) index.close();
    this.#open = [];
  }

  /** Waits until nothing changes any more, within bounds. */
  async #settled(first: string, signal: AbortSignal): Promise<string> {
    let last = first;
    for (let waited = 0; waited < longestSettleMs; waited += settleMs) {
      await this.#options.clock.sleep(settleMs, signal);
      const next = await fingerprint(this.#options.path);
      if (next === last) break;
      last = next;
    }
    return last;
  }

  async #read(print: string, signal: AbortSignal): Promise<void> {
    const remembered = this.#memory.recall(print);
    const opened = remembered === undefined ? await this.#build(signal) : done(remembered);
    this.#seen = print;
    if (opened.ok) {
      // Changed again while it was read: what was built may mix two contents; the next look reads it anew.
      if (remembered === undefined && (await fingerprint(this.#options.path)) !== print) {
        if (this.#open.length > 0) {
          opened.value.close();
          this.#seen = "";
          return;
        }
        this.#seen = "";
      } else if (remembered === undefined) this.#memory.remember(print, opened.value.digest);
      this.#serve(opened.value);
    } else this.#fail(opened.problem);
  }

  async #build(signal: AbortSignal): Promise<Result<StoredIndex, readonly CatalogProblem[]>> {
    const { path, indexes, builder } = this.#options;
    const unusable = (file: string, message: string): Result<never, readonly CatalogProblem[]> =>
      failed([{ rule: "unreadable", message, place: { file } }]);
    try {
      const built = await buildIndex({
        folder: path,
        into: indexes,
        signal,
        ...(builder === undefined ? {} : { builder }),
      });
      if (!built.ok) return built;
      const opened = openIndex(built.value.file);
      return opened.ok ? opened : unusable(opened.problem.file, opened.problem.message);
    } catch (error) {
      // A full disk or a builder that cannot be started must not take the other catalogs down.
      signal.throwIfAborted();
      return unusable(indexes, error instanceof Error ? error.message : String(error));
    }
  }

  #serve(index: StoredIndex): void {
    const [current] = this.#open;
    if (current?.digest === index.digest) index.close();
    else this.#open.unshift(index);
    for (const old of this.#open.splice(generationsKept)) old.close();
    this.#become({ kind: "present", digest: index.digest });
  }

  #fail(problems: readonly CatalogProblem[]): void {
    const [first] = problems;
    const place = first?.place === undefined ? "" : `${formatPlace(first.place)}: `;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    const lastGood = this.#open[0]?.digest;
    this.#become({
      kind: "failed",
      cause: `catalog ${this.#options.name} cannot be used: ${place}${first?.message ?? "unknown problem"}${more}`,
      remedy: `Fix ${first?.place?.file ?? this.#options.path}; it is read again within 5 seconds of a change.`,
      ...(lastGood === undefined ? {} : { lastGood }),
    });
  }

  #become(state: ContentState): void {
    const changed = JSON.stringify(state) !== JSON.stringify(this.#state);
    this.#state = state;
    if (changed) this.#options.onChange();
  }
}
