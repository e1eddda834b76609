import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";

/** Byte strings on disk in the order given, so that nothing large is held whole in memory. */
export class Spool implements Iterable<Uint8Array> {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #offsets: number[] = [0];
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, "w+", 0o600);
  }

  /** Bytes in all. */
  get size(): number {
    return this.#offsets.at(-1) ?? 0;
  }

  append(content: string | Uint8Array): void {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#offsets.push(this.size + bytes.length);
    if (this.#pendingBytes > 1024 * 1024) this.#flush();
  }

  lengthOf(position: number): number {
    return (this.#offsets[position + 1] ?? 0) - (this.#offsets[position] ?? 0);
  }

  read(position: number): Uint8Array {
    this.#flush();
    const bytes = Buffer.allocUnsafe(this.lengthOf(position));
    const start = this.#offsets[position] ?? 0;
    for (let at = 0; at < bytes.length;) {
      const count = readSync(this.#descriptor, bytes, at, bytes.length - at, start + at);
      if (count === 0) throw new Error(`${this.#path} ended early`);
      at += count;
    }
    return bytes;
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (let position = 0; position < this.#offsets.length - 1; position++) yield this.read(position);
  }

  remove(): void {
    closeSync(this.#descriptor);
    rmSync(this.#path, { force: true });
  }

  #flush(): void {
    for (const bytes of this.#pending) writeAll(this.#descriptor, bytes);
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}
