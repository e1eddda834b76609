import type { PackageRecord } from "../catalog/package-record.ts";
import { registryBundle } from "../catalog/registry-bundle.ts";
import { goQuote } from "../go-quote.ts";
import type { JsonObject } from "../json.ts";
import { compareBytes } from "../text/documents.ts";
import { bundleParts } from "./api-bundle.ts";
import { objectTag } from "./text-tag.ts";
import { membershipRowLength, type SectionName } from "./format.ts";
import { writeTable } from "./sorted-table.ts";
import type { Spool } from "./spool.ts";
import { tupleKey } from "./tuple-key.ts";

interface Row {
  readonly key: string;
  readonly message: Uint8Array;
  /** Lengths of head, body, links and tail. */
  readonly lengths: readonly [number, number, number, number];
  readonly hasImage: boolean;
  readonly bulk: Bulk;
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
  readonly #rows: Row[] = [];
  readonly #replacing = new Map<string, string[]>();
  #refusal: string | undefined;

  constructor(bulk: Spool) {
    this.#bulk = bulk;
  }

  /** Why upstream's server refuses this catalog although it is valid; the first package by name decides. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  add(record: PackageRecord, pack: JsonObject, bundleJson: (position: number) => JsonObject): void {
    const memberships = record.channels.flatMap(({ name: channel, entries }) =>
      entries.map((entry) => ({ channel, entry })),
    );
    const entered = new Set(memberships.map(({ entry }) => entry.bundle));
    const answered = record.bundles.map((_, position) => {
      if (!entered.has(position)) return undefined;
      const found = registryBundle(bundleJson(position), pack);
      if (found.ok) return { ...found.value, bulk: this.#addBulk(found.value.objects, found.value.csvJson) };
      this.#refusal ??= `build package index: process package ${goQuote(record.name)}: ${found.problem}`;
      return undefined;
    });
    for (const { channel, entry } of memberships) {
      const { replaces, skips = [], skipRange } = entry;
      for (const name of new Set([replaces ?? "", ...skips])) this.#noteReplacing(name, record.name);
      const [bundle, content] = [record.bundles[entry.bundle], answered[entry.bundle]];
      if (bundle === undefined || content === undefined) continue;
      const parts = bundleParts(content, {
        package: record.name,
        channel,
        bundle: bundle.name,
        skips,
        ...(replaces === undefined ? {} : { replaces }),
        ...(skipRange === undefined ? {} : { skipRange }),
        ...(bundle.deprecation === undefined ? {} : { deprecation: bundle.deprecation }),
      });
      const pieces = [parts.head, parts.body, parts.links, parts.tail] as const;
      this.#rows.push({
        key: tupleKey(channel, record.name, bundle.name),
        message: Buffer.concat(pieces),
        lengths: [pieces[0].length, pieces[1].length, pieces[2].length, pieces[3].length],
        hasImage: content.image !== "",
        bulk: content.bulk,
      });
    }
  }

  sections(): readonly (readonly [SectionName, Iterable<Uint8Array>])[] {
    const rows = this.#rows.sort((a, b) => compareBytes(a.key, b.key));
    const table = new DataView(new ArrayBuffer(rows.length * membershipRowLength));
    let offset = 0;
    for (const [index, { message, lengths, hasImage, bulk }] of rows.entries()) {
      const at = index * membershipRowLength;
      table.setFloat64(at, offset, true);
      for (const [part, length] of lengths.entries()) table.setUint32(at + 8 + part * 4, length, true);
      table.setFloat64(at + 24, bulk.offset, true);
      table.setUint32(at + 32, bulk.objectsLength, true);
      table.setUint32(at + 36, bulk.csvStart, true);
      table.setUint32(at + 40, bulk.csvLength, true);
      table.setUint32(at + 44, hasImage ? 1 : 0, true);
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

  #addBulk(objects: readonly string[], csvJson: string): Bulk {
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
