import type { Place } from "@purser/kubernetes/place";

/** A bundle of a package, as its catalog states it. */
export interface PackageBundle {
  readonly name: string;
  /** As written; undefined when the catalog states none that can be read. */
  readonly version: string | undefined;
  readonly release?: string | undefined;
  /** Message of its deprecation; "" is a deprecation without message. */
  readonly deprecation?: string | undefined;
  readonly place?: Place | undefined;
}

/** An entry of a channel as written: it says which bundles its own one follows on. */
export interface DeclaredEntry {
  readonly name: string;
  readonly replaces?: string | undefined;
  readonly skips: readonly string[];
  readonly skipRange?: string | undefined;
  readonly place?: Place | undefined;
}

export interface DeclaredChannel {
  readonly name: string;
  readonly deprecation?: string | undefined;
  readonly entries: readonly DeclaredEntry[];
  readonly place?: Place | undefined;
}

/** All that an upgrade graph is made of; it need not be valid. */
export interface PackageVersions {
  readonly name: string;
  readonly defaultChannel: string;
  readonly deprecation?: string | undefined;
  readonly bundles: readonly PackageBundle[];
  readonly channels: readonly DeclaredChannel[];
}
