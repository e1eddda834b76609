// What is asked of a bundle directory and answered, by this process or by its reading thread.
import type { Digest } from "@purser/kubernetes/digest";
import type { Result } from "@purser/kubernetes/result";
import type { BundleProblem, RegistryBundle } from "../../bundle/registry-bundle.ts";
import type { UnpackedBundle, UnpackProblem } from "../../bundle/unpack-bundle.ts";
import type { BundleDirectoryProblem } from "./bundle-directory.ts";

/** The two readings of a bundle: as OLM v0 unpacks it, and as OLM v1 reads it. */
export interface Readings {
  readonly unpacked: Result<UnpackedBundle, UnpackProblem>;
  readonly registry: Result<RegistryBundle, readonly BundleProblem[]>;
}

/** The current content of a bundle directory. */
export interface FoundBundle {
  /** As `fingerprint` gives it, taken before the files were read. */
  readonly fingerprint: string;
  readonly digest: Result<Digest, BundleDirectoryProblem>;
}

export type BundleQuestion =
  | { readonly kind: "find"; readonly directory: string }
  | { readonly kind: "read"; readonly reading: keyof Readings; readonly directory: string; readonly digest: Digest };

export interface BundleTask {
  readonly id: number;
  readonly question: BundleQuestion;
}

export type BundleAnswer = { readonly id: number } & (
  | {
      /** Of the result; a text is handed to another thread faster than the objects are. */
      readonly text: string;
    }
  | { readonly failure: string }
);
