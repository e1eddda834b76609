import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { TarEntry } from "./tar-entries.ts";

/** Creating and removing a file takes longer than its bytes: an image that is refused should not have made thousands. */
const inMemory = { fileBytes: 64 * 1024, allBytes: 8 * 2 ** 20 };

/** Where the bytes of one content are. */
type Place = { readonly bytes: Buffer } | { readonly file: string; readonly isScratch: boolean };

/**
 * The contents of files until their names are known, each under the number that `add` returns: small ones in memory while
 * that has room, others as files of `directory`, which is made for the first of them: to remove even an empty directory
 * may take milliseconds.
 */
export class HeldContents {
  readonly #directory: string;
  readonly #places: Place[] = [];
  #bytes = 0;
  #hasDirectory = false;

  /** @param directory does not exist yet */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async add(entry: TarEntry): Promise<number> {
    const number = this.#places.length;
    const isHeld = entry.size <= inMemory.fileBytes && this.#bytes + entry.size <= inMemory.allBytes;
    if (isHeld) {
      this.#bytes += entry.size;
      const parts: Buffer[] = [];
      for await (const part of entry.content()) parts.push(part);
      // A copy: the parts are views of much larger chunks.
      this.#places.push({ bytes: Buffer.concat(parts) });
    } else {
      if (!this.#hasDirectory) mkdirSync(this.#directory, { mode: 0o700 });
      this.#hasDirectory = true;
      const file = join(this.#directory, String(number));
      const opened = openSync(file, "wx", 0o400);
      try {
        for await (const part of entry.content()) writeWhole(opened, part);
      } finally {
        closeSync(opened);
      }
      this.#places.push({ file, isScratch: true });
    }
    return number;
  }

  /** Gives the content one more name, which must not exist: throws `EEXIST`. */
  place(number: number, path: string): void {
    const place = this.#places[number];
    if (place === undefined) throw new RangeError(`no content ${number}`);
    if ("bytes" in place) {
      const opened = openSync(path, "wx", 0o400);
      try {
        writeWhole(opened, place.bytes);
      } finally {
        closeSync(opened);
      }
    } else if (place.isScratch && lstatSync(path, { throwIfNoEntry: false }) === undefined) {
      // Half the time of a link and the removal of the other name; it would replace what exists.
      renameSync(place.file, path);
    } else return linkSync(place.file, path);
    this.#places[number] = { file: path, isScratch: false };
  }

  /** Deletes the directory with what no name uses. */
  close(): void {
    for (const place of this.#places) if ("file" in place && place.isScratch) unlinkSync(place.file);
    // `rmSync` takes a millisecond even for an empty directory.
    if (this.#hasDirectory) rmdirSync(this.#directory);
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at);
}
