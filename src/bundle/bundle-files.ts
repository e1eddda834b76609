import type { Digest } from "../digest.ts";

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
