import type { Hash } from "node:crypto";
import { closeSync, createReadStream, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip, gunzipSync } from "node:zlib";
import { type Compression, magicOf } from "./compression.ts";
import { sizeText, UnpackError, type UnpackLimits } from "./unpack-limits.ts";
import { zstdFrames } from "./zstd-frames.ts";

/** Bytes one after the other. */
export interface ByteReader {
  /** Exactly `length` bytes; fewer at the end of the bytes only. */
  read(length: number): Promise<Buffer>;
  /** The next bytes as they come, at most `length`; empty at the end. */
  some(length: number): Promise<Buffer>;
  /** False when the bytes end before. */
  skip(length: number): Promise<boolean>;
  close(): void;
}

const chunkBytes = 64 * 1024;
/** So many bytes are read at once, and inflated at once to at most that many: a stream takes longer. */
const atOnce = { bytes: 256 * 1024, inflatedBytes: 4 * 2 ** 20 };

/** What a file or given bytes hold after decompression, counted against the limits. Rejects with an `UnpackError`. */
export class InflatedContent implements ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #stream: Readable;
  readonly #onChunk: (chunk: Buffer) => void;
  #chunk: Buffer = Buffer.alloc(0);

  private constructor(stream: Readable, onChunk: (chunk: Buffer) => void) {
    this.#stream = stream;
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.#onChunk = onChunk;
  }

  /**
   * @param stored a path, or the bytes themselves
   * @param compression decides by the first of the stored bytes
   * @param budget bytes that all contents together may still inflate to; is counted down
   * @param hash is updated with what was decompressed; complete after `skipRest`
   */
  static open(
    stored: string | Buffer,
    compression: (start: Uint8Array) => Compression,
    limits: UnpackLimits,
    budget: { bytes: number },
    hash?: Hash,
  ): InflatedContent {
    const { size, start } = beginningOf(stored);
    const decided = compression(start);
    const whole = size > atOnce.bytes ? undefined : inflateAtOnce(bytesOf(stored), decided);
    const stream = whole === undefined ? inflate(streamOf(stored), decided) : Readable.from([whole]);
    let inflated = 0;
    return new InflatedContent(stream, (chunk) => {
      inflated += chunk.length;
      budget.bytes -= chunk.length;
      if (budget.bytes < 0)
        throw new UnpackError("limit", `the image is larger than ${sizeText(limits.inflatedBytes)} when decompressed`);
      if (inflated > limits.ratioFreeBytes && inflated > size * limits.ratio)
        throw new UnpackError("limit", `a layer is more than ${limits.ratio} times larger when decompressed`);
      hash?.update(chunk);
    });
  }

  async some(length: number): Promise<Buffer> {
    while (this.#chunk.length === 0) {
      const chunk = await this.#next();
      if (chunk === undefined) return this.#chunk;
      this.#onChunk(chunk);
      this.#chunk = chunk;
    }
    const part = this.#chunk.subarray(0, length);
    this.#chunk = this.#chunk.subarray(part.length);
    return part;
  }

  async read(length: number): Promise<Buffer> {
    const first = await this.some(length);
    if (first.length === length || first.length === 0) return first;
    const parts = [first];
    let missing = length - first.length;
    while (missing > 0) {
      const part = await this.some(missing);
      if (part.length === 0) break;
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  async skip(length: number): Promise<boolean> {
    for (let left = length; left > 0;) {
      const part = await this.some(left);
      if (part.length === 0) return false;
      left -= part.length;
    }
    return true;
  }

  /** Reads to the end. */
  async skipRest(): Promise<void> {
    while ((await this.some(chunkBytes)).length > 0);
  }

  close(): void {
    this.#stream.destroy();
  }

  async #next(): Promise<Buffer | undefined> {
    try {
      const { value, done } = await this.#chunks.next();
      return done === true ? undefined : value;
    } catch (error) {
      if (error instanceof Error && "code" in error && /^(Z_|ZSTD_)/.test(String(error.code)))
        throw new UnpackError("invalid", `a layer cannot be decompressed: ${error.message}`);
      throw error;
    }
  }
}

/** Undefined for what only the stream can judge: frames of zstd, broken bytes, and more of them than are inflated at once. */
function inflateAtOnce(bytes: Buffer, compression: Compression): Buffer | undefined {
  if (compression === "none") return bytes;
  if (compression === "zstd") return undefined;
  try {
    return gunzipSync(bytes, { maxOutputLength: atOnce.inflatedBytes });
  } catch {
    return undefined;
  }
}

function inflate(stream: Readable, compression: Compression): Readable {
  if (compression === "none") return stream;
  if (compression === "zstd")
    return Readable.from(zstdFrames(stream, chunkBytes), { objectMode: true, highWaterMark: 1 });
  // The error of either ends the iteration of the last one.
  return pipeline(stream, createGunzip({ chunkSize: chunkBytes }), () => undefined);
}

/** Whether a file is compressed, by its first bytes. */
export function compressionOfFile(path: string): Compression {
  return magicOf(beginningOf(path).start);
}

const bytesOf = (stored: string | Buffer): Buffer => (typeof stored === "string" ? readFileSync(stored) : stored);

const streamOf = (stored: string | Buffer): Readable =>
  typeof stored === "string" ? createReadStream(stored, { highWaterMark: chunkBytes }) : Readable.from([stored]);

function beginningOf(stored: string | Buffer): { readonly size: number; readonly start: Buffer } {
  if (typeof stored !== "string") return { size: stored.length, start: stored.subarray(0, 4) };
  const file = openSync(stored, "r");
  try {
    const start = Buffer.alloc(4);
    return { size: fstatSync(file).size, start: start.subarray(0, readSync(file, start, 0, start.length, 0)) };
  } finally {
    closeSync(file);
  }
}
