import { StreamError } from "./problem.ts";
import { countNewlines } from "./utf8.ts";

/**
 * A sliding window over a stream of bytes, which holds one document and the rest of the last chunk. Chunks are copied.
 */
export class ByteWindow {
  bytes: Uint8Array = new Uint8Array(0);
  /** Start of the unread part. */
  start = 0;
  /** End of the available bytes. */
  end = 0;
  /** Number of bytes of the stream before offset 0. */
  passed = 0;
  /** One-based line of `start`. */
  line = 1;
  readonly largestDocument: number;
  readonly #chunks: Iterator<Uint8Array>;

  constructor(chunks: Iterable<Uint8Array>, largestDocument: number) {
    this.#chunks = chunks[Symbol.iterator]();
    this.largestDocument = largestDocument;
  }

  /**
   * Reads more and moves the unread part to offset 0; returns by how much offsets decreased. Undefined at the end of
   * the stream, where nothing moves.
   */
  grow(): number | undefined {
    const unread = this.end - this.start;
    this.check(unread);
    const next = this.#chunks.next();
    if (next.done === true) return undefined;
    const shift = this.start;
    const { length } = next.value;
    if (unread + length > this.bytes.length) {
      const room = new Uint8Array(Math.max(unread + length, 2 * unread));
      room.set(this.bytes.subarray(this.start, this.end));
      this.bytes = room;
    } else this.bytes.copyWithin(0, this.start, this.end);
    this.bytes.set(next.value, unread);
    this.passed += shift;
    this.start = 0;
    this.end = unread + length;
    return shift;
  }

  /** Makes skipped bytes unread again. */
  putBack(bytes: Uint8Array): void {
    const unread = this.bytes.subarray(this.start, this.end);
    const joined = new Uint8Array(bytes.length + unread.length);
    joined.set(bytes);
    joined.set(unread, bytes.length);
    this.bytes = joined;
    this.passed += this.start - bytes.length;
    this.start = 0;
    this.end = joined.length;
    this.line -= countNewlines(bytes, bytes.length);
  }

  /** Throws when a document exceeds the size limit. */
  check(length: number): void {
    if (length <= this.largestDocument) return;
    const limit = this.largestDocument / 2 ** 20;
    throw new StreamError("tooLarge", this.line, 1, `the document is larger than ${limit} MiB`);
  }
}
