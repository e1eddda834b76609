import type { ImageAcceptance } from "../catalog/image-acceptance.ts";
import type { Digest } from "@purser/kubernetes/digest";

/** What an image is unpacked for; decides which part of its file system is written. */
export type WantedContent =
  /** The directory that label `operators.operatorframework.io.index.configs.v1` names. */
  | "catalog"
  /** The directories that the labels or `metadata/annotations.yaml` name: manifests, metadata and what lies beside them. */
  | "bundle"
  /** Whichever of the two the labels name, for commands that take both. */
  | "any";

/** An image whose wanted content lies complete on disk. */
export interface PulledImage {
  /** Of the manifest or index that the reference names: the canonical digest of the image. */
  readonly digest: Digest;
  /** Under which the store keeps what was unpacked; that of the image unless a directory was named. */
  readonly content: Digest;
  /** Labels of the image's configuration. */
  readonly labels: Readonly<Record<string, string>>;
  /** Read-only root of what was unpacked; paths below it are those of the image. */
  readonly root: string;
  /** The directory of the catalog, or the root of the bundle; absolute and inside of `root`. */
  readonly directory: string;
  /** How the signature policy accepted it for this request; absent without a policy. */
  readonly accepted?: ImageAcceptance;
}

/** One step of a pull, for a terminal or `-o json`. */
export type PullProgress =
  | { readonly kind: "resolved"; readonly reference: string; readonly digest: Digest }
  | {
      readonly kind: "downloading";
      readonly reference: string;
      /** Layers are counted from 1. */
      readonly layer: number;
      readonly layers: number;
      readonly bytes: number;
      readonly totalBytes: number;
    }
  | { readonly kind: "unpacking"; readonly reference: string }
  | { readonly kind: "complete"; readonly reference: string; readonly digest: Digest };
