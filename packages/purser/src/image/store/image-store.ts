import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, statSync, utimesSync } from "node:fs";
import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "@purser/kubernetes/clock";
import type { Digest } from "@purser/kubernetes/digest";
import type { PulledImage, WantedContent } from "../pulled-image.ts";
import { readRecord, recordName } from "./image-record.ts";
import { removeTree } from "./remove-tree.ts";

export interface ImageStoreOptions {
  /** Made when absent; several processes may use the same one at once. */
  readonly directory: string;
  readonly clock: Clock;
  /** Bytes of all unpacked images together. */
  readonly mostBytes: number;
}

/** What is unpacked in a scratch directory and may become an image of the store. */
export interface StoredImage {
  readonly digest: Digest;
  readonly kind: "catalog" | "bundle";
  /** Of all its files. */
  readonly bytes: number;
}

const unusedAfterMs = 60 * 60 * 1000;
/** Use is noted at most this often for each image, so that reading writes little. */
const noteEveryMs = 60 * 1000;
/** Another process may store something else of no use between two tries. */
const mostTries = 3;
const entryForm = /^([0-9a-f]{64})\.(catalog|bundle)$/;

/**
 * Unpacked images by digest, one directory each, read-only from the moment it has its name. An image is complete or not
 * there: it is unpacked in a scratch directory beside and renamed when all of it is on disk, so a process may be killed at
 * any time. Two processes that store the same image at once are both right: the first one's stays. The time of a record
 * tells when a process used the image last.
 */
export class ImageStore {
  readonly #options: ImageStoreOptions;
  readonly #noted = new Map<string, number>();
  /** Scratch directories that this process works in, by name. */
  readonly #working = new Set<string>();
  #isSwept = false;
  #inUse: ReadonlySet<string> = new Set();
  /** Bytes of images by name, which stay what they are. */
  #sizes: ReadonlyMap<string, number> = new Map();

  constructor(options: ImageStoreOptions) {
    this.#options = options;
  }

  /** The stored image, noted as used now; undefined when it is not there or cannot be read. */
  held(digest: Digest, wanted: WantedContent): PulledImage | undefined {
    for (const kind of wanted === "any" ? (["catalog", "bundle"] as const) : [wanted]) {
      const directory = this.#entry(digest, kind);
      const record = readRecord(directory);
      // Not stored, or being removed: pulled again.
      if (record === undefined || !this.#note(directory)) continue;
      const root = join(directory, "root");
      return { digest, content: digest, labels: record.labels, root, directory: join(root, ...record.directory) };
    }
    return undefined;
  }

  /**
   * A new directory that only this process knows; give it to `commit` or `discard`. The first call
   * removes scratch directories that are an hour old. Rejects with the system's error.
   */
  async scratch(): Promise<string> {
    mkdirSync(this.#options.directory, { recursive: true, mode: 0o700 });
    // Commands never collect: what those that were killed left would stay.
    if (!this.#isSwept) {
      this.#isSwept = true;
      for (const name of this.#names()) if (!entryForm.test(name) && this.#isOld(name)) await this.#remove(name);
    }
    const path = mkdtempSync(join(this.#options.directory, ".scratch-"));
    this.#working.add(basename(path));
    return path;
  }

  /** The path of a file that does not exist yet, in the existing directory; to be removed by the caller. */
  scratchFile(): string {
    mkdirSync(this.#options.directory, { recursive: true, mode: 0o700 });
    return join(this.#options.directory, `.scratch-${randomBytes(6).toString("hex")}`);
  }

  /**
   * Makes the unpacked image part of the store. After a power failure it may have no name: then it is pulled again.
   * @param unpacked a directory of `scratch()` that holds `root` and the record and nothing else, all of it on disk
   * @returns what is stored now, also when another process was first; the number of bytes that do not fit when the store is full
   */
  async commit(unpacked: string, image: StoredImage): Promise<PulledImage | { readonly excess: number }> {
    const excess = this.#bytes() + image.bytes - this.#options.mostBytes;
    if (excess > 0 && (await this.#makeRoom(excess)) < excess) return { excess };
    const target = this.#entry(image.digest, image.kind);
    for (let tries = 1; ; tries++)
      try {
        renameSync(unpacked, target);
        this.#working.delete(basename(unpacked));
        break;
      } catch (error) {
        if (!isExisting(error) || tries === mostTries) throw error;
        if (this.held(image.digest, image.kind) !== undefined) break;
        // A damaged disk, or somebody, left something there that is no image.
        await this.#clear(target);
      }
    const stored = this.held(image.digest, image.kind);
    if (stored === undefined) throw new Error(`${target} cannot be read after it was written`);
    return stored;
  }

  /** Removes a scratch directory, unless it has become an image. */
  async discard(scratch: string): Promise<void> {
    if (!this.#working.has(basename(scratch))) return;
    await removeTree(scratch);
    this.#working.delete(basename(scratch));
  }

  /**
   * Removes images that `inUse` does not name and no process used for an hour, and scratch directories as old as that.
   * Images in use are noted, so that another process with the same directory keeps them. Returns the names removed.
   */
  async collect(inUse: ReadonlySet<Digest>): Promise<readonly string[]> {
    this.#inUse = new Set([...inUse].map((digest) => digest.slice("sha256:".length)));
    const removed: string[] = [];
    for (const name of this.#names()) {
      const hex = entryForm.exec(name)?.[1];
      if (hex !== undefined && this.#inUse.has(hex)) this.#note(join(this.#options.directory, name));
      else if (this.#isOld(name) && (await this.#remove(name))) removed.push(name);
    }
    return removed;
  }

  #entry(digest: Digest, kind: "catalog" | "bundle"): string {
    return join(this.#options.directory, `${digest.slice("sha256:".length)}.${kind}`);
  }

  async #clear(target: string): Promise<void> {
    const aside = this.scratchFile();
    await rename(target, aside);
    await removeTree(aside);
  }

  /** False when the image has been removed. */
  #note(directory: string): boolean {
    const now = this.#options.clock.now();
    if (now - (this.#noted.get(directory) ?? -Infinity) < noteEveryMs) return true;
    try {
      utimesSync(join(directory, recordName), now / 1000, now / 1000);
    } catch {
      return false;
    }
    this.#noted.set(directory, now);
    return true;
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#options.directory).sort();
    } catch {
      return [];
    }
  }

  /** Of all stored images. */
  #bytes(): number {
    const sizes = new Map<string, number>();
    for (const name of this.#names().filter((found) => entryForm.test(found)))
      sizes.set(name, this.#sizes.get(name) ?? readRecord(join(this.#options.directory, name))?.bytes ?? 0);
    this.#sizes = sizes;
    return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Removes what may be removed, the image used least recently first, until `bytes` are free; returns how many are. */
  async #makeRoom(bytes: number): Promise<number> {
    const images = this.#names()
      .filter((name) => entryForm.test(name) && !this.#inUse.has(name.slice(0, 64)) && this.#isOld(name))
      .map((name) => ({ name, lastUse: this.#lastUse(name), bytes: this.#sizes.get(name) ?? 0 }))
      .sort((a, b) => a.lastUse - b.lastUse);
    let freed = 0;
    for (const image of images) {
      if (freed >= bytes) break;
      if (await this.#remove(image.name)) freed += image.bytes;
    }
    return freed;
  }

  #isOld(name: string): boolean {
    const isOurs = entryForm.test(name) || (name.startsWith(".scratch-") && !this.#working.has(name));
    return isOurs && this.#options.clock.now() - this.#lastUse(name) > unusedAfterMs;
  }

  /** Epoch milliseconds; for a scratch directory that of the newest file in it. Something that is being removed was used just now. */
  #lastUse(name: string): number {
    const path = join(this.#options.directory, name);
    try {
      if (entryForm.test(name)) return statSync(join(path, recordName)).mtimeMs;
      return Math.max(statSync(path).mtimeMs, ...readdirSync(path).map((file) => statSync(join(path, file)).mtimeMs));
    } catch {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.mtimeMs ?? this.#options.clock.now();
    }
  }

  /** First the name is taken away, so that no reader finds half an image; false when another process was faster or uses it. */
  async #remove(name: string): Promise<boolean> {
    const { directory } = this.#options;
    const path = join(directory, name);
    const aside = this.scratchFile();
    try {
      const before = this.#lastUse(name);
      await rename(path, aside);
      this.#noted.delete(path);
      const record = statSync(join(aside, recordName), { throwIfNoEntry: false });
      if (record !== undefined && record.mtimeMs > before) {
        await rename(aside, path);
        return false;
      }
    } catch {
      return false;
    }
    await removeTree(aside);
    return true;
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(String(error.code));
}
