import type { ApiRef } from "../catalog-index.ts";
import type { TypedText } from "../registry-bundle.ts";

/** A package as `GetPackage` of the registry API answers. */
export interface ServedPackage {
  readonly name: string;
  readonly defaultChannel: string;
  readonly deprecation?: string;
  readonly channels: readonly ServedChannel[];
}

export interface ServedChannel {
  readonly name: string;
  readonly deprecation?: string;
}

/** A bundle in one channel as `ListBundles` of the registry API sends it. */
export interface ServedBundle {
  readonly name: string;
  readonly packageName: string;
  readonly channel: string;
  readonly image: string;
  /** May be empty or no version at all: registry servers do not check it. */
  readonly version: string;
  readonly replaces: string;
  readonly skips: readonly string[];
  readonly skipRange: string;
  /** JSON of the ClusterServiceVersion; "" for a bundle that is an image. */
  readonly csvJson: string;
  /** JSON of the ClusterServiceVersion of an image that is the head of a channel, as `GetBundleForChannel` answers. */
  readonly headCsv?: string;
  /** JSON of each manifest; empty for a bundle that is an image. */
  readonly objects: readonly string[];
  /** Values are JSON texts. */
  readonly properties: readonly TypedText[];
  readonly dependencies: readonly TypedText[];
  readonly provides: readonly ApiRef[];
  readonly requires: readonly ApiRef[];
  readonly deprecation?: string;
}
