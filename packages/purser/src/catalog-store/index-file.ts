import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { Digest } from "@purser/kubernetes/digest";
import {
  formatVersion,
  type IndexHeader,
  magic,
  preambleLength,
  type Section,
  type SectionName,
  sectionNames,
} from "./format.ts";
import { writeAll } from "./spool.ts";

/** The header's fields other than version, digest and sections. */
export type IndexFacts = Omit<IndexHeader, "version" | "digest" | "sections">;

const bufferLength = 256 * 1024;

/** Writes the file of one index, section after section: every byte passes once. The header comes last, into room that was left for it. */
export class IndexFile {
  readonly #descriptor: number;
  readonly #facts: IndexFacts;
  readonly #headerLength: number;
  readonly #sections: Section[] = [];
  readonly #buffer = Buffer.allocUnsafeSlow(bufferLength);
  #pending = 0;
  #offset = 0;

  constructor(path: string, facts: IndexFacts) {
    this.#facts = facts;
    const digest: Digest = `sha256:${"0".repeat(64)}`;
    const [offset, length] = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    const sections = sectionNames.map((name): Section => ({ name, offset, length, digest }));
    this.#headerLength = Buffer.byteLength(JSON.stringify(header(facts, digest, sections)));
    this.#descriptor = openSync(path, "w", 0o600);
    writeAll(this.#descriptor, Buffer.alloc(preambleLength + this.#headerLength));
  }

  /** Appends a section; returns its digest. */
  write(name: SectionName, chunks: Iterable<Uint8Array>): Digest {
    const hash = createHash("sha256");
    let length = 0;
    for (const chunk of chunks) {
      hash.update(chunk);
      length += chunk.length;
      this.#append(chunk);
    }
    const digest: Digest = `sha256:${hash.digest("hex")}`;
    this.#sections.push({ name, offset: this.#offset, length, digest });
    this.#offset += length;
    return digest;
  }

  /** Writes the header and syncs the file to disk. */
  finish(digest: Digest): void {
    this.#flush();
    const json = Buffer.alloc(this.#headerLength, " ");
    json.write(JSON.stringify(header(this.#facts, digest, this.#sections)));
    const bytes = Buffer.alloc(preambleLength);
    bytes.write(magic, 0, "latin1");
    bytes.writeUInt32LE(formatVersion, 8);
    bytes.writeUInt32LE(json.length, 12);
    createHash("sha256").update(json).digest().copy(bytes, 16);
    const whole = Buffer.concat([bytes, json]);
    for (let at = 0; at < whole.length;) at += writeSync(this.#descriptor, whole, at, whole.length - at, at);
    fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #append(chunk: Uint8Array): void {
    if (this.#pending + chunk.length > bufferLength) this.#flush();
    if (chunk.length > bufferLength) return writeAll(this.#descriptor, chunk);
    this.#buffer.set(chunk, this.#pending);
    this.#pending += chunk.length;
  }

  #flush(): void {
    writeAll(this.#descriptor, this.#buffer.subarray(0, this.#pending));
    this.#pending = 0;
  }
}

function header(facts: IndexFacts, digest: Digest, sections: readonly Section[]): IndexHeader {
  return { version: formatVersion, digest, ...facts, sections };
}
