import { Worker } from "node:worker_threads";
import type { BundleFiles } from "../bundle/bundle-files.ts";
import type { BundleProblem, RegistryBundle } from "../bundle/registry-bundle.ts";
import type { UnpackedBundle, UnpackProblem } from "../bundle/unpack-bundle.ts";
import type { Digest } from "../digest.ts";
import type { Result } from "../result.ts";
import { parseJson } from "../text/documents.ts";

/** What a bundle is read as: as OLM v0 unpacks it, or as OLM v1 reads it. */
export interface Readings {
  readonly unpacked: Result<UnpackedBundle, UnpackProblem>;
  readonly registry: Result<RegistryBundle, readonly BundleProblem[]>;
}

export interface BundleTask {
  readonly id: number;
  readonly reading: keyof Readings;
  readonly files: BundleFiles;
}

export interface ReadBundleText {
  readonly id: number;
  /** Of the result; a text is handed to another thread faster than the objects are. */
  readonly text: string;
}

export interface ParsedBundlesOptions {
  /** Entrance of the reading thread; by default it lies beside this module, as source or bundled. */
  readonly reader?: URL;
  /** Heap of the reading thread. */
  readonly memoryLimitMiB?: number;
}

/** So many characters of JSON are kept as trees; others are read again. */
const keptCharacters = 8 * 2 ** 20;

interface Waiting {
  readonly done: (text: string) => void;
  readonly failed: (error: Error) => void;
}

interface Kept {
  readonly read: Promise<unknown>;
  characters: number;
  /** Asked for since the last {@link ParsedBundles.rest}. */
  used: boolean;
}

/** Bundles as objects, each read once by a thread of its own, which lives as long as there is something to read. */
export class ParsedBundles {
  readonly #options: ParsedBundlesOptions;
  readonly #open: (digest: Digest) => Promise<BundleFiles>;
  readonly #kept = new Map<string, Kept>();
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #next = 0;

  /** @param open the files of a bundle */
  constructor(open: (digest: Digest) => Promise<BundleFiles>, options: ParsedBundlesOptions = {}) {
    this.#open = open;
    this.#options = options;
  }

  /** Rejects when the files cannot be had or need more memory than the thread has. */
  read<Reading extends keyof Readings>(reading: Reading, digest: Digest): Promise<Readings[Reading]> {
    const key = `${reading} ${digest}`;
    const known = this.#kept.get(key);
    if (known !== undefined) {
      known.used = true;
      return known.read as Promise<Readings[Reading]>;
    }
    const read = this.#read(key, reading, digest) as Promise<Readings[Reading]>;
    this.#kept.set(key, { read, characters: 0, used: true });
    return read;
  }

  /** Ends the thread when it has nothing to do, and forgets what nobody asked for since the last call. */
  rest(): void {
    for (const [key, kept] of this.#kept) {
      if (kept.characters > 0 && !kept.used) this.#kept.delete(key);
      kept.used = false;
    }
    if (this.#waiting.size === 0) this.stop();
  }

  stop(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #read(key: string, reading: keyof Readings, digest: Digest): Promise<unknown> {
    try {
      const text = await this.#textOf(reading, await this.#open(digest));
      const result = parseJson(text);
      this.#bound(key, text.length);
      return result;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }

  #bound(key: string, characters: number): void {
    const own = this.#kept.get(key);
    if (own !== undefined) own.characters = characters;
    let total = [...this.#kept.values()].reduce((sum, kept) => sum + kept.characters, 0);
    for (const [other, kept] of this.#kept) {
      if (total <= keptCharacters) return;
      if (kept.characters === 0) continue;
      total -= kept.characters;
      this.#kept.delete(other);
    }
  }

  #textOf(reading: keyof Readings, files: BundleFiles): Promise<string> {
    const worker = (this.#worker ??= this.#start());
    const id = this.#next++;
    return new Promise((done, refuse) => {
      this.#waiting.set(id, { done, failed: refuse });
      worker.ref();
      worker.postMessage({ id, reading, files } satisfies BundleTask);
    });
  }

  #start(): Worker {
    const { reader = defaultReader(), memoryLimitMiB = 512 } = this.#options;
    const worker = new Worker(reader, {
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMiB, maxYoungGenerationSizeMb: 16 },
    });
    worker.on("message", ({ id, text }: ReadBundleText) => {
      this.#waiting.get(id)?.done(text);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
    });
    let cause = "the thread that reads bundles ended";
    worker.on("error", (error) => {
      const isFull = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
      cause = isFull ? `the bundle needs more than ${memoryLimitMiB} MiB to be read` : error.message;
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      else if (this.#worker !== undefined) return;
      for (const { failed } of this.#waiting.values()) failed(new Error(cause));
      this.#waiting.clear();
    });
    return worker;
  }
}

function defaultReader(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./bundle-reader.${extension}`, import.meta.url);
}
