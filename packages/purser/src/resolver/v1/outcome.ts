import type { BundleMetadata } from "../../apis/v1/cluster-extension.ts";
import type { BundleSummary, Property } from "../../catalog/catalog-index.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Explanation } from "../../explanation/explanation.ts";

export interface ResolvedExtension {
  readonly kind: "resolved";
  readonly bundle: BundleSummary;
  /** Name of the ClusterCatalog. */
  readonly catalog: string;
  /** Parsed version, without build metadata that was read as a release. */
  readonly version: string;
  /** `""` (set and empty) differs from absent. */
  readonly release?: string;
  /** The value of `status.install.bundle` after installation. */
  readonly metadata: BundleMetadata;
  /** The `olm.deprecations` blob of the package in that catalog. */
  readonly deprecation?: JsonObject;
  /** Catalogs that could not be read and were left out, by name; absent when there is none. */
  readonly missing?: readonly MissingCatalog[];
  /** Properties that require other bundles; absent when there is none. */
  readonly requires?: readonly Property[];
}

export interface MissingCatalog {
  /** Name of the ClusterCatalog. */
  readonly name: string;
  readonly cause: string;
}

export type ExtensionOutcome =
  | ResolvedExtension
  | {
      readonly kind: "failed";
      /** True when a catalog, the request or a bundle cannot be read. */
      readonly isError: boolean;
      /** Text OLM would put into condition Progressing. */
      readonly upstream: string;
      readonly explanation: Explanation;
    };
