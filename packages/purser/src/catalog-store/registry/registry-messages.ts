import { type RegistryManifests, registryManifests } from "../../catalog/registry-bundle.ts";
import { membershipRowLength, noBlob } from "../format.ts";
import { plainBlob } from "../plain-blob.ts";
import type { ReadAt } from "../sorted-table.ts";
import { csvJsonTag, objectTag } from "./text-tag.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Messages of one index, read where they lie. */
export interface RegistrySource {
  readonly memberships: ReadAt;
  readonly messages: ReadAt;
  readonly manifests: ReadAt;
  /** The line of a blob. */
  readonly blob: (blob: number) => Uint8Array;
  readonly count: number;
}

interface Row {
  readonly offset: number;
  readonly head: number;
  readonly body: number;
  readonly links: number;
  readonly tail: number;
  readonly manifests: Manifests;
  readonly hasImage: boolean;
}

type Manifests =
  | {
      readonly kind: "stored";
      readonly offset: number;
      readonly objectsLength: number;
      readonly csvStart: number;
      readonly csvLength: number;
    }
  | { readonly kind: "made"; readonly bundle: number; readonly package: number | undefined };

/** Bytes read at a time while all messages are sent. */
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

/** JSON of the ClusterServiceVersion of one membership, without its other manifests; "" when the bundle has none. */
export function csvText(source: RegistrySource, index: number): string {
  const { manifests } = readRow(source, index);
  if (manifests.kind === "made") return madeManifests(source, manifests).csvJson;
  const { offset, csvStart, csvLength } = manifests;
  return decoder.decode(source.manifests(offset + csvStart, csvLength));
}

function withManifests(source: RegistrySource, row: Row, message: Uint8Array): Uint8Array {
  const { csv, objects } = manifestsOf(source, row.manifests);
  return Buffer.concat([
    message.subarray(0, row.head),
    csvJsonTag(csv.length),
    csv,
    ...objects,
    message.subarray(row.head),
  ]);
}

/** The ClusterServiceVersion, and the encoded items of `object`. */
function manifestsOf(
  source: RegistrySource,
  manifests: Manifests,
): { readonly csv: Uint8Array; readonly objects: readonly Uint8Array[] } {
  switch (manifests.kind) {
    case "stored": {
      const { offset, objectsLength, csvStart, csvLength } = manifests;
      const bytes = source.manifests(offset, Math.max(objectsLength, csvStart + csvLength));
      return { csv: bytes.subarray(csvStart, csvStart + csvLength), objects: [bytes.subarray(0, objectsLength)] };
    }
    case "made": {
      const { csvJson, objects } = madeManifests(source, manifests);
      const encoded = objects.map((object) => encoder.encode(object));
      return { csv: encoder.encode(csvJson), objects: encoded.flatMap((bytes) => [objectTag(bytes.length), bytes]) };
    }
  }
}

function madeManifests(
  source: RegistrySource,
  { bundle, package: pack }: Extract<Manifests, { readonly kind: "made" }>,
): RegistryManifests {
  return registryManifests(plainBlob(source.blob(bundle)), pack === undefined ? {} : plainBlob(source.blob(pack)));
}

function readRow({ memberships }: RegistrySource, index: number): Row {
  const bytes = memberships(index * membershipRowLength, membershipRowLength);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [third, fourth, fifth] = [view.getUint32(32, true), view.getUint32(36, true), view.getUint32(40, true)];
  const kind = view.getUint32(44, true);
  return {
    offset: view.getFloat64(0, true),
    head: view.getUint32(8, true),
    body: view.getUint32(12, true),
    links: view.getUint32(16, true),
    tail: view.getUint32(20, true),
    manifests:
      kind === 2
        ? { kind: "made", bundle: third, package: fourth === noBlob ? undefined : fourth }
        : {
            kind: "stored",
            offset: view.getFloat64(24, true),
            objectsLength: third,
            csvStart: fourth,
            csvLength: fifth,
          },
    hasImage: kind !== 0,
  };
}

function sizeOf({ head, body, links, tail }: Row): number {
  return head + body + links + tail;
}
