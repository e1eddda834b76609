import type { Digest } from "@purser/kubernetes/digest";

export interface BundleFile {
  /** Path below the bundle's root, with `/`: `manifests/a.clusterserviceversion.yaml`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A bundle's files in path order; read once, bounded by the store. */
export interface BundleFiles {
  readonly digest: Digest;
  readonly files: readonly BundleFile[];
}

/** A bundle's files together with the directories they may lie in, which may be empty. */
export interface BundleDirectory extends BundleFiles {
  /** `manifests`, `metadata` and what is below them, in path order. */
  readonly directories: readonly string[];
}
