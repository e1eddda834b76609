import type { BlobContent } from "../../catalog/model.ts";
import type { BundleRecord, PackageRecord } from "../../catalog/package-record.ts";
import { registryFacts, type RegistryManifests, registryManifests } from "../../catalog/registry-bundle.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import type { JsonObject } from "@purser/kubernetes/json";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { EncodedBundle, type PartLengths } from "./api-bundle.ts";
import { objectTag } from "./text-tag.ts";
import { membershipRowLength, noBlob, type SectionName } from "../format.ts";
import { writeTable } from "../sorted-table.ts";
import type { Spool } from "../spool.ts";
import { tupleKey } from "../tuple-key.ts";

interface Row {
  readonly key: string;
  readonly message: Uint8Array;
  readonly lengths: PartLengths;
  readonly source: ManifestSource;
}

/** Where a bundle's manifests come from when they are requested. */
type ManifestSource =
  | { readonly kind: "stored"; readonly bulk: Bulk; readonly hasImage: boolean }
  /** Made from the metadata of the bundle's blob and from the package's; only for bundles with an image. */
  | { readonly kind: "made"; readonly bundle: number; readonly package: number | undefined };

/** The blobs of a catalog in canonical order. */
export interface Blobs {
  content(blob: number): BlobContent;
  json(blob: number): JsonObject;
}

/** Where a bundle's manifests lie in their section: encoded objects, and in or behind them the ClusterServiceVersion. */
interface Bulk {
  readonly offset: number;
  readonly objectsLength: number;
  readonly csvStart: number;
  readonly csvLength: number;
}

/** Collects what the registry API answers with, package by package, and writes it as sections of the index. */
export class RegistrySections {
  readonly #bulk: Spool;
  readonly #blobs: Blobs;
  readonly #rows: Row[] = [];
  readonly #replacing = new Map<string, string[]>();
  #refusal: string | undefined;

  constructor(bulk: Spool, blobs: Blobs) {
    this.#bulk = bulk;
    this.#blobs = blobs;
  }

  /** Why upstream's server refuses this catalog although it is valid; the first package by name decides. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  add(record: PackageRecord): void {
    const memberships = record.channels.flatMap(({ name: channel, entries }) =>
      entries.map((entry) => ({ channel, entry })),
    );
    const entered = new Set(memberships.map(({ entry }) => entry.bundle));
    const hasPackage = this.#blobs.content(record.firstBlob).kind === "package";
    const answered = record.bundles.map((bundle, position) =>
      entered.has(position) ? this.#answered(bundle, record, hasPackage ? record.firstBlob : undefined) : undefined,
    );
    for (const { channel, entry } of memberships) {
      const { replaces, skips = [], skipRange } = entry;
      for (const name of new Set([replaces ?? "", ...skips])) this.#noteReplacing(name, record.name);
      const [bundle, answer] = [record.bundles[entry.bundle], answered[entry.bundle]];
      if (bundle === undefined || answer === undefined) continue;
      const { message, lengths } = answer.bundle.in({
        package: record.name,
        channel,
        bundle: bundle.name,
        skips,
        ...(replaces === undefined ? {} : { replaces }),
        ...(skipRange === undefined ? {} : { skipRange }),
        ...(bundle.deprecation === undefined ? {} : { deprecation: bundle.deprecation }),
      });
      this.#rows.push({
        key: tupleKey(channel, record.name, bundle.name),
        message,
        lengths,
        source: answer.source,
      });
    }
  }

  sections(): readonly (readonly [SectionName, Iterable<Uint8Array>])[] {
    const rows = this.#rows.sort((a, b) => compareBytes(a.key, b.key));
    const table = new DataView(new ArrayBuffer(rows.length * membershipRowLength));
    let offset = 0;
    for (const [index, { message, lengths, source }] of rows.entries()) {
      const at = index * membershipRowLength;
      table.setFloat64(at, offset, true);
      for (const [part, length] of lengths.entries()) table.setUint32(at + 8 + part * 4, length, true);
      writeSource(table, at, source);
      offset += message.length;
    }
    return [
      ["messages", rows.map(({ message }) => message)],
      ["memberships", [new Uint8Array(table.buffer)]],
      ["membershipTable", [writeTable(rows.map(({ key }, index) => [key, index]))]],
      ["manifests", this.#bulk],
      ["replacedTable", [writeTable(this.#replacing)]],
    ];
  }

  #answered(
    { blob }: BundleRecord,
    { name }: PackageRecord,
    packageBlob: number | undefined,
  ): { readonly bundle: EncodedBundle; readonly source: ManifestSource } | undefined {
    const content = this.#blobs.content(blob);
    if (content.kind !== "bundle") return undefined;
    const facts = registryFacts(content);
    if (!facts.ok) {
      this.#refusal ??= `build package index: process package ${goQuote(name)}: ${facts.problem}`;
      return undefined;
    }
    const bundle = new EncodedBundle(facts.value);
    const hasImage = content.image !== "";
    // These manifests are only sent for one bundle at a time; storing them would add half the catalog's size.
    if (hasImage && content.objects === 0)
      return { bundle, source: { kind: "made", bundle: blob, package: packageBlob } };
    const pack = packageBlob === undefined ? {} : this.#blobs.json(packageBlob);
    const bulk = this.#addBulk(registryManifests(this.#blobs.json(blob), pack));
    return { bundle, source: { kind: "stored", bulk, hasImage } };
  }

  #addBulk({ objects, csvJson }: RegistryManifests): Bulk {
    const offset = this.#bulk.size;
    let objectsLength = 0;
    let csv: Pick<Bulk, "csvStart" | "csvLength"> | undefined;
    for (const object of objects) {
      const bytes = Buffer.from(object.toWellFormed());
      const head = objectTag(bytes.length);
      this.#bulk.append(head);
      this.#bulk.append(bytes);
      objectsLength += head.length + bytes.length;
      if (object === csvJson) csv ??= { csvStart: objectsLength - bytes.length, csvLength: bytes.length };
    }
    if (csv === undefined) {
      const bytes = Buffer.from(csvJson.toWellFormed());
      this.#bulk.append(bytes);
      csv = { csvStart: objectsLength, csvLength: bytes.length };
    }
    return { offset, objectsLength, ...csv };
  }

  #noteReplacing(name: string, packageName: string): void {
    const names = this.#replacing.get(name);
    if (names === undefined) this.#replacing.set(name, [packageName]);
    else if (names.at(-1) !== packageName) names.push(packageName);
  }
}

function writeSource(table: DataView, at: number, source: ManifestSource): void {
  const numbers =
    source.kind === "stored"
      ? [source.bulk.objectsLength, source.bulk.csvStart, source.bulk.csvLength]
      : [source.bundle, source.package ?? noBlob, 0];
  table.setFloat64(at + 24, source.kind === "stored" ? source.bulk.offset : 0, true);
  for (const [index, number] of numbers.entries()) table.setUint32(at + 32 + index * 4, number, true);
  table.setUint32(at + 44, source.kind === "made" ? 2 : source.hasImage ? 1 : 0, true);
}
