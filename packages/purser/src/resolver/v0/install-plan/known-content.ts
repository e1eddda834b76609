import type { Digest } from "@purser/kubernetes/digest";
import type { BundleStep, StepsOptions } from "../../../bundle/install-plan-steps.ts";
import type { UnpackedBundle } from "../../../bundle/unpack-bundle.ts";
import type { BundleSummary } from "../../../catalog/catalog-index.ts";
import type { ImageAcceptance } from "../../../catalog/image-acceptance.ts";
import type { CatalogKey } from "../input.ts";

/** The state of the content of a bundle image. */
export type KnownContent =
  /** Requested, not available yet. */
  | { readonly kind: "pending" }
  /** It is not available; `message` gives the cause and the remedy. */
  | {
      readonly kind: "unavailable";
      readonly message: string;
      /** The signature policy does not accept the image. */
      readonly isRejected?: true;
    }
  /** Available, but its files are not a bundle; `message` is OLM's text. */
  | { readonly kind: "unreadable"; readonly message: string }
  | {
      readonly kind: "present";
      readonly digest: Digest;
      readonly bundle: Pick<UnpackedBundle, "objects" | "csv">;
      /** Faults that the strict reader finds in the files, "" for none; undefined until it was run. */
      readonly diagnosis?: string;
      /** How the signature policy accepted the image; absent without a policy. */
      readonly accepted?: ImageAcceptance;
      /** Steps of the bundle whose manifests have been written already; absent: they are written when they are read. */
      readonly written?: WrittenSteps;
    };

export interface WrittenSteps {
  /** As `stepsOnce` returned them. */
  readonly of: readonly BundleStep[];
  /** The same with their manifests as texts. */
  readonly steps: readonly BundleStep[];
}

/** A bundle image whose content a plan needs. */
export interface WantedContent {
  readonly bundle: BundleSummary;
  /** The CatalogSource that lists the bundle. */
  readonly catalog: CatalogKey;
  /** `diagnosis`: the objects make no steps, and the strict reader is asked why. */
  readonly reading: "objects" | "diagnosis";
  /** What the steps will be made with. */
  readonly install: StepsOptions;
}

/** Contents by {@link contentKey}; a bundle without an entry was not requested. */
export type KnownContents = ReadonlyMap<string, KnownContent>;

/** Equal for bundles with the same content. Bundle directories of one directory are distinguished by package and version. */
export function contentKey({ image, package: packageName, version }: BundleSummary): string {
  return `${image} ${packageName} ${version}`;
}
