import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
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

/** What a file holds after decompression, counted against the limits. Rejects with an `UnpackError`. */
export class InflatedFile implements ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #stream: Readable;
  readonly #onBytes: (bytes: number) => void;
  #chunk: Buffer = Buffer.alloc(0);

  private constructor(stream: Readable, onBytes: (bytes: number) => void) {
    this.#stream = stream;
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.#onBytes = onBytes;
  }

  /**
   * @param compression decides by the first bytes of the file
   * @param budget bytes that all files together may still inflate to; is counted down
   */
  static async open(
    path: string,
    compression: (start: Uint8Array) => Compression,
    limits: UnpackLimits,
    budget: { bytes: number },
  ): Promise<InflatedFile> {
    const file = await open(path, "r");
    let size: number;
    let start: Buffer;
    try {
      ({ size } = await file.stat());
      const read = await file.read(Buffer.alloc(4), 0, 4, 0);
      start = read.buffer.subarray(0, read.bytesRead);
    } finally {
      await file.close();
    }
    let inflated = 0;
    return new InflatedFile(
      inflate(createReadStream(path, { highWaterMark: chunkBytes }), compression(start)),
      (bytes) => {
        inflated += bytes;
        budget.bytes -= bytes;
        if (budget.bytes < 0)
          throw new UnpackError(
            "limit",
            `the image is larger than ${sizeText(limits.inflatedBytes)} when decompressed`,
          );
        if (inflated > limits.ratioFreeBytes && inflated > size * limits.ratio)
          throw new UnpackError("limit", `a layer is more than ${limits.ratio} times larger when decompressed`);
      },
    );
  }

  async some(length: number): Promise<Buffer> {
    while (this.#chunk.length === 0) {
      const chunk = await this.#next();
      if (chunk === undefined) return this.#chunk;
      this.#onBytes(chunk.length);
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

function inflate(stream: Readable, compression: Compression): Readable {
  if (compression === "none") return stream;
  if (compression === "zstd")
    return Readable.from(zstdFrames(stream, chunkBytes), { objectMode: true, highWaterMark: 1 });
  // The error of either ends the iteration of the last one.
  return pipeline(stream, createGunzip({ chunkSize: chunkBytes }), () => undefined);
}

/** Whether a file is compressed, by its first bytes. */
export async function compressionOfFile(path: string): Promise<Compression> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return magicOf(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
