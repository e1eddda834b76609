import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Digest } from "@purser/kubernetes/digest";
import { done } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { allowHeapGrowth } from "@purser/kubernetes/system/idle-memory";
import { turns } from "@purser/kubernetes/system/turns";
import { parseJson } from "@purser/kubernetes/text/documents";
import { isWithin } from "./bundle-directory.ts";
import type { BundleAnswer, BundleQuestion, BundleTask, FoundBundle, Readings } from "./bundle-question.ts";
import { fingerprint } from "../fingerprint.ts";
import { KeptReadings } from "./kept-readings.ts";

export interface ParsedBundlesOptions {
  /** Entrance of the reading thread; by default it lies beside this module, as source or bundled. */
  readonly reader?: URL;
  /** Directory in which results are kept for the next start of the process; absent: they are not kept. */
  readonly cacheDir?: string;
  /** Identifies the code of the reading thread, whose results other code does not use; by default that of the build. */
  readonly code?: string;
  /** Heap of the reading thread. */
  readonly memoryLimitMiB?: number;
  /** Bytes of a bundle that is read without the thread, if that does not run; 0: none. */
  readonly smallBytes?: number;
  /** Limit, in characters of JSON, of the parsed bundles that stay cached; the one read last always stays. */
  readonly keptCharacters?: number;
}

/** Read in a few milliseconds, while the thread needs 80 to start. */
const defaultSmallBytes = 64 * 1024;
/** Enough for about a dozen bundles. */
const defaultKeptCharacters = 32 * 2 ** 20;
/** Calls of {@link ParsedBundles.rest} without a request after which a bundle is still kept: a slow pass may span several. */
const keptRests = 5;

interface Waiting {
  readonly done: (text: string) => void;
  readonly failed: (error: Error) => void;
}

interface Kept {
  readonly read: Promise<unknown>;
  characters: number;
  /** Calls of {@link ParsedBundles.rest} since the last request. */
  rests: number;
}

/**
 * Bundle directories, read, hashed and parsed by a thread of their own: the many small steps of reading files would each
 * wait for a turn of a busy event loop. Each bundle is parsed once, also by later processes with the same cache
 * directory; the thread is started when a bundle is not known and lives as long as there is something to read. A small
 * bundle is read here instead of starting it.
 */
export class ParsedBundles {
  readonly #options: ParsedBundlesOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #onDisk: () => KeptReadings | undefined;
  #worker: Worker | undefined;
  #next = 0;
  #endLoad: (() => void) | undefined;

  constructor(options: ParsedBundlesOptions = {}) {
    this.#options = options;
    let onDisk: { readonly readings: KeptReadings | undefined } | undefined;
    this.#onDisk = () => (onDisk ??= { readings: keptReadings(options) }).readings;
  }

  /** The content of `directory`; a directory that cannot be read is a problem with its remedy. */
  async find(directory: string): Promise<FoundBundle> {
    const onDisk = this.#onDisk();
    if (onDisk !== undefined) {
      const seen = await fingerprint(directory);
      const digest = onDisk.digestOf(directory, seen);
      if (digest !== undefined) return { fingerprint: seen, digest: done(digest) };
    }
    return parseJson(await this.#answer({ kind: "find", directory })) as unknown as FoundBundle;
  }

  /**
   * Rejects when the bundle of that digest is not known and `directory` does not hold it, or when reading needs more
   * memory than the thread has.
   */
  read<Reading extends keyof Readings>(
    reading: Reading,
    digest: Digest,
    directory: string,
  ): Promise<Readings[Reading]> {
    const key = `${reading} ${digest}`;
    const known = this.#kept.get(key);
    if (known !== undefined) {
      known.rests = 0;
      return known.read as Promise<Readings[Reading]>;
    }
    // Who asks for a bundle installs it, and its objects are copied many times on their way.
    this.#endLoad ??= allowHeapGrowth();
    const question = { kind: "read", reading, digest, directory } as const;
    const read = this.#read(key, question) as Promise<Readings[Reading]>;
    this.#kept.set(key, { read, characters: 0, rests: 0 });
    return read;
  }

  /** Ends the idle thread, and drops bundles that were not requested during the last few calls. */
  rest(): void {
    for (const [key, kept] of this.#kept) {
      kept.rests++;
      if (kept.characters > 0 && kept.rests > keptRests) this.#kept.delete(key);
    }
    if (this.#waiting.size === 0) this.stop();
    if (this.#kept.size > 0) return;
    this.#endLoad?.();
    this.#endLoad = undefined;
  }

  stop(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #read(key: string, question: Extract<BundleQuestion, { readonly kind: "read" }>): Promise<unknown> {
    try {
      let text = await this.#recall(question);
      if (text === undefined) {
        text = await this.#answer(question);
        // Many may arrive in one turn.
        await turns.before(text.length);
      }
      const result = parseJson(text);
      this.#bound(key, text.length);
      return result;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }

  async #recall({ reading, digest }: Extract<BundleQuestion, { readonly kind: "read" }>): Promise<string | undefined> {
    const size = this.#onDisk()?.sizeOf(reading, digest) ?? 0;
    if (size === 0) return undefined;
    await turns.before(size);
    return this.#onDisk()?.reading(reading, digest);
  }

  #bound(key: string, characters: number): void {
    const own = this.#kept.get(key);
    if (own !== undefined) own.characters = characters;
    const { keptCharacters = defaultKeptCharacters } = this.#options;
    let total = [...this.#kept.values()].reduce((sum, kept) => sum + kept.characters, 0);
    for (const [other, kept] of this.#kept) {
      if (total <= keptCharacters) return;
      // The bundle just read stays, however large: the next passes request it again.
      if (kept.characters === 0 || kept === own) continue;
      total -= kept.characters;
      this.#kept.delete(other);
    }
  }

  async #answer(question: BundleQuestion): Promise<string> {
    const { smallBytes = defaultSmallBytes } = this.#options;
    if (this.#worker === undefined && (await isWithin(question.directory, smallBytes)))
      return this.#answerHere(question);
    return this.#ask(question);
  }

  async #answerHere(question: BundleQuestion): Promise<string> {
    const { answerQuestion, keepAnswer } = await import("./answer-question.ts");
    const onDisk = this.#onDisk();
    const text = await answerQuestion(question, onDisk);
    setImmediate(() => keepAnswer(question, text, onDisk));
    return text;
  }

  #ask(question: BundleQuestion): Promise<string> {
    const worker = (this.#worker ??= this.#start());
    const id = this.#next++;
    return new Promise((done, refuse) => {
      this.#waiting.set(id, { done, failed: refuse });
      worker.ref();
      worker.postMessage({ id, question } satisfies BundleTask);
    });
  }

  #start(): Worker {
    const { reader = defaultReader(), memoryLimitMiB = 512 } = this.#options;
    const worker = new Worker(reader, {
      workerData: this.#onDisk()?.options,
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMiB, maxYoungGenerationSizeMb: 16 },
    });
    worker.on("message", (answer: BundleAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      if ("text" in answer) waiting?.done(answer.text);
      else waiting?.failed(new Error(answer.failure));
      this.#waiting.delete(answer.id);
      if (this.#waiting.size === 0) worker.unref();
    });
    let cause = "the thread that reads bundles stopped";
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

function keptReadings({
  reader = defaultReader(),
  cacheDir,
  code = codeOf(reader),
}: ParsedBundlesOptions): KeptReadings | undefined {
  if (cacheDir === undefined || code === undefined) return undefined;
  return new KeptReadings({ directory: join(cacheDir, "bundles"), code }, systemClock);
}

/**
 * Names, sizes and times of the built files; undefined for sources, which lie in many directories and change while one
 * works on them.
 */
function codeOf(reader: URL): string | undefined {
  if (reader.protocol !== "file:" || !reader.pathname.endsWith(".js")) return undefined;
  const directory = dirname(fileURLToPath(reader));
  try {
    const lines = readdirSync(directory).map((name) => {
      const { ino, size, mtimeMs, ctimeMs } = statSync(join(directory, name));
      return `${name} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    });
    return lines.toSorted().join("\n");
  } catch {
    return undefined;
  }
}
