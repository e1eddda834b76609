import { createHash } from "node:crypto";
import type { BlobId, CatalogIndex, PackageSummary } from "../catalog/catalog-index.ts";
import { apiKey, type PackageRecord, providersIn, summaryOf } from "../catalog/package-record.ts";
import type { PackageName } from "../catalog/names.ts";
import type { PackageFacts } from "../catalog/package-facts.ts";
import { invariant } from "@purser/kubernetes/invariant";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { parseJson } from "@purser/kubernetes/text/documents";
import {
  blobRowLength,
  formatVersion,
  type IndexHeader,
  magic,
  membershipRowLength,
  preambleLength,
  type Section,
  type SectionName,
} from "./format.ts";
import { servedLine } from "./line-sections.ts";
import { PagedFile } from "./paged-file.ts";
import { csvText, listedMessages, type RegistrySource, singleMessage } from "./registry/registry-messages.ts";
import { type LineRow, lineRows } from "./served-lines.ts";
import { openTable, type ReadAt, type SortedTable } from "./sorted-table.ts";
import { tupleKey } from "./tuple-key.ts";

/** Why an index file cannot be used. Every one of them is solved by building the index again. */
export type StoreProblem =
  | { readonly kind: "missing"; readonly file: string; readonly message: string }
  | { readonly kind: "otherVersion"; readonly file: string; readonly version: number; readonly message: string }
  | { readonly kind: "damaged"; readonly file: string; readonly message: string };

/** A catalog index on disk. Close it after the last read; reads after that throw. */
export interface StoredIndex extends CatalogIndex {
  readonly file: string;
  readonly header: IndexHeader;
  /** Names of the packages that hold a bundle of this name. */
  packagesOfBundle(name: string): readonly PackageName[];
  /** The canonical JSON of a blob with its newline, as bytes. */
  blobLine(id: BlobId): Uint8Array;
  /** Position of the blob in the order in which the catalog was read. */
  loadOrder(id: BlobId): number;
  /** `api.Bundle` of every membership in the order of channel, package and name, as `ListBundles` sends it. */
  listedBundles(): Iterable<Uint8Array>;
  /** `api.Bundle` of one membership with its manifests, without replaces and skips. */
  bundleMessage(packageName: string, channel: string, bundle: string): Uint8Array | undefined;
  /** JSON of the ClusterServiceVersion of one membership; "" when the bundle has none, or there is no such membership. */
  csvJson(packageName: string, channel: string, bundle: string): string;
  /** Packages with an entry that replaces or skips the name, in order; "" finds those that replace nothing. */
  packagesReplacing(name: string): readonly PackageName[];
  /** Blobs of a custom schema in one package ("": in none), in load order. */
  customBlobs(packageName: string, schema: string): readonly BlobId[];
  /** The catalog's lines in load order as the v1 API has them. */
  lines(): Iterable<LineRow>;
  /** The bytes of such a line. */
  readLine(row: LineRow): Uint8Array;
  close(): void;
}

const decoder = new TextDecoder();

/** Summaries of this many packages stay parsed. */
const keptSummaries = 16;

/**
 * Opens an index in milliseconds: the preamble, the header and the file's length are checked, nothing else is read
 * until asked for. {@link verifyIndex} reads it all.
 */
export function openIndex(file: string): Result<StoredIndex, StoreProblem> {
  let pages: PagedFile;
  try {
    pages = new PagedFile(file);
  } catch (error) {
    return failed({ kind: "missing", file, message: `cannot open the catalog index: ${String(error)}` });
  }
  const header = readHeader(file, pages);
  if (header.ok) return done(new FileIndex(file, pages, header.value.header, header.value.start));
  pages.close();
  return header;
}

/**
 * Compares the digest of every section with the header's: the whole file is read once, in pieces.
 * @testOnly an index that is used is never read whole
 */
export function verifyIndex(index: StoredIndex): Result<null, StoreProblem> {
  invariant(index instanceof FileIndex, "the index was opened by openIndex");
  return index.verify();
}

function readHeader(file: string, pages: PagedFile): Result<{ header: IndexHeader; start: number }, StoreProblem> {
  const damaged = (message: string): Result<never, StoreProblem> => failed({ kind: "damaged", file, message });
  if (pages.size < preambleLength) return damaged("the catalog index is cut short");
  const preamble = pages.read(0, preambleLength);
  if (decoder.decode(preamble.subarray(0, 8)) !== magic) return damaged("this is not a catalog index");
  const view = new DataView(preamble.buffer, preamble.byteOffset);
  const version = view.getUint32(8, true);
  if (version !== formatVersion)
    return failed({
      kind: "otherVersion",
      file,
      version,
      message: `catalog index of format ${version}, this program reads ${formatVersion}`,
    });
  const length = view.getUint32(12, true);
  const start = preambleLength + length;
  if (start > pages.size) return damaged("the catalog index is cut short");
  const bytes = pages.read(preambleLength, length);
  const expected = Buffer.from(preamble.subarray(16, preambleLength));
  const intact = expected.equals(createHash("sha256").update(bytes).digest());
  const header = intact ? parseHeader(decoder.decode(bytes)) : undefined;
  if (header === undefined) return damaged("the header of the catalog index is damaged");
  const end = Math.max(start, ...header.sections.map((section) => start + section.offset + section.length));
  return end === pages.size
    ? done({ header, start })
    : damaged(`the catalog index has ${pages.size} bytes instead of ${end}`);
}

function parseHeader(text: string): IndexHeader | undefined {
  try {
    const header: unknown = JSON.parse(text);
    return isJsonObject(header) && Array.isArray(header["sections"]) ? (header as unknown as IndexHeader) : undefined;
  } catch {
    return undefined;
  }
}

class FileIndex implements StoredIndex {
  readonly file: string;
  readonly header: IndexHeader;
  readonly #pages: PagedFile;
  readonly #start: number;
  readonly #summaries = new Map<string, PackageSummary>();
  readonly #tables = new Map<SectionName, SortedTable>();
  #names: readonly PackageName[] | undefined;

  constructor(file: string, pages: PagedFile, header: IndexHeader, start: number) {
    this.file = file;
    this.#pages = pages;
    this.header = header;
    this.#start = start;
  }

  get digest(): IndexHeader["digest"] {
    return this.header.digest;
  }

  get faults(): NonNullable<CatalogIndex["faults"]> {
    return this.header.faults ?? [];
  }

  packages(): readonly PackageName[] {
    this.#names ??= this.#table("packageTable").keys() as PackageName[];
    return this.#names;
  }

  package(name: string): PackageSummary | undefined {
    const known = this.#summaries.get(name);
    if (known !== undefined) {
      this.#summaries.delete(name);
      this.#summaries.set(name, known);
      return known;
    }
    const place = this.#table("packageTable").find(name);
    if (!Array.isArray(place)) return undefined;
    const [offset, length] = place as readonly number[];
    const bytes = this.#reader("packages")(offset ?? 0, length ?? 0);
    const summary = summaryOf(parseJson(decoder.decode(bytes)) as unknown as PackageRecord);
    const [oldest] = this.#summaries.keys();
    if (this.#summaries.size >= keptSummaries && oldest !== undefined) this.#summaries.delete(oldest);
    this.#summaries.set(name, summary);
    return summary;
  }

  providers(api: Parameters<CatalogIndex["providers"]>[0]): ReturnType<CatalogIndex["providers"]> {
    const key = apiKey(api);
    return this.#namesIn("apiTable", key).flatMap((name) => {
      const summary = this.package(name);
      return summary === undefined ? [] : providersIn(summary, key);
    });
  }

  packagesProviding(api: Parameters<CatalogIndex["packagesProviding"]>[0]): readonly PackageName[] {
    return this.#namesIn("apiTable", apiKey(api));
  }

  packagesOfBundle(name: string): readonly PackageName[] {
    return this.#namesIn("bundleTable", name);
  }

  packageFacts(): readonly PackageFacts[] {
    const { length } = this.#section("packageFacts");
    // This program wrote the section: its text needs no check of depth or of repeated members.
    return JSON.parse(decoder.decode(this.#reader("packageFacts")(0, length))) as readonly PackageFacts[];
  }

  blob(id: BlobId): JsonObject {
    const value = parseJson(decoder.decode(this.blobLine(id)));
    invariant(isJsonObject(value), "every blob of an index is an object");
    return value;
  }

  blobLine(id: BlobId): Uint8Array {
    const row = this.#row(id);
    return this.#reader("blobs")(row.getFloat64(0, true), row.getUint32(8, true));
  }

  loadOrder(id: BlobId): number {
    return this.#row(id).getUint32(12, true);
  }

  listedBundles(): Iterable<Uint8Array> {
    const source = this.#registry();
    return { [Symbol.iterator]: () => listedMessages(source) };
  }

  bundleMessage(packageName: string, channel: string, bundle: string): Uint8Array | undefined {
    const row = this.#membership(packageName, channel, bundle);
    return row === undefined ? undefined : singleMessage(this.#registry(), row);
  }

  csvJson(packageName: string, channel: string, bundle: string): string {
    const row = this.#membership(packageName, channel, bundle);
    return row === undefined ? "" : csvText(this.#registry(), row);
  }

  packagesReplacing(name: string): readonly PackageName[] {
    return this.#namesIn("replacedTable", name);
  }

  customBlobs(packageName: string, schema: string): readonly BlobId[] {
    const found = this.#table("customTable").find(tupleKey(packageName, schema));
    if (!Array.isArray(found)) return [];
    const [first = 0, count = 0] = found as readonly number[];
    return Array.from({ length: count }, (_, index) => (first + index) as BlobId);
  }

  lines(): Iterable<LineRow> {
    const [rows, names, count] = [this.#reader("lines"), this.#reader("lineNames"), this.header.blobCount];
    return { [Symbol.iterator]: () => lineRows(rows, names, count) };
  }

  readLine({ blob, isAsStored }: LineRow): Uint8Array {
    const id = blob as BlobId;
    return isAsStored ? this.blobLine(id) : new TextEncoder().encode(servedLine(this.blob(id)));
  }

  close(): void {
    this.#summaries.clear();
    this.#pages.close();
  }

  verify(): Result<null, StoreProblem> {
    const step = 1024 * 1024;
    for (const section of this.header.sections) {
      const hash = createHash("sha256");
      for (let at = 0; at < section.length; at += step)
        hash.update(this.#pages.read(this.#start + section.offset + at, Math.min(step, section.length - at)));
      if (`sha256:${hash.digest("hex")}` !== section.digest)
        return failed({
          kind: "damaged",
          file: this.file,
          message: `section ${section.name} of the catalog index is damaged`,
        });
    }
    return done(null);
  }

  #registry(): RegistrySource {
    return {
      memberships: this.#reader("memberships"),
      messages: this.#reader("messages"),
      manifests: this.#reader("manifests"),
      blob: (blob) => this.blobLine(blob as BlobId),
      count: this.#section("memberships").length / membershipRowLength,
    };
  }

  #membership(packageName: string, channel: string, bundle: string): number | undefined {
    const row = this.#table("membershipTable").find(tupleKey(channel, packageName, bundle));
    return typeof row === "number" ? row : undefined;
  }

  #row(id: BlobId): DataView {
    invariant(id >= 0 && id < this.header.blobCount, `blob ${id} is one of the ${this.header.blobCount} of this index`);
    const bytes = this.#reader("blobTable")(id * blobRowLength, blobRowLength);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #namesIn(section: SectionName, key: string): readonly PackageName[] {
    const names = this.#table(section).find(key);
    return Array.isArray(names) ? (names as readonly PackageName[]) : [];
  }

  #table(name: SectionName): SortedTable {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const table = openTable(this.#reader(name));
    this.#tables.set(name, table);
    return table;
  }

  #reader(name: SectionName): ReadAt {
    const section = this.#section(name);
    const base = this.#start + section.offset;
    return (offset, length) => {
      if (offset + length > section.length) throw new RangeError(`read behind the end of section ${name}`);
      return this.#pages.read(base + offset, length);
    };
  }

  #section(name: SectionName): Section {
    const section = this.header.sections.find((candidate) => candidate.name === name);
    invariant(section !== undefined, `an index of version ${formatVersion} has a section ${name}`);
    return section;
  }
}
