import type { JsonObject } from "@purser/kubernetes/json";
import type { Place } from "@purser/kubernetes/place";
import type { Property } from "./catalog-index.ts";

/** A document of a catalog: the fields that every blob has, and those of its schema. */
export interface CatalogEntry {
  readonly schema: string;
  /** The package it belongs to: its own name for an `olm.package`; "" for blobs of no package. */
  readonly packageName: string;
  readonly name: string;
  readonly place: Place;
  readonly content: BlobContent;
}

/** An entry together with its whole document. */
export interface CatalogBlob extends CatalogEntry {
  readonly json: JsonObject;
  /** Items that stayed bytes, for `withKeptItems`: `json` has others in their place. Only where a reader was asked to. */
  readonly kept?: { readonly items: readonly Uint8Array[]; whole(): CatalogBlob };
}

export type BlobContent =
  | PackageContent
  | ChannelContent
  | BundleContent
  | DeprecationsContent
  /** Any schema that is not one of OLM's four. */
  | { readonly kind: "custom" };

export interface PackageContent {
  readonly kind: "package";
  readonly defaultChannel: string;
  readonly description: string;
}

export interface ChannelContent {
  readonly kind: "channel";
  readonly entries: readonly ChannelEntryContent[];
}

export interface ChannelEntryContent {
  readonly name: string;
  readonly replaces: string;
  readonly skips: readonly string[];
  readonly skipRange: string;
}

export interface BundleContent {
  readonly kind: "bundle";
  readonly image: string;
  readonly relatedImages: readonly { readonly name: string; readonly image: string }[];
  /** Without the bulk: `olm.csv.metadata` and `olm.bundle.object`. */
  readonly properties: readonly Property[];
  /** Values of all `olm.package` properties. */
  readonly versions: readonly PackageVersion[];
  /** Why the properties cannot be read, in upstream's words. */
  readonly propertyProblem?: { readonly index: number; readonly message: string };
  /** Number of `olm.bundle.object` properties. */
  readonly objects: number;
  /** Number of `olm.csv.metadata` properties. */
  readonly csvMetadata: number;
}

/** An `olm.package` property. */
export interface PackageVersion {
  readonly packageName: string;
  readonly version: string;
  /** Undefined when absent. */
  readonly release?: string;
}

export interface DeprecationsContent {
  readonly kind: "deprecations";
  readonly entries: readonly { readonly schema: string; readonly name: string; readonly message: string }[];
}
