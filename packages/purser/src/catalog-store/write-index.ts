import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { detached } from "../catalog/loading/detached-entry.ts";
import type { CatalogEntry } from "../catalog/model.ts";
import type { PackageFault } from "../catalog/catalog-index.ts";
import { packageFaults } from "../catalog/package-fault.ts";
import { customSchemaProblem } from "../catalog/schemas/custom-schema.ts";
import type { PackageFacts } from "../catalog/package-facts.ts";
import {
  canonicalOrder,
  type PackageRecord,
  packageRecords,
  providedApis,
  summaryOf,
} from "../catalog/package-record.ts";
import type { CatalogProblem } from "../catalog/problem.ts";
import { validateCatalog } from "../catalog/validate.ts";
import { type Digest, digestOf } from "@purser/kubernetes/digest";
import { packageFacts } from "../discovery/package-facts.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import { blobRowLength, indexFileName, type SectionName } from "./format.ts";
import { IndexFile } from "./index-file.ts";
import { LineSections } from "./line-sections.ts";
import { readCatalog } from "./read/read-catalog.ts";
import { plainBlob } from "./plain-blob.ts";
import { RegistrySections } from "./registry/registry-sections.ts";
import { writeTable } from "./sorted-table.ts";
import { capturedBlobs, configMapBlobs } from "./registry/served-blobs.ts";
import { Spool } from "./spool.ts";
import { tupleKey } from "./tuple-key.ts";

export interface WrittenIndex {
  readonly digest: Digest;
  readonly file: string;
  /** The rules that a catalog of the form "unchecked" breaks; absent when it breaks none, and for other forms. */
  readonly broken?: readonly CatalogProblem[];
}

/** At most this many problems are returned. */
const shownProblems = 200;
/** With this many the catalog itself is at fault. */
const maxProblems = 10_000;

/** What a catalog is read from. */
export type CatalogForm =
  /** A directory or file of a file-based catalog. */
  | "catalog"
  /** The same, without the packages that break rules; a problem that belongs to no package refuses the catalog. */
  | "lenient"
  /** The same, whose packages, channels and bundles are taken as they are; rules that they break are reported beside the index. */
  | "unchecked"
  /** A file of messages that a registry server sent. */
  | "capture"
  /** A file with the data of a ConfigMap, as JSON. */
  | "configMap";

/**
 * Reads the catalog at `root`, validates it if it is a file-based one, and writes its index into the directory `into`,
 * atomically. Runs in a short-lived process, whose end frees the memory that parsing used.
 */
export function writeIndex(
  root: string,
  into: string,
  form: CatalogForm = "catalog",
): Result<WrittenIndex, readonly CatalogProblem[]> {
  mkdirSync(into, { recursive: true });
  const scratch = join(into, `.building-${process.pid}`);
  const spool = new Spool(`${scratch}.lines`);
  const manifests = new Spool(`${scratch}.manifests`);
  try {
    const problems: CatalogProblem[] = [];
    const entries: CatalogEntry[] = [];
    const lines = new LineSections();
    for (const blob of blobsIn(root, form)) {
      if (!blob.ok) {
        problems.push(blob.problem);
        if (problems.length >= (form === "lenient" ? maxProblems : shownProblems)) break;
        continue;
      }
      const { json } = blob.value;
      const line = `${canonicalJson(json)}\n`;
      lines.add(json, line, spool.append(line));
      entries.push(detached(blob.value));
    }
    // Registry servers serve graphs and versions that a file-based catalog may not have, and OLM resolves from them.
    if (form === "lenient") problems.push(...validateCatalog(entries));
    else if (problems.length === 0 && form === "catalog") problems.push(...validateCatalog(entries));
    const isLenient = form === "lenient" && problems.length < maxProblems;
    const faults = isLenient ? packageFaults(problems, entries, root) : undefined;
    if (problems.length > 0 && faults === undefined) return failed(problems.slice(0, shownProblems));
    const broken = form === "unchecked" ? validateCatalog(entries).slice(0, shownProblems) : [];
    const parts = { entries, faults: faults ?? [], spool, lines, manifests, scratch: `${scratch}.index`, into };
    return done({ ...assemble(parts), ...(broken.length === 0 ? {} : { broken }) });
  } finally {
    spool.remove();
    manifests.remove();
    rmSync(`${scratch}.index`, { force: true });
  }
}

function blobsIn(root: string, form: CatalogForm): ReturnType<typeof readCatalog> {
  switch (form) {
    case "catalog":
    case "lenient":
    case "unchecked":
      return readCatalog(root);
    case "capture":
      return capturedBlobs(root);
    case "configMap":
      return configMapBlobs(root);
  }
}

interface Parts {
  readonly faults: readonly PackageFault[];
  /** In load order, as are `spool` and `lines`. */
  readonly entries: readonly CatalogEntry[];
  readonly spool: Spool;
  readonly lines: LineSections;
  readonly manifests: Spool;
  readonly scratch: string;
  readonly into: string;
}

function assemble({ entries, faults, spool, lines, manifests, scratch, into }: Parts): WrittenIndex {
  const faulty = new Set(faults.map(({ packageName }) => packageName));
  const order = canonicalOrder(entries);
  const ordered = order.flatMap((position) => entries[position] ?? []);
  const packages: Uint8Array[] = [];
  const facts: PackageFacts[] = [];
  const blobAt = (blob: number): JsonObject => plainBlob(spool.read(order[blob] ?? 0));
  const packageRows: [string, readonly number[]][] = [];
  const bundles = new Map<string, string[]>();
  const apis = new Map<string, string[]>();
  const registry = new RegistrySections(manifests, {
    content: (blob) => ordered[blob]?.content ?? { kind: "custom" },
    json: blobAt,
  });
  let offset = 0;
  let bundleCount = 0;
  for (const record of packageRecords(ordered)) {
    if (faulty.has(record.name)) continue;
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    packages.push(line);
    packageRows.push([record.name, [offset, line.length]]);
    offset += line.length;
    bundleCount += record.bundles.length;
    note(record, bundles, apis);
    registry.add(record);
    facts.push(packageFacts(summaryOf(record), blobAt));
  }
  const refusal = customProblem(entries) ?? registry.refusal;
  const index = new IndexFile(scratch, {
    blobCount: order.length,
    packageCount: packageRows.length,
    bundleCount,
    ...(refusal === undefined ? {} : { registryRefusal: refusal }),
    ...(faults.length === 0 ? {} : { faults }),
  });
  try {
    const blobs = index.write("blobs", spool.inOrder(order));
    // What is wrong may change while all that could be read stays the same.
    const digest = faults.length === 0 ? blobs : digestOf(`${blobs} ${JSON.stringify(faults)}`);
    const parts: readonly (readonly [SectionName, Iterable<Uint8Array>])[] = [
      ["blobTable", [blobTable(order, spool)]],
      ["packages", packages],
      ["packageTable", [writeTable(packageRows)]],
      ["packageFacts", [Buffer.from(JSON.stringify(facts))]],
      ["bundleTable", [writeTable(bundles)]],
      ["apiTable", [writeTable(apis)]],
      ...registry.sections(),
      ["customTable", [writeTable(customRows(ordered))]],
      ...lines.sections(order),
    ];
    for (const [name, chunks] of parts) index.write(name, chunks);
    index.finish(digest);
    const file = join(into, indexFileName(digest));
    renameSync(scratch, file);
    return { digest, file };
  } finally {
    index.close();
  }
}

function blobTable(order: readonly number[], spool: Spool): Uint8Array {
  const table = new DataView(new ArrayBuffer(order.length * blobRowLength));
  let start = 0;
  for (const [id, position] of order.entries()) {
    const length = spool.lengthOf(position);
    table.setFloat64(id * blobRowLength, start, true);
    table.setUint32(id * blobRowLength + 8, length, true);
    table.setUint32(id * blobRowLength + 12, position, true);
    start += length;
  }
  return new Uint8Array(table.buffer);
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
