import { createHash, type Hash } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { CatalogEntry } from "../catalog/model.ts";
import { canonicalOrder, type PackageRecord, packageRecords, providedApis } from "../catalog/package-record.ts";
import type { CatalogProblem } from "../catalog/problem.ts";
import { validateCatalog } from "../catalog/validate.ts";
import type { Digest } from "../digest.ts";
import { done, failed, type Result } from "../result.ts";
import { canonicalJson } from "../text/documents.ts";
import {
  blobRowLength,
  formatVersion,
  type IndexHeader,
  indexFileName,
  magic,
  preambleLength,
  type Section,
  type SectionName,
} from "./format.ts";
import { readCatalog } from "./read-catalog.ts";
import { writeTable } from "./sorted-table.ts";

export interface WrittenIndex {
  readonly digest: Digest;
  readonly file: string;
}

/** So many problems say enough about a catalog. */
const shownProblems = 200;

/**
 * Reads and validates the catalog at `root` and writes its index into the folder `into`, atomically. Runs in a
 * short-lived process: what parsing leaves behind in memory goes away with it.
 */
export function writeIndex(root: string, into: string): Result<WrittenIndex, readonly CatalogProblem[]> {
  mkdirSync(into, { recursive: true });
  const scratch = join(into, `.building-${process.pid}`);
  const spool = new Spool(`${scratch}.lines`);
  try {
    const problems: CatalogProblem[] = [];
    const entries: CatalogEntry[] = [];
    for (const blob of readCatalog(root)) {
      if (!blob.ok) {
        problems.push(blob.problem);
        if (problems.length >= shownProblems) break;
        continue;
      }
      const { json, ...entry } = blob.value;
      spool.append(`${canonicalJson(json)}\n`);
      entries.push(entry);
    }
    if (problems.length === 0) problems.push(...validateCatalog(entries).slice(0, shownProblems));
    if (problems.length > 0) return failed(problems);
    return done(assemble(entries, spool, `${scratch}.index`, into));
  } finally {
    spool.remove();
  }
}

function assemble(entries: readonly CatalogEntry[], spool: Spool, scratch: string, into: string): WrittenIndex {
  const order = canonicalOrder(entries);
  const ordered = order.flatMap((position) => entries[position] ?? []);
  const packages: Uint8Array[] = [];
  const packageRows: [string, readonly number[]][] = [];
  const bundles = new Map<string, string[]>();
  const apis = new Map<string, string[]>();
  let offset = 0;
  let bundleCount = 0;
  for (const record of packageRecords(ordered)) {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    packages.push(line);
    packageRows.push([record.name, [offset, line.length]]);
    offset += line.length;
    bundleCount += record.bundles.length;
    note(record, bundles, apis);
  }
  const table = new DataView(new ArrayBuffer(order.length * blobRowLength));
  const lines = createHash("sha256");
  let lineStart = 0;
  for (const [id, position] of order.entries()) {
    const length = spool.lengthOf(position);
    table.setFloat64(id * blobRowLength, lineStart, true);
    table.setUint32(id * blobRowLength + 8, length, true);
    table.setUint32(id * blobRowLength + 12, position, true);
    lines.update(spool.read(position));
    lineStart += length;
  }
  const digest: Digest = `sha256:${lines.digest("hex")}`;
  const parts: readonly (readonly [SectionName, readonly Uint8Array[]])[] = [
    ["blobTable", [new Uint8Array(table.buffer)]],
    ["packages", packages],
    ["packageTable", [writeTable(packageRows)]],
    ["bundleTable", [writeTable(bundles)]],
    ["apiTable", [writeTable(apis)]],
  ];
  const sections: Section[] = [{ name: "blobs", offset: 0, length: lineStart, digest }];
  let sectionStart = lineStart;
  for (const [name, chunks] of parts) {
    const hash = createHash("sha256");
    const length = chunks.reduce((sum, chunk) => sum + (hash.update(chunk) satisfies Hash, chunk.length), 0);
    sections.push({ name, offset: sectionStart, length, digest: `sha256:${hash.digest("hex")}` });
    sectionStart += length;
  }
  const header: IndexHeader = {
    version: formatVersion,
    digest,
    blobCount: order.length,
    packageCount: packageRows.length,
    bundleCount,
    sections,
  };
  const file = join(into, indexFileName(digest));
  const target = openSync(scratch, "w", 0o600);
  try {
    writeAll(target, preamble(header));
    for (const position of order) writeAll(target, spool.read(position));
    for (const [, chunks] of parts) for (const chunk of chunks) writeAll(target, chunk);
    fsyncSync(target);
  } finally {
    closeSync(target);
  }
  renameSync(scratch, file);
  return { digest, file };
}

function note(record: PackageRecord, bundles: Map<string, string[]>, apis: Map<string, string[]>): void {
  const add = (to: Map<string, string[]>, key: string): void => {
    const names = to.get(key);
    if (names === undefined) to.set(key, [record.name]);
    else names.push(record.name);
  };
  for (const { name } of record.bundles) add(bundles, name);
  for (const api of providedApis(record)) add(apis, api);
}

function preamble(header: IndexHeader): Uint8Array {
  const json = Buffer.from(JSON.stringify(header));
  const bytes = Buffer.alloc(preambleLength + json.length);
  bytes.write(magic, 0, "latin1");
  bytes.writeUInt32LE(formatVersion, 8);
  bytes.writeUInt32LE(json.length, 12);
  createHash("sha256").update(json).digest().copy(bytes, 16);
  json.copy(bytes, preambleLength);
  return bytes;
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

/** Lines on disk in the order read, so that no catalog is held whole in memory. */
class Spool {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #offsets: number[] = [0];
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, "w+", 0o600);
  }

  append(line: string): void {
    const bytes = Buffer.from(line);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#offsets.push((this.#offsets.at(-1) ?? 0) + bytes.length);
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
