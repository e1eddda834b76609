import type { Digest } from "@purser/kubernetes/digest";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { BundleName, ChannelName, PackageName } from "./names.ts";
import type { PackageFacts } from "./package-facts.ts";

/** A provided or required API. */
export interface ApiRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Only known for APIs read from a CSV, not for `olm.gvk` properties. */
  readonly plural?: string;
}

export interface Property {
  readonly type: string;
  readonly value: JsonValue;
}

/** Position of a blob in its index; only the index that gave it out can read it. */
export type BlobId = number & { readonly __blob: true };

/** One (bundle, channel) pair with all that a resolver needs; never CSV data. */
export interface BundleSummary {
  readonly package: PackageName;
  readonly channel: ChannelName;
  readonly name: BundleName;
  readonly image: string;
  /** Text of the `olm.package` property's version, as written. */
  readonly version: string;
  /** `olm.package` release, undefined when absent ("" differs from absent). */
  readonly release?: string;
  readonly replaces?: BundleName;
  readonly skips: readonly BundleName[];
  readonly skipRange?: string;
  /** All properties but `olm.csv.metadata`, `olm.bundle.object` and other bulk ones, in catalog order. */
  readonly properties: readonly Property[];
  readonly provides: readonly ApiRef[];
  readonly requires: readonly ApiRef[];
  readonly isChannelHead: boolean;
  readonly deprecation?: string;
  /** The whole `olm.bundle` blob. */
  readonly blob: BlobId;
}

export interface ChannelSummary {
  readonly name: ChannelName;
  /** Channel head under v0 rules; undefined only in a catalog that was indexed although invalid. */
  readonly head?: BundleName;
  readonly deprecation?: string;
  /** In catalog order. */
  readonly bundles: readonly BundleSummary[];
}

export interface PackageSummary {
  readonly name: PackageName;
  readonly defaultChannel: ChannelName;
  readonly description?: string;
  readonly deprecation?: string;
  /** Sorted by name. */
  readonly channels: readonly ChannelSummary[];
  /** All blobs of the package in canonical order: package, channels, bundles, deprecations, others. */
  readonly blobs: readonly BlobId[];
}

/** A package of a catalog that breaks rules, and is left out of the catalog's index for it. */
export interface PackageFault {
  readonly packageName: string;
  /** The first problem with its place below the catalog's root, and how many there are beside it. */
  readonly cause: string;
}

/**
 * A catalog's content by digest, opened. Synchronous: answers come from memory or from positioned reads
 * with a bounded cache, so a resolver never waits inside a decision.
 */
export interface CatalogIndex {
  readonly digest: Digest;
  /** Packages that the catalog holds and that cannot be used, by name; absent where none is looked for. */
  readonly faults?: readonly PackageFault[];
  /** Sorted. */
  packages(): readonly PackageName[];
  package(name: string): PackageSummary | undefined;
  /** Every (bundle, channel) pair that provides the API, in package, channel, catalog order. */
  providers(api: ApiRef): readonly BundleSummary[];
  /** The packages with such a bundle, in order; does not read them. */
  packagesProviding(api: ApiRef): readonly PackageName[];
  blob(id: BlobId): JsonObject;
  /** Facts of all packages by name, where they were kept when the index was built. */
  readonly packageFacts?: () => readonly PackageFacts[];
}
