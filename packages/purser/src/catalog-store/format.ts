import { join } from "node:path";
import type { PackageFault } from "../catalog/catalog-index.ts";
import type { Digest } from "@purser/kubernetes/digest";

/** A file of an older or newer version is rebuilt, never read. */
export const formatVersion = 4;

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

export const sectionNames = [
  "blobs",
  "blobTable",
  "packages",
  "packageTable",
  "packageFacts",
  "bundleTable",
  "apiTable",
  "messages",
  "memberships",
  "membershipTable",
  "manifests",
  "replacedTable",
  "customTable",
  "lines",
  "lineNames",
] as const;
export type SectionName = (typeof sectionNames)[number];

/**
 * The JSON header. `blobs`: one canonical JSON line per blob in canonical order, their digest is the catalog's (with
 * faulty packages a digest of it and of what is wrong with them);
 * `blobTable`: 16 bytes per blob (offset as a double, length, position in load order); `packages`: one package record
 * per line; `packageFacts`: facts of every package for lists and search, as one JSON array by name; the sorted tables map a name to JSON: packages to the place of their record, bundles and provided APIs to
 * the packages that hold them.
 *
 * For the registry API: `messages` holds `api.Bundle` of every (channel, package, bundle) in that order without its
 * manifests, `memberships` one row for each, `membershipTable` the row of each; `manifests` the encoded objects of
 * each bundle with its ClusterServiceVersion, but for bundles with an image and metadata alone, whose
 * ClusterServiceVersion is made when asked for; `replacedTable` the packages with entries that replace or skip a name
 * ("" for those that replace nothing); `customTable` first blob and number of blobs by package and custom schema.
 *
 * For the catalog API of v1: `lines` one row per blob in load order, `lineNames` its schema, package and name as JSON.
 *
 * Later versions may add sections; readers look them up by name.
 */
export interface IndexHeader {
  readonly version: number;
  readonly digest: Digest;
  readonly blobCount: number;
  readonly packageCount: number;
  readonly bundleCount: number;
  /** Why upstream's registry server refuses this catalog although it is valid, in its words. */
  readonly registryRefusal?: string;
  /** Packages whose blobs are here and which are in none of the tables, by name. */
  readonly faults?: readonly PackageFault[];
  readonly sections: readonly Section[];
}

export const blobRowLength = 16;
/**
 * Offset of the message (double), lengths of head, body, links and tail; then, by the last number: 0 or 1, offset of
 * the manifests (double), length of the encoded objects, start (from that offset) and length of the
 * ClusterServiceVersion, 1 where there is an image; 2, nothing (double), the blobs from which the
 * ClusterServiceVersion is made: the bundle's and the package's.
 */
export const membershipRowLength = 48;
/** Stands for a blob that is not there. */
export const noBlob = 0xffffffff;
/** Blob, length as served, end of the names, whether it is served as stored. */
export const lineRowLength = 16;

/** Where the indexes of catalogs lie below a cache directory. */
export function indexDirectory(cacheDir: string): string {
  return join(cacheDir, "indexes");
}

/** File name of an index inside its directory. */
export function indexFileName(digest: Digest): string {
  return `${digest.slice("sha256:".length)}.index`;
}
