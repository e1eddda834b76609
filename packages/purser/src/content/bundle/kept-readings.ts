import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@purser/kubernetes/clock";
import { type Digest, isDigest } from "@purser/kubernetes/digest";

/** Raise it when the files here are written differently; files of another format are not read. */
const formatVersion = 1;
/** Bytes of all files together; a third of it is the largest that is kept. */
const defaultLargestBytes = 192 * 2 ** 20;
/** Files of a process that was killed while it wrote. */
const abandonedAfterMs = 60 * 60 * 1000;
const scratchPrefix = ".writing-";

export interface KeptReadingsOptions {
  /** Directory of the files, in an existing one; created with the first file. May be deleted at any time. */
  readonly directory: string;
  /** Identifies the code that reads bundles: what other code has read is read again. */
  readonly code: string;
  /** Limit of all files together. */
  readonly largestBytes?: number;
}

/**
 * Results of reading bundles, kept on disk from one start of the process to the next: the digest of a bundle directory
 * by its fingerprint, and each reading by its digest. A file that is damaged, of another format or of other code counts
 * as missing. Several processes may share the directory: files are replaced as a whole. A file that cannot be written
 * is no failure, as it only saves time.
 */
export class KeptReadings {
  readonly options: KeptReadingsOptions;
  readonly #clock: Clock;

  /** @param clock of the machine, whose time the system writes as that of new files */
  constructor(options: KeptReadingsOptions, clock: Clock) {
    this.options = options;
    this.#clock = clock;
  }

  /** The digest of the bundle in `directory` while its fingerprint is this one; undefined when it is not known. */
  digestOf(directory: string, fingerprint: string): Digest | undefined {
    const digest = this.#read(placeName(directory, fingerprint));
    return digest !== undefined && isDigest(digest) ? digest : undefined;
  }

  keepDigest(directory: string, fingerprint: string, digest: Digest): void {
    this.#write(placeName(directory, fingerprint), digest);
  }

  /** The result of a reading as JSON text; undefined when it is not kept. */
  reading(reading: string, digest: Digest): string | undefined {
    return this.#read(readingName(reading, digest));
  }

  /** Bytes of a kept reading; 0 when there is none. */
  sizeOf(reading: string, digest: Digest): number {
    return statSync(join(this.options.directory, readingName(reading, digest)), { throwIfNoEntry: false })?.size ?? 0;
  }

  keepReading(reading: string, digest: Digest, text: string): void {
    this.#write(readingName(reading, digest), text);
  }

  #read(name: string): string | undefined {
    const path = join(this.options.directory, name);
    try {
      const bytes = readFileSync(path);
      const end = bytes.indexOf("\n");
      const body = bytes.subarray(end + 1);
      if (end < 0 || bytes.toString("utf8", 0, end) !== this.#header(body)) return undefined;
      const now = this.#clock.now() / 1000;
      utimesSync(path, now, now);
      return body.toString("utf8");
    } catch {
      return undefined;
    }
  }

  #write(name: string, text: string): void {
    const { directory, largestBytes = defaultLargestBytes } = this.options;
    const body = Buffer.from(text);
    if (body.length > largestBytes / 3) return;
    const scratch = join(directory, `${scratchPrefix}${randomUUID()}`);
    try {
      this.#makeDirectory();
      try {
        writeFileSync(scratch, Buffer.concat([Buffer.from(`${this.#header(body)}\n`), body]), { mode: 0o600 });
        renameSync(scratch, join(directory, name));
      } finally {
        rmSync(scratch, { force: true });
      }
      this.#bound(largestBytes);
    } catch {
      // The next start reads the bundle again.
    }
  }

  /** Only its owner may list it: bundles may come from private registries. */
  #makeDirectory(): void {
    try {
      mkdirSync(this.options.directory, { mode: 0o700 });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }

  /** Deletes the files that were not used for longest until the rest is within the limit. */
  #bound(largestBytes: number): void {
    const { directory } = this.options;
    const found = readdirSync(directory).flatMap((name) => {
      const path = join(directory, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ name, path, bytes: stats.size, usedAt: stats.mtimeMs }];
    });
    const scratches = found.filter(({ name }) => name.startsWith(scratchPrefix));
    for (const { path, usedAt } of scratches)
      if (this.#clock.now() - usedAt > abandonedAfterMs) rmSync(path, { force: true });
    const files = found.filter(({ name }) => !name.startsWith(scratchPrefix));
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of files.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (total <= largestBytes) return;
      rmSync(path, { force: true });
      total -= bytes;
    }
  }

  #header(body: Buffer): string {
    return `purser-bundle ${formatVersion} ${hashOf(this.options.code)} ${hashOf(body)}`;
  }
}

const placeName = (directory: string, fingerprint: string): string => `${hashOf(`${directory}\0${fingerprint}`)}.place`;

const readingName = (reading: string, digest: Digest): string => `${digest.slice("sha256:".length)}.${reading}`;

function hashOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
