import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";

const bufferLength = 1024 * 1024;

/**
 * Byte strings on disk in the order given, so that nothing large is held whole in memory. Bytes that are read are valid until
 * the next read: a new buffer each time would stay until the collector looks for it, 50 MB of them at once.
 */
export class Spool implements Iterable<Uint8Array> {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #offsets: number[] = [0];
  /** What was appended last, not yet on disk. */
  readonly #buffer = Buffer.allocUnsafeSlow(bufferLength);
  #pending = 0;
  #read: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, "w+", 0o600);
  }

  /** Bytes in all. */
  get size(): number {
    return this.#offsets.at(-1) ?? 0;
  }

  /** Returns the number of bytes appended. */
  append(content: string | Uint8Array): number {
    // A character of UTF-16 takes at most three bytes.
    const most = typeof content === "string" ? content.length * 3 : content.length;
    if (this.#pending + most > bufferLength) this.#flush();
    const length = most > bufferLength ? this.#appendLarge(content) : this.#appendSmall(content);
    this.#offsets.push(this.size + length);
    return length;
  }

  lengthOf(position: number): number {
    return (this.#offsets[position + 1] ?? 0) - (this.#offsets[position] ?? 0);
  }

  read(position: number): Uint8Array {
    return this.#readRange(this.#offsets[position] ?? 0, this.#offsets[position + 1] ?? 0);
  }

  /** The byte strings in another order; neighbours come as one chunk. */
  *inOrder(order: readonly number[]): Generator<Uint8Array, void, void> {
    for (let index = 0; index < order.length;) {
      const first = order[index] ?? 0;
      const start = this.#offsets[first] ?? 0;
      let last = first;
      while (order[++index] === last + 1 && (this.#offsets[last + 2] ?? 0) - start <= bufferLength) last++;
      yield this.#readRange(start, this.#offsets[last + 1] ?? 0);
    }
  }

  *[Symbol.iterator](): Generator<Uint8Array, void, void> {
    for (let start = 0; start < this.size; start += bufferLength)
      yield this.#readRange(start, Math.min(start + bufferLength, this.size));
  }

  remove(): void {
    closeSync(this.#descriptor);
    rmSync(this.#path, { force: true });
  }

  #appendSmall(content: string | Uint8Array): number {
    const start = this.#pending;
    if (typeof content === "string") this.#pending += this.#buffer.write(content, start);
    else {
      this.#buffer.set(content, start);
      this.#pending += content.length;
    }
    return this.#pending - start;
  }

  #appendLarge(content: string | Uint8Array): number {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    writeAll(this.#descriptor, bytes);
    return bytes.length;
  }

  #readRange(start: number, end: number): Uint8Array {
    this.#flush();
    if (this.#read.length < end - start) this.#read = Buffer.allocUnsafeSlow(Math.max(end - start, bufferLength));
    const bytes = this.#read.subarray(0, end - start);
    for (let at = 0; at < bytes.length;) {
      const count = readSync(this.#descriptor, bytes, at, bytes.length - at, start + at);
      if (count === 0) throw new Error(`${this.#path} ended early`);
      at += count;
    }
    return bytes;
  }

  #flush(): void {
    if (this.#pending > 0) writeAll(this.#descriptor, this.#buffer.subarray(0, this.#pending));
    this.#pending = 0;
  }
}

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}
