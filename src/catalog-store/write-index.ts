import { createHash } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync } from "node:fs";
import { join } from "node:path";
import { detached } from "../catalog/detached-entry.ts";
import type { CatalogEntry } from "../catalog/model.ts";
import { customSchemaProblem } from "../catalog/custom-schema.ts";
import { canonicalOrder, type PackageRecord, packageRecords, providedApis } from "../catalog/package-record.ts";
import type { CatalogProblem } from "../catalog/problem.ts";
import { validateCatalog } from "../catalog/validate.ts";
import type { Digest } from "../digest.ts";
import { done, failed, type Result } from "../result.ts";
import { invariant } from "../invariant.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
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
import { LineSections } from "./line-sections.ts";
import { readCatalog } from "./read-catalog.ts";
import { RegistrySections } from "./registry-sections.ts";
import { writeTable } from "./sorted-table.ts";
import { Spool, writeAll } from "./spool.ts";
import { tupleKey } from "./tuple-key.ts";

export interface WrittenIndex {
  readonly digest: Digest;
  readonly file: string;
}

const decoder = new TextDecoder();

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
  const manifests = new Spool(`${scratch}.manifests`);
  try {
    const problems: CatalogProblem[] = [];
    const entries: CatalogEntry[] = [];
    const lines = new LineSections();
    for (const blob of readCatalog(root)) {
      if (!blob.ok) {
        problems.push(blob.problem);
        if (problems.length >= shownProblems) break;
        continue;
      }
      const { json } = blob.value;
      const line = `${canonicalJson(json)}\n`;
      spool.append(line);
      lines.add(json, line);
      entries.push(detached(blob.value));
    }
    if (problems.length === 0) problems.push(...validateCatalog(entries).slice(0, shownProblems));
    if (problems.length > 0) return failed(problems);
    return done(assemble({ entries, spool, lines, manifests, scratch: `${scratch}.index`, into }));
  } finally {
    spool.remove();
    manifests.remove();
  }
}

interface Parts {
  /** In load order, as are `spool` and `lines`. */
  readonly entries: readonly CatalogEntry[];
  readonly spool: Spool;
  readonly lines: LineSections;
  readonly manifests: Spool;
  readonly scratch: string;
  readonly into: string;
}

function assemble({ entries, spool, lines, manifests, scratch, into }: Parts): WrittenIndex {
  const order = canonicalOrder(entries);
  const ordered = order.flatMap((position) => entries[position] ?? []);
  const packages: Uint8Array[] = [];
  const packageRows: [string, readonly number[]][] = [];
  const bundles = new Map<string, string[]>();
  const apis = new Map<string, string[]>();
  const registry = new RegistrySections(manifests);
  const jsonOf = (blob: number): JsonObject => {
    // The registry API shows every number as a double, so nothing is lost by the fast way.
    const value: unknown = JSON.parse(decoder.decode(spool.read(order[blob] ?? 0)));
    invariant(isJsonObject(value), "every blob of a catalog is an object");
    return value;
  };
  let offset = 0;
  let bundleCount = 0;
  for (const record of packageRecords(ordered)) {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    packages.push(line);
    packageRows.push([record.name, [offset, line.length]]);
    offset += line.length;
    bundleCount += record.bundles.length;
    note(record, bundles, apis);
    const hasPackage = ordered[record.firstBlob]?.content.kind === "package";
    const pack = hasPackage ? jsonOf(record.firstBlob) : {};
    registry.add(record, pack, (position) => jsonOf(record.bundles[position]?.blob ?? 0));
  }
  const table = new DataView(new ArrayBuffer(order.length * blobRowLength));
  const blobs = createHash("sha256");
  let lineStart = 0;
  for (const [id, position] of order.entries()) {
    const length = spool.lengthOf(position);
    table.setFloat64(id * blobRowLength, lineStart, true);
    table.setUint32(id * blobRowLength + 8, length, true);
    table.setUint32(id * blobRowLength + 12, position, true);
    blobs.update(spool.read(position));
    lineStart += length;
  }
  const digest: Digest = `sha256:${blobs.digest("hex")}`;
  const parts: readonly (readonly [SectionName, Iterable<Uint8Array>])[] = [
    ["blobTable", [new Uint8Array(table.buffer)]],
    ["packages", packages],
    ["packageTable", [writeTable(packageRows)]],
    ["bundleTable", [writeTable(bundles)]],
    ["apiTable", [writeTable(apis)]],
    ...registry.sections(),
    ["customTable", [writeTable(customRows(ordered))]],
    ...lines.sections(order),
  ];
  const sections: Section[] = [{ name: "blobs", offset: 0, length: lineStart, digest }];
  let sectionStart = lineStart;
  for (const [name, chunks] of parts) {
    const hash = createHash("sha256");
    let length = 0;
    for (const chunk of chunks) {
      hash.update(chunk);
      length += chunk.length;
    }
    sections.push({ name, offset: sectionStart, length, digest: `sha256:${hash.digest("hex")}` });
    sectionStart += length;
  }
  const refusal = customProblem(entries) ?? registry.refusal;
  const header: IndexHeader = {
    version: formatVersion,
    digest,
    blobCount: order.length,
    packageCount: packageRows.length,
    bundleCount,
    ...(refusal === undefined ? {} : { registryRefusal: refusal }),
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

/** Custom blobs of one package and schema are neighbours in canonical order. */
function customRows(ordered: readonly CatalogEntry[]): ReadonlyMap<string, [first: number, count: number]> {
  const rows = new Map<string, [number, number]>();
  for (const [id, { content, packageName, schema }] of ordered.entries()) {
    if (content.kind !== "custom") continue;
    const key = tupleKey(packageName, schema);
    const known = rows.get(key);
    if (known === undefined) rows.set(key, [id, 1]);
    else known[1]++;
  }
  return rows;
}

function customProblem(entries: readonly CatalogEntry[]): string | undefined {
  for (const { content, schema, packageName } of entries) {
    const problem = content.kind === "custom" ? customSchemaProblem(schema, packageName) : undefined;
    if (problem !== undefined) return `invalid custom schema meta: ${problem}`;
  }
  return undefined;
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
