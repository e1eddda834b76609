import { membershipRowLength } from "./format.ts";
import type { ReadAt } from "./sorted-table.ts";
import { csvJsonTag } from "./text-tag.ts";

/** Messages of one index, read where they lie. */
export interface RegistrySource {
  readonly memberships: ReadAt;
  readonly messages: ReadAt;
  readonly manifests: ReadAt;
  readonly count: number;
}

interface Row {
  readonly offset: number;
  readonly head: number;
  readonly body: number;
  readonly links: number;
  readonly tail: number;
  readonly manifests: {
    readonly offset: number;
    readonly objectsLength: number;
    readonly csvStart: number;
    readonly csvLength: number;
  };
  readonly hasImage: boolean;
}

/** So much is read at a time while all messages are sent. */
const pieceBytes = 128 * 1024;

/**
 * `api.Bundle` of every membership by channel, package and name, as `ListBundles` sends it: with replaces and skips,
 * manifests only for bundles without an image.
 */
export function* listedMessages(source: RegistrySource): Generator<Uint8Array, void, void> {
  for (let index = 0; index < source.count;) {
    const rows = [readRow(source, index)];
    const [first] = rows;
    if (first === undefined) return;
    let length = sizeOf(first);
    while (++index < source.count) {
      const next = readRow(source, index);
      if (length + sizeOf(next) > pieceBytes) break;
      rows.push(next);
      length += sizeOf(next);
    }
    const piece = source.messages(first.offset, length);
    for (const row of rows) {
      const start = row.offset - first.offset;
      const message = piece.subarray(start, start + sizeOf(row));
      yield row.hasImage ? message : withManifests(source, row, message);
    }
  }
}

/** `api.Bundle` of one membership with its manifests and, as every answer about one bundle, without replaces and skips. */
export function singleMessage(source: RegistrySource, index: number): Uint8Array {
  const row = readRow(source, index);
  const message = source.messages(row.offset, sizeOf(row));
  const links = row.head + row.body;
  return withManifests(source, row, Buffer.concat([message.subarray(0, links), message.subarray(links + row.links)]));
}

function withManifests(source: RegistrySource, row: Row, message: Uint8Array): Uint8Array {
  const { offset, objectsLength, csvStart, csvLength } = row.manifests;
  const manifests = source.manifests(offset, Math.max(objectsLength, csvStart + csvLength));
  return Buffer.concat([
    message.subarray(0, row.head),
    csvJsonTag(csvLength),
    manifests.subarray(csvStart, csvStart + csvLength),
    manifests.subarray(0, objectsLength),
    message.subarray(row.head),
  ]);
}

function readRow({ memberships }: RegistrySource, index: number): Row {
  const bytes = memberships(index * membershipRowLength, membershipRowLength);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    offset: view.getFloat64(0, true),
    head: view.getUint32(8, true),
    body: view.getUint32(12, true),
    links: view.getUint32(16, true),
    tail: view.getUint32(20, true),
    manifests: {
      offset: view.getFloat64(24, true),
      objectsLength: view.getUint32(32, true),
      csvStart: view.getUint32(36, true),
      csvLength: view.getUint32(40, true),
    },
    hasImage: view.getUint32(44, true) !== 0,
  };
}

function sizeOf({ head, body, links, tail }: Row): number {
  return head + body + links + tail;
}
