import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const pageSize = 16 * 1024;

/** A file read in pages with a bounded cache: a small working set stays, the rest comes from the system's own cache. */
export class PagedFile {
  readonly size: number;
  readonly #descriptor: number;
  readonly #pages = new Map<number, Uint8Array>();
  readonly #maxPages: number;
  #closed = false;

  constructor(path: string, cacheBytes = 512 * 1024) {
    this.#descriptor = openSync(path, "r");
    this.size = fstatSync(this.#descriptor).size;
    this.#maxPages = Math.max(2, Math.floor(cacheBytes / pageSize));
  }

  /** Throws a RangeError behind the end of the file: the file was cut short. */
  read(offset: number, length: number): Uint8Array {
    // The descriptor's number may already stand for another file.
    if (this.#closed) throw new Error("the catalog index was closed while it was read");
    if (offset < 0 || length < 0 || offset + length > this.size)
      throw new RangeError(`cannot read ${length} bytes at ${offset} of ${this.size}`);
    const first = Math.floor(offset / pageSize);
    const last = Math.floor((offset + length - 1) / pageSize);
    if (length > pageSize || last > first + 1) return this.#readDirect(offset, length);
    const inFirst = offset - first * pageSize;
    const page = this.#page(first);
    if (last <= first) return page.subarray(inFirst, inFirst + length);
    const joined = new Uint8Array(length);
    const head = page.subarray(inFirst);
    joined.set(head);
    joined.set(this.#page(last).subarray(0, length - head.length), head.length);
    return joined;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pages.clear();
    closeSync(this.#descriptor);
  }

  #page(number: number): Uint8Array {
    const known = this.#pages.get(number);
    if (known !== undefined) {
      // Moved to the end: the map's order is the order of last use.
      this.#pages.delete(number);
      this.#pages.set(number, known);
      return known;
    }
    const start = number * pageSize;
    const page = this.#readDirect(start, Math.min(pageSize, this.size - start));
    const [oldest] = this.#pages.keys();
    if (this.#pages.size >= this.#maxPages && oldest !== undefined) this.#pages.delete(oldest);
    this.#pages.set(number, page);
    return page;
  }

  #readDirect(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length;) {
      const count = readSync(this.#descriptor, bytes, done, length - done, offset + done);
      if (count === 0) throw new RangeError(`the file ended ${length - done} bytes early`);
      done += count;
    }
    return bytes;
  }
}
