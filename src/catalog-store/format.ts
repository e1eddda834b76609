import type { Digest } from "../digest.ts";

/** A file of an older or newer version is rebuilt, never read. */
export const formatVersion = 1;

/**
 * First eight bytes of every index file. Behind them: version and header length (32 bits each, little endian), the
 * SHA-256 of the header, the header.
 */
export const magic = "PURSERIX";
export const preambleLength = 48;

/** Where a part of the file lies, behind the header, and what it must hash to. */
export interface Section {
  readonly name: SectionName;
  readonly offset: number;
  readonly length: number;
  readonly digest: Digest;
}

export const sectionNames = ["blobs", "blobTable", "packages", "packageTable", "bundleTable", "apiTable"] as const;
export type SectionName = (typeof sectionNames)[number];

/**
 * The JSON header. `blobs`: one canonical JSON line per blob in canonical order, their digest is the catalog's;
 * `blobTable`: 16 bytes per blob (offset as a double, length, position in load order); `packages`: one package record
 * per line; the three sorted tables map a name to JSON: packages to the place of their record, bundles and provided
 * APIs to the packages that hold them. Later versions may add sections; readers look them up by name.
 */
export interface IndexHeader {
  readonly version: number;
  readonly digest: Digest;
  readonly blobCount: number;
  readonly packageCount: number;
  readonly bundleCount: number;
  readonly sections: readonly Section[];
}

export const blobRowLength = 16;

/** File name of an index inside its folder. */
export function indexFileName(digest: Digest): string {
  return `${digest.slice("sha256:".length)}.index`;
}
